/**
 * A transaction as its payer sees it. The holder of the session's token can see the public side of that one
 * transaction and act as its payer; the rest of the account stays hidden.
 */
import { keyModeOf } from '../../base/access/account-mode.ts';
import { isSessionToken } from '../../base/access/session-token.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';
import { type Branding, readBranding } from '../../store/account/branding.ts';
import { type LinkState, readLinkState } from '../../store/account/static-links.ts';
import { findBySession } from '../../store/engine/processes.ts';
import { hasPayer } from '../../templates/accepts.ts';
import { requestsPayment } from '../../templates/awaited.ts';
import { acceptedActions, type CallerActionName } from '../../templates/caller-actions.ts';
import type { Step, Template } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { isOfFrozenCustomer } from '../cases/perform-case-action.ts';
import type { Context, Origin, Services } from '../services/context.ts';
import { canVerify } from './verify-identity.ts';

/**
 * Form for the payer: an amount, their identity, its confirmation, acceptance of the quote, payment by PIX, a deposit, or the
 * resolution of a mismatched deposit.
 */
export type Prompt = (typeof PROMPTS)[number];
/** Every `Ask`. */
export const PROMPTS = [
  'amount',
  'quote',
  'identity',
  'confirmation',
  'payment',
  'deposit',
  'resolution',
] as const;

/** A transaction as its payer sees it. */
export interface PaymentSession {
  readonly row: ProcessRow;
  readonly template: Template;
  readonly step: Step;
  /** Null when the payer has nothing to do. */
  readonly ask: Prompt | null;
  /** Actions that the payer can take now. */
  readonly actions: readonly CallerActionName[];
  /** Whether it ended without a payment, so that it can be started again; of a link, only while the link is open. */
  readonly isRenewable: boolean;
  readonly branding: Branding;
  /** Name of its static link; null without one. */
  readonly linkName: string | null;
  /** Whether a person outside of the account pays; else the page is a receipt without forms. */
  readonly isPaidByPayer: boolean;
  /** Whether the payer can be verified at the identity provider now. */
  readonly canVerify: boolean;
  /** On the clock of the processes. */
  readonly nowMs: number;
}

/** @returns the transaction whose page a token opens, or undefined; the page is a receipt if there is no payer. */
export async function findPage(services: Services, token: string): Promise<ProcessRow | undefined> {
  return isSessionToken(token) ? findBySession(services.database, token) : undefined;
}

/**
 * @returns the transaction that a token opens to its payer, or undefined; a transaction without a payer has no public
 *   side.
 */
export async function findSession(services: Services, token: string): Promise<ProcessRow | undefined> {
  const row = await findPage(services, token);
  return row && hasPayer(services.registry.of(row.template)) ? row : undefined;
}

/** @returns the payer's view of a transaction. */
export async function readSession(services: Services, row: ProcessRow): Promise<PaymentSession> {
  const template = services.registry.of(row.template);
  const step = services.registry.stepOf(row.template, row.component, row.state);
  const isPaidByPayer = hasPayer(template);
  const nowMs = await services.clock.nowMs();
  const actions = isPaidByPayer ? await possibleFor(services, template, row, nowMs) : [];
  const link = await linkOf(services, row);
  const cameToNothing = step.isRenewable === true && row.process?.isTurnedDown !== true;
  return {
    row,
    template,
    step,
    ask: isPaidByPayer ? promptOf(template, row, actions) : null,
    actions,
    isRenewable: isPaidByPayer && cameToNothing && link?.isOpen !== false,
    branding: await readBranding(services.database, row.accountId),
    linkName: link?.name ?? null,
    isPaidByPayer,
    canVerify: isPaidByPayer && (await canVerify(services, row)),
    nowMs,
  };
}

/** The deposit of a frozen customer is not converted. */
async function possibleFor(
  { database }: Services,
  template: Template,
  row: ProcessRow,
  nowMs: number,
): Promise<readonly CallerActionName[]> {
  const accepted = acceptedActions(template, row, nowMs, PAYER_ACTIONS);
  if (!accepted.includes('requote_deposit') || !(await isOfFrozenCustomer(database, row))) return accepted;
  return accepted.filter((name) => name !== 'requote_deposit');
}

/** The path of a link ends with its slug. */
async function linkOf({ database }: Services, { fixedLink }: ProcessRow): Promise<LinkState | undefined> {
  const slug = fixedLink?.split('/').at(-1);
  return slug === undefined ? undefined : readLinkState(database, slug);
}

/**
 * @param services - services for the account of the transaction.
 * @returns the caller for the holder of a session's token: of its account, with no scope and one transaction.
 */
export function sessionCaller({ mode }: Services, { accountId, id }: ProcessRow): KeyRecord {
  return {
    accountId,
    id: `session:${accountId}:${id}`,
    mode: keyModeOf(mode),
    scopes: [],
    allowedCidrs: [],
    allowedOrigins: [],
    transactionId: id,
  };
}

/** @returns the context of a payer's actions: the account holder authorised them by handing out the token. */
export function payerContext(
  services: Services,
  row: ProcessRow,
  scope: 'create' | 'move',
  origin: Origin,
): Context {
  return { ...services, caller: { ...sessionCaller(services, row), scopes: [scope] }, origin };
}

/** Question of a payer's page by the action that answers it; of several, the first one. */
const PROMPT_BY_ACTION: readonly (readonly [CallerActionName, Prompt])[] = [
  ['enter_amount', 'amount'],
  ['accept_quote', 'quote'],
  ['confirm_identity', 'confirmation'],
  ['provide_identity', 'identity'],
  ['refund_deposit', 'resolution'],
];
const PAYER_ACTIONS: readonly CallerActionName[] = [
  ...PROMPT_BY_ACTION.map(([action]) => action),
  'requote_deposit',
];

function promptOf(template: Template, row: ProcessRow, actions: readonly CallerActionName[]): Prompt | null {
  const prompt = PROMPT_BY_ACTION.find(([action]) => actions.includes(action));
  if (prompt || row.process === null) return prompt?.[1] ?? null;
  if (requestsPayment(template, row, ['pix_received']) && row.process.brCode) return 'payment';
  return requestsPayment(template, row, ['deposit_seen']) && row.depositAddress ? 'deposit' : null;
}
