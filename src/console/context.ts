/** Context of every screen: viewer, language and address. */
import { randomUUID } from 'node:crypto';
import { ACTIONS, type Action, type ActionName } from '../base/access/actions.ts';
import type { Scope } from '../base/access/api-key.ts';
import type { Violation } from '../base/errors/errors.ts';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import type { Html } from '../ui/html.ts';
import type { Language } from '../ui/language.ts';
import type { Variables } from './execute.ts';
import type { FrameFragment, PriceFragment } from './generated/graphql.ts';
import type { Operation } from './operations.ts';
import type { ConsoleSession } from './session.ts';
import type { Translate } from './words.ts';

/** Content of a rejected form. */
export interface Refused {
  /** The action of the form. */
  readonly action: string;
  readonly values: URLSearchParams;
  /** Advice to the reader, in the language of the page. */
  readonly message: string;
  /** Message of the API, for developers. */
  readonly detail: string;
  readonly status: number;
  readonly violations: readonly Violation[];
}

/** A form that was sent to preview its action: nothing has changed. */
export interface Preview {
  /** The action of the form. */
  readonly action: string;
  readonly values: URLSearchParams;
  /** Number of records that the action would change. */
  readonly matched: number;
}

/** Values of a form that requests a price or waits for a confirmation: nothing has changed yet. */
export interface PendingForm {
  readonly values: URLSearchParams;
  readonly variables: Variables;
  /** Whether the form waits for confirmation, and its reserved price, if it has one. */
  readonly confirms?: { readonly price: PriceFragment | null };
}

/** Result of a form whose screen is shown again. */
export type Sent = Pick<ScreenContext, 'refused' | 'preview' | 'pending'>;

/** A request for a screen, and its person. */
export interface ScreenContext {
  readonly session: ConsoleSession;
  readonly language: Language;
  readonly translate: Translate;
  /** Path of the screen, below the console's. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in the path of the screen, such as `end2end`. */
  readonly named: Readonly<Record<string, string>>;
  readonly refused: Refused | null;
  /** Count of a previewed form. */
  readonly preview?: Preview | null;
  /** Values of a form whose price is requested. */
  readonly pending?: PendingForm | null;
}

/** A screen: one published document, and the view of its data. */
export interface Screen<Data = FrameFragment> {
  /** Path below the console's path; a part that begins with `:` is a parameter. */
  readonly path: string;
  readonly operation: Operation;
  /** Scope in addition to `read`: one of the listed scopes, if there are several. */
  readonly scope?: Scope | readonly Scope[];
  /** @throws {GatewayError} `INVALID_PARAMETER` for an address with values that the screen does not accept. */
  readonly variables: (context: ScreenContext) => Variables;
  readonly view: (data: Data, context: ScreenContext) => View;
}

/** @returns the screen with its data type erased: it shows the data of its own document. */
export function screenOf<Data extends FrameFragment>(screen: Screen<Data>): Screen {
  return screen as Screen;
}

/** Content of a screen. */
export interface View {
  /** Title of the page and of the tab. */
  readonly title: string;
  readonly main: Html;
}

/** Scopes of the actions of each mutation, by its name: a mutation of several actions needs one of them. */
const SCOPES = Map.groupBy(
  Object.values<Action>(ACTIONS).flatMap(({ scope, mutations }) =>
    mutations.map((mutation) => ({ mutation, scope })),
  ),
  ({ mutation }) => mutation,
);

/** Action of each mutation, by its name: the first where the mutation performs several. */
const ACTION_NAMES: ReadonlyMap<string, ActionName> = new Map(
  (Object.keys(ACTIONS) as ActionName[])
    .reverse()
    .flatMap((action) => ACTIONS[action].mutations.map((mutation: string) => [mutation, action] as const)),
);

/** @returns the action that a mutation performs; null for a field that performs none. */
export function actionOfMutation(mutation: string | undefined): ActionName | null {
  return ACTION_NAMES.get(mutation ?? '') ?? null;
}

/** @returns whether the session has the scope, or one of several. */
export function may({ session }: Pick<ScreenContext, 'session'>, scope: Scope | readonly Scope[]): boolean {
  const wanted = typeof scope === 'string' ? [scope] : scope;
  return wanted.some((each) => session.scopes.includes(each));
}

/** @returns whether the session has the scope of an action of the mutation. */
export function mayDo(context: Pick<ScreenContext, 'session'>, mutation: string): boolean {
  const actions = SCOPES.get(mutation);
  return may(context, actions ? actions.map(({ scope }) => scope) : 'admin');
}

/** @returns whether the session has the scope that an action needs. */
export function mayPerform(context: Pick<ScreenContext, 'session'>, action: ActionName): boolean {
  return may(context, ACTIONS[action].scope);
}

/** @returns a path of the console with a query; members without a value are left out. */
export function pathTo(
  path: string,
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  // Most links of lists have no query.
  const parameters = Object.entries(query).filter((each): each is [string, string] => Boolean(each[1]));
  if (parameters.length === 0) return CONSOLE_PATH + path;
  return `${CONSOLE_PATH}${path}?${new URLSearchParams(parameters)}`;
}

/** @returns the address of the same screen with other values in its query; null removes one. */
export function sameWith(
  { path, query }: Pick<ScreenContext, 'path' | 'query'>,
  changes: Readonly<Record<string, string | null>>,
): string {
  return pathTo(path, { ...Object.fromEntries(query), ...changes });
}

/** @returns a new key under which a form is performed once, however often it is sent. */
export function formKey(): string {
  return `console-${randomUUID()}`;
}
