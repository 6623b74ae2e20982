/** Answers requests for the pages of sessions: shows them, and performs the actions of their forms. */

import { ERRORS, GatewayError, notFound } from '../base/errors/errors.ts';
import { BRL } from '../base/money/currency.ts';
import { payerFacts } from '../resolvers/payer/payer-facts.ts';
import { type PaymentSession, readSession } from '../resolvers/payer/payment-session.ts';
import { readReceiptOffer } from '../resolvers/payer/receipt-request.ts';
import { verificationLink } from '../resolvers/payer/verify-identity.ts';
import type { Origin, Services } from '../resolvers/services/context.ts';
import { readTemplateSettings } from '../store/engine/pricing.ts';
import type { ProcessRow } from '../templates/facts.ts';
import { showAmount } from '../ui/figures.ts';
import { chooseLanguage, isLanguage, type Language } from '../ui/language.ts';
import { ACTIONS, type Action } from './actions.ts';
import { policyOf } from './layout.ts';
import { EMAIL, type FormState, pathOf, type SessionPage, VERIFY } from './page.ts';
import { emailPage, receiptPage, sessionPage } from './session-page.ts';
import { type Translate, translatorIn, type Word } from './words.ts';

/** A request for a page. */
export interface PageRequest {
  /** The transaction that the token of the session opened. */
  readonly row: ProcessRow;
  readonly token: string;
  readonly query: URLSearchParams;
  readonly acceptLanguage: string | undefined;
  readonly origin: Origin;
}

/** A page, or a redirect. */
export type PageAnswer =
  | {
      readonly status: number;
      readonly body: string;
      readonly policy: string;
      readonly retryAfter?: number;
      /** Name of the file; only for a response to download. */
      readonly fileName?: string;
    }
  | { readonly status: 303; readonly location: string };

const NOTHING_SENT: FormState = { values: {}, wrong: {} };

/** @returns the page of a session. */
export async function showSession(services: Services, request: PageRequest): Promise<PageAnswer> {
  return show(services, request, await readSession(services, request.row), 200);
}

/** The receipt of a session as a file to download; not found while there is none. */
async function saveReceipt(services: Services, request: PageRequest): Promise<PageAnswer> {
  const session = await readSession(services, request.row);
  const page = pageOf(services, request, session, {
    ...{ range: null, form: NOTHING_SENT, notice: null, receiptOffer: null },
  });
  const body = receiptPage(page);
  if (body === undefined) throw notFound();
  const fileName = `${page.translate('receiptFile')}-${request.row.end2end}.html`;
  return { status: 200, body, policy: policyOf(session.branding), fileName };
}

/**
 * Performs the action of a form.
 *
 * @returns the next address, or the page with the errors.
 * @throws {GatewayError} `NOT_FOUND` for an unknown action.
 */
export async function performSessionAction(
  services: Services,
  request: PageRequest,
  action: string,
  form: URLSearchParams,
): Promise<PageAnswer> {
  const perform: Action | undefined = Object.hasOwn(ACTIONS, action)
    ? ACTIONS[action as keyof typeof ACTIONS]
    : undefined;
  if (!perform) throw notFound();
  const session = await readSession(services, request.row);
  if (!session.isPaidByPayer) throw notFound();
  const { language } = languageIn(request);
  try {
    const token = await perform(services, { session, form, language, origin: request.origin });
    return redirect(token === undefined ? request : { ...request, token });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code === 'NOT_FOUND') throw error;
    // Another tab, or the end of the session, came first. The page shows the current state.
    if (error.code === 'STEP_CONFLICT' && action !== 'sandbox') return redirect(request);
    return show(services, request, session, ERRORS[error.code].status, {
      error,
      form,
      isEmail: action === EMAIL,
    });
  }
}

/**
 * Answers a GET of an action's address: its receipt is a file; a form redirects to the page, because a browser keeps
 * the address of a rejected form.
 *
 * @throws {GatewayError} `NOT_FOUND`.
 */
export async function answerGet(
  services: Services,
  request: PageRequest,
  action: string,
): Promise<PageAnswer> {
  if (action === 'receipt') return saveReceipt(services, request);
  if (action === VERIFY) return verify(services, request);
  if (action === EMAIL) return showEmailForm(services, request);
  if (!Object.hasOwn(ACTIONS, action)) throw notFound();
  return redirect(request);
}

/** The form for a receipt by e-mail has a page of its own, because the page of the session reloads and leads away. */
async function showEmailForm(services: Services, request: PageRequest): Promise<PageAnswer> {
  const session = await readSession(services, request.row);
  const offer = await readReceiptOffer(services, session);
  return offer?.isOpen ? show(services, request, session, 200, { isEmail: true }) : redirect(request);
}

/** Redirects to the identity check, or back to the page if there is none now. */
async function verify(services: Services, request: PageRequest): Promise<PageAnswer> {
  try {
    const location = await verificationLink(services, request.row);
    return location === null ? redirect(request) : { status: 303, location };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const session = await readSession(services, request.row);
    return show(services, request, session, ERRORS[error.code].status, { error });
  }
}

/** @returns the address of a session's page, in the requested language. */
export function redirect(request: Omit<PageRequest, 'row' | 'origin'>): PageAnswer {
  return { status: 303, location: pathOf({ token: request.token, ...languageIn(request) }) };
}

/** Outcome of the form that was sent, and whether it is the form for a receipt. */
interface Shown {
  readonly error?: GatewayError;
  readonly form?: URLSearchParams;
  readonly isEmail?: boolean;
}

async function show(
  services: Services,
  request: PageRequest,
  session: PaymentSession,
  status: number,
  { error, form, isEmail = false }: Shown = {},
): Promise<PageAnswer> {
  const { language } = languageIn(request);
  const translate = translatorIn(language);
  const range = session.ask === 'amount' ? await rangeOf(services, session, language) : null;
  const body = (isEmail ? emailPage : sessionPage)(
    pageOf(services, request, session, {
      range,
      form:
        error && form
          ? { values: Object.fromEntries(form), wrong: wrongOf(error, translate, range) }
          : NOTHING_SENT,
      notice: error ? translate(noticeOf(error)) : null,
      receiptOffer: await readReceiptOffer(services, session),
    }),
  );
  const retryAfter = error?.retryAfter;
  return {
    status,
    body,
    policy: policyOf(session.branding),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

function pageOf(
  services: Services,
  request: PageRequest,
  session: PaymentSession,
  parts: Pick<SessionPage, 'range' | 'form' | 'notice' | 'receiptOffer'>,
): SessionPage {
  const { language, isLanguageChosen } = languageIn(request);
  const isPlayed = session.isPaidByPayer;
  const possible = services.sandbox?.possible(session.row) ?? null;
  return {
    token: request.token,
    language,
    isLanguageChosen,
    translate: translatorIn(language),
    session,
    facts: payerFacts(services, session.row),
    scenarios: possible && !isPlayed ? { now: [], later: [] } : possible,
    ...parts,
  };
}

/** The minimum and maximum of the amount. */
async function rangeOf(
  services: Services,
  { row }: PaymentSession,
  language: Language,
): Promise<{ min: string; max: string }> {
  const { amountMin, amountMax } = await readTemplateSettings(services.database, row.accountId, row.template);
  return { min: showAmount(amountMin, BRL, language), max: showAmount(amountMax, BRL, language) };
}

function languageIn({ query, acceptLanguage }: Pick<PageRequest, 'query' | 'acceptLanguage'>): {
  language: Language;
  isLanguageChosen: boolean;
} {
  const chosen = query.get('lang');
  const isLanguageChosen = chosen !== null && isLanguage(chosen);
  return { language: chooseLanguage(chosen, acceptLanguage), isLanguageChosen };
}

/** Error texts of fields. */
const FIELD_WORDS: ReadonlyMap<string, Word> = new Map([
  ['amount', 'amountWrong'],
  ['name', 'nameWrong'],
  ['taxId', 'taxIdWrong'],
  ['pixKey', 'keyWrong'],
  ['pixKeyType', 'keyTypeWrong'],
  ['mine', 'refundUnsure'],
  ['email', 'emailWrong'],
]);

function wrongOf(
  { violations }: GatewayError,
  translate: Translate,
  range: Readonly<Record<string, string>> | null,
): Record<string, string> {
  return Object.fromEntries(
    violations.flatMap(({ parameter }) => {
      const word = FIELD_WORDS.get(parameter);
      return word ? [[parameter, translate(word, range ?? {})]] : [];
    }),
  );
}

/** Error texts of requests. */
const NOTICE_WORDS: { readonly [Code in GatewayError['code']]?: Word } = {
  INVALID_PARAMETER: 'formWrong',
  NOT_FOUND: 'missing',
  LIMIT_EXCEEDED: 'overLimit',
  QUOTE_UNAVAILABLE: 'noPrice',
  RATE_LIMITED: 'tooMany',
  STEP_CONFLICT: 'movedOn',
  UNAVAILABLE: 'away',
  IDEMPOTENCY_RUNNING: 'away',
};

/** @returns the text for an error. */
export function noticeOf({ code }: GatewayError): Word {
  return NOTICE_WORDS[code] ?? 'failed';
}
