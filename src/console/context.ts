/** What every screen is made with: who looks, in which language, at which address. */
import { randomUUID } from 'node:crypto';
import { ACTS } from '../base/acts.ts';
import type { Scope } from '../base/api-key.ts';
import { CONSOLE_PATH } from '../base/console-url.ts';
import type { Violation } from '../base/errors.ts';
import type { Html } from '../ui/html.ts';
import type { Language } from '../ui/language.ts';
import type { Variables } from './execute.ts';
import type { FrameFragment } from './generated/graphql.ts';
import type { Operation } from './operations.ts';
import type { ConsoleSession } from './session.ts';
import type { Say } from './words.ts';

/** What a form sent that was not taken. */
export interface Refused {
  /** The act of the form. */
  readonly act: string;
  readonly values: URLSearchParams;
  readonly message: string;
  readonly status: number;
  readonly violations: readonly Violation[];
}

/** A form that was sent to learn what its act would do: nothing was done. */
export interface Preview {
  /** The act of the form. */
  readonly act: string;
  readonly values: URLSearchParams;
  /** How much the act would be done on. */
  readonly matched: number;
}

/** What a form says so far, of which somebody asks the price: nothing is done. */
export interface Asked {
  readonly values: URLSearchParams;
  readonly variables: Variables;
}

/** What came of a form that its screen is shown for again. */
export type Sent = Pick<ScreenContext, 'refused' | 'preview' | 'asked'>;

/** A request for a screen, and who makes it. */
export interface ScreenContext {
  readonly session: ConsoleSession;
  readonly language: Language;
  readonly say: Say;
  /** Path of the screen, below the console's. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Names in the path of the screen, such as `end2end`. */
  readonly named: Readonly<Record<string, string>>;
  readonly refused: Refused | null;
  /** What a form counted that only asked what it would do. */
  readonly preview?: Preview | null;
  /** What a form says whose price is asked for. */
  readonly asked?: Asked | null;
}

/** A screen: one published document, and the view of its data. */
export interface Screen<Data = FrameFragment> {
  /** Below the console's path; a part that begins with `:` names itself. */
  readonly path: string;
  readonly operation: Operation;
  /** What it needs besides `read`: one of these, where there are several. */
  readonly scope?: Scope | readonly Scope[];
  /** @throws {GatewayError} `INVALID_PARAMETER` for an address that says something else than the screen takes. */
  readonly variables: (context: ScreenContext) => Variables;
  readonly view: (data: Data, context: ScreenContext) => View;
}

/** @returns the screen as one among others: what it shows is what its own document gives. */
export function screenOf<Data extends FrameFragment>(screen: Screen<Data>): Screen {
  return screen as Screen;
}

/** What a screen shows. */
export interface View {
  /** Title of the page and of the tab. */
  readonly title: string;
  readonly main: Html;
}

/** Scope of each mutation, by its name. */
const SCOPES: ReadonlyMap<string, Scope> = new Map(
  Object.values(ACTS).flatMap(({ scope, mutations }) =>
    mutations.map((mutation: string) => [mutation, scope] as const),
  ),
);

/** @returns whether the session has the scope, or one of several. */
export function may({ session }: Pick<ScreenContext, 'session'>, scope: Scope | readonly Scope[]): boolean {
  const wanted = typeof scope === 'string' ? [scope] : scope;
  return wanted.some((each) => session.scopes.includes(each));
}

/** @returns whether the session has the scope that a mutation needs. */
export function mayDo(context: Pick<ScreenContext, 'session'>, mutation: string): boolean {
  return may(context, SCOPES.get(mutation) ?? 'admin');
}

/** @returns a path of the console with a query; members without a value are left out. */
export function pathTo(
  path: string,
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const given = Object.entries(query).filter((each): each is [string, string] => Boolean(each[1]));
  const search = new URLSearchParams(given).toString();
  return `${CONSOLE_PATH}${path}${search && `?${search}`}`;
}

/** @returns the address of the same screen with other values in its query; null takes one away. */
export function sameWith(
  { path, query }: Pick<ScreenContext, 'path' | 'query'>,
  changes: Readonly<Record<string, string | null>>,
): string {
  return pathTo(path, { ...Object.fromEntries(query), ...changes });
}

/** @returns a new key under which a form is done once, however often it is sent. */
export function formKey(): string {
  return `console-${randomUUID()}`;
}
