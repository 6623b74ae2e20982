/** Answers requests for the console: shows screens, and performs the actions of their forms. */

import { ERRORS, GatewayError, notFound } from '../base/errors/errors.ts';
import { CONSOLE_PATH, consolePathOf } from '../base/pages/console-url.ts';
import { html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import type { Language } from '../ui/language.ts';
import { copyValue } from '../ui/parts.ts';
import { actionOperation, isSentUnchanged, pathAfter, pathUnchanged, variablesOf } from './action.ts';
import {
  may,
  type PendingForm,
  type Preview,
  type Refused,
  type ScreenContext,
  type Sent,
} from './context.ts';
import { dataOf, type Execute, resultOf } from './execute.ts';
import { failureText, failureTitle } from './failure.ts';
import { framed } from './frame.ts';
import type { CreateQuoteMutation, FrameFragment, MedFileQuery } from './generated/graphql.ts';
import { type Operation, operationNamed } from './operations.ts';
import { refusalOf } from './refusal.ts';
import { SCREENS } from './screens/index.ts';
import { orderForm, orderOf } from './screens/new.ts';
import type { ConsoleSession } from './session.ts';
import { codeOf, isCode } from './show-code.ts';
import { translatorIn, type Word } from './words.ts';

/** A request of a signed-in person. */
export interface ConsoleRequest {
  /** Whole path, such as `/console/transactions`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly language: Language;
  readonly session: ConsoleSession;
  readonly execute: Execute;
  readonly publicUrl: string;
}

/** A page, or a redirect; or the demand for a passkey before the form at `back` is accepted. */
export type ConsoleAnswer =
  | { readonly status: number; readonly body: string }
  | { readonly status: 303; readonly location: string }
  | { readonly status: 403; readonly back: string };

/** Path of actions, below the console's path. */
const ACTIONS_PATH = '/acts/';

/** Path of files, below the console's path. */
const FILES = '/files/';

/** A file to be saved. */
export interface ConsoleFile {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

/** @returns the id of a file that a path names; undefined for another path. */
export function fileIdOf(path: string): string | undefined {
  const start = CONSOLE_PATH + FILES;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/** @returns a file of a MED case. @throws {GatewayError} `NOT_FOUND` for one that the session does not see. */
export async function readFile({ execute }: ConsoleRequest, id: string): Promise<ConsoleFile> {
  const { medFile } = await dataOf<MedFileQuery>(execute, operationNamed('MedFile'), { id });
  if (!medFile) throw notFound();
  const { name, type, content } = medFile;
  return { name, type, content: Buffer.from(content, 'base64') };
}

/** Acts whose form may have a file. */
const WITH_FILE = ['AttachMedFile', 'UpdateBranding'];

/** @returns whether the form of a path may have a file. */
export function acceptsFile(path: string): boolean {
  return WITH_FILE.some((name) => path === `${CONSOLE_PATH}${ACTIONS_PATH}${name}`);
}

/** @returns whether a path of the console accepts forms. */
export function isAction(path: string): boolean {
  return path.startsWith(CONSOLE_PATH + ACTIONS_PATH);
}

/** @returns the screen of a path. @throws {GatewayError} `NOT_FOUND`, and the errors of the document. */
export async function showScreen(
  request: ConsoleRequest,
  form: Sent = { refused: null },
): Promise<ConsoleAnswer> {
  const { screen, context } = contextOf(request, form);
  const { refused } = context;
  if (screen.scope && !may(context, screen.scope))
    throw new GatewayError(
      'FORBIDDEN',
      `this requires a role with the scope "${[screen.scope].flat().join('" or "')}"`,
    );
  const variables = screen.variables(context);
  const data = await dataOf<FrameFragment>(request.execute, screen.operation, variables);
  const code = context.query.get('code');
  const body = framed({
    context,
    view: screen.view(data, context),
    viewer: data.viewer,
    code: isCode(code)
      ? { name: code, text: codeOf(code, screen.operation, variables, request.publicUrl) }
      : null,
  });
  return { status: refused ? refused.status : 200, body };
}

/**
 * Performs the action of a form.
 *
 * @returns the next address; the form's screen with its errors, or with the requested price; or a secret that is shown once.
 * @throws {GatewayError} `NOT_FOUND` for an unknown action.
 */
export async function performAction(request: ConsoleRequest, form: URLSearchParams): Promise<ConsoleAnswer> {
  const operation = operationOf(request);
  const back = consolePathOf(form.get('back'));
  if (isSentUnchanged(form)) return { status: 303, location: pathUnchanged(back) };
  try {
    const variables = variablesOf(operation, orderForm(operation.name, form), request.language);
    const pending = await pendingBy(request, operation, { values: form, variables });
    if (pending) return await showScreen(screenAt(request, back), { refused: null, pending });
    const data = await dataOf(request.execute, operation, variables);
    const preview = variables.dryRun === true ? previewOf(operation, data, form) : null;
    if (preview) return showScreen(screenAt(request, back), { refused: null, preview });
    const secret = secretOf(operation, data, form);
    if (secret) return showSecret(request, secret, back);
    return { status: 303, location: pathAfter(operation, data, back) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { message: detail, code } = error;
    if (code === 'STEP_UP_REQUIRED') return { status: 403, back };
    const { status } = ERRORS[code];
    const refusal = refusalOf(error, request.language);
    const refused: Refused = { action: operation.name, values: form, ...refusal, detail, status };
    return showScreen(screenAt(request, back), { refused });
  }
}

/**
 * A form that only requests its price, or a confirmation at a reserved price. Undefined when the form is to be
 * performed.
 */
async function pendingBy(
  { execute }: ConsoleRequest,
  { name }: Operation,
  refusal: PendingForm,
): Promise<PendingForm | undefined> {
  const step = refusal.values.get('ask');
  if (step === 'price') return refusal;
  if (step !== 'confirm') return undefined;
  const order = orderOf(name, refusal);
  const reserve = () => dataOf<CreateQuoteMutation>(execute, operationNamed('CreateQuote'), order ?? {});
  return { ...refusal, confirms: { price: order ? (await reserve()).createQuote.quote : null } };
}

/** @returns the page of a failed request, in the frame of the console: signed-in people keep the menu. */
export async function showFailure(
  request: ConsoleRequest,
  error: GatewayError,
  requestId: string,
): Promise<ConsoleAnswer> {
  const { session, language, execute } = request;
  const translate = translatorIn(language);
  const context: ScreenContext = {
    ...{ session, language, translate, named: {}, refused: null },
    path: request.path.slice(CONSOLE_PATH.length),
    query: new URLSearchParams(),
  };
  const { viewer } = await dataOf<FrameFragment>(execute, operationNamed('FrameOnly'), {});
  const main = html`<section class="card in stack form">${failureText(error, { language, requestId })}</section>`;
  const view = { title: failureTitle(error, language), main };
  return { status: ERRORS[error.code].status, body: framed({ context, view, viewer, code: null }) };
}

/** The request for the screen of a form. */
function screenAt(request: ConsoleRequest, back: string): ConsoleRequest {
  const url = new URL(back, request.publicUrl);
  return { ...request, path: url.pathname, query: url.searchParams };
}

function previewOf(operation: Operation, data: unknown, values: URLSearchParams): Preview {
  const { matched } = resultOf(operation, data) as { readonly matched: number };
  return { action: operation.name, values, matched };
}

function operationOf({ path }: ConsoleRequest): Operation {
  return actionOperation(path.slice((CONSOLE_PATH + ACTIONS_PATH).length));
}

/** The screen of a path; where several have one path, the first that the session may see. */
function contextOf({ path, query, language, session }: ConsoleRequest, form: Sent) {
  const below = path.slice(CONSOLE_PATH.length).replace(/\/$/, '');
  const all = SCREENS.flatMap((screen) => {
    const named = namesIn(below, screen.path);
    return named ? [{ screen, named }] : [];
  });
  const found = all.find(({ screen: { scope } }) => !scope || may({ session }, scope)) ?? all[0];
  if (!found) throw notFound();
  const { screen, named } = found;
  const context: ScreenContext = {
    session,
    language,
    translate: translatorIn(language),
    path: below,
    query,
    named,
    ...form,
  };
  return { screen, context };
}

/** The names in a path; undefined where it has another form. */
function namesIn(path: string, form: string): Record<string, string> | undefined {
  const [wanted, actual] = [form.split('/'), path.split('/')];
  if (wanted.length !== actual.length) return undefined;
  const named: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = actual[at] as string;
    if (part.startsWith(':')) named[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return named;
}

interface Secret {
  readonly text: string;
  readonly title: Word;
  readonly why: Word;
  /** The person who gets it. */
  readonly name?: string;
}

/** Part of a response that cannot be read again: a new key, or the link of an invitation. */
function secretOf(operation: Operation, data: unknown, form: URLSearchParams): Secret | undefined {
  const made = resultOf(operation, data) as { readonly apiKey?: string; readonly url?: string } | null;
  if (made?.apiKey) return { text: made.apiKey, title: 'secretTitle', why: 'secretWhy' };
  const isInvitation = operation.field === 'inviteMember' && made?.url !== undefined;
  if (!isInvitation) return undefined;
  const name = form.get('name')?.trim() ?? '';
  return { text: made.url as string, title: 'inviteTitle', why: 'inviteWhy', name };
}

/** A secret that is shown once is in the response to the form, and in no address; reloading its page leads back. */
async function showSecret(
  request: ConsoleRequest,
  { text, title, why, name = '' }: Secret,
  back: string,
): Promise<ConsoleAnswer> {
  const { session, language, execute } = request;
  const { path: whole, query } = screenAt(request, back);
  const path = whole.slice(CONSOLE_PATH.length);
  const translate = translatorIn(language);
  const context: ScreenContext = { session, language, translate, path, query, named: {}, refused: null };
  const { viewer } = await dataOf<FrameFragment>(execute, operationNamed('FrameOnly'), {});
  const button = html`<button type="button" data-copy="secret" hidden>${icon('copy')} ${translate('copy')}</button>`;
  const main = html`<h1>${translate(title, { name })}</h1><p>${translate(why)}</p>${copyValue({ id: 'secret', shown: text, button })}<p><a class="btn" href="${back}">${translate('back')}</a></p>`;
  return {
    status: 200,
    body: framed({ context, view: { title: translate(title), main }, viewer, code: null }),
  };
}
