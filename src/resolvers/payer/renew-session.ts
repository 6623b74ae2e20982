/** Replaces a session that ended without a payment: the same order, at the present price (C-21). */
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { millisOf } from '../../base/time/instant.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import { checksOf } from '../checks/check-creation.ts';
import { type Attempt, once } from '../checks/once.ts';
import { conflict } from '../engine/advance-for-caller.ts';
import { createOfframp } from '../orders/create-offramp.ts';
import { createOnramp } from '../orders/create-onramp.ts';
import type { Context, Origin, Services } from '../services/context.ts';
import { type PaymentSession, payerContext } from './payment-session.ts';

/** Interval and number of polls for a session that another request is creating. */
const POLL_MS = 100;
const POLLS_MAX = 50;

/**
 * Creates the next session; a repeated request on the same day returns the one that was created.
 *
 * @returns its token.
 * @throws {GatewayError} `STEP_CONFLICT`, `LIMIT_EXCEEDED`, `QUOTE_UNAVAILABLE`, `UNAVAILABLE`.
 */
export async function renewSession(
  services: Services,
  session: PaymentSession,
  origin: Origin,
): Promise<string> {
  const { row, isRenewable, nowMs } = session;
  const context = payerContext(services, row, 'create', origin);
  if (!isRenewable) throw await conflict(context, row);
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const request = {
    key: `${row.end2end}.${day}`,
    parameter: 'session',
    route: 'renew',
    body: row.end2end,
  };
  const make = () =>
    once(context, request, async (attempt) => {
      const made = await makeAgain(context, attempt, session);
      assert(made.process?.session, 'a created transaction has a session');
      return { status: 201, answer: made.process.session };
    });
  for (let polls = 1; ; polls += 1) {
    try {
      return (await make()).answer;
    } catch (error) {
      // A double click on the button: the second click gets the session that the first one is creating.
      const isRunning = error instanceof GatewayError && error.code === 'IDEMPOTENCY_RUNNING';
      if (!isRunning || polls === POLLS_MAX) throw error;
      await sleep(POLL_MS);
    }
  }
}

function makeAgain(
  context: Context,
  attempt: Attempt,
  { row, template }: PaymentSession,
): Promise<ProcessRow> {
  const checks = checksOf(context);
  const { flow, promptsOnPage } = FAMILY_TRAITS[template.family];
  const isIn = flow === 'in';
  const [brl, crypto] = isIn ? [row.sourceAmount, row.targetAmount] : [row.targetAmount, row.sourceAmount];
  const fixesCrypto = row.process?.fixes === 'crypto';
  const { clientName, clientTaxId } = row.process?.correction ?? row;
  const session = {
    ...named('currency', isIn ? row.targetCurrency : row.sourceCurrency),
    ...named('clientName', clientName),
    ...named('clientTaxId', clientTaxId),
    ...named('externalCode', row.externalCode),
    ...named('returnUrl', row.returnUrl),
    ...named('webhook', row.webhook),
    ...named('expiresIn', secondsOf(row)),
    ...named('template', template.name),
  };
  const renews = { end2end: row.end2end, targetAmount: row.targetAmount };
  if (isIn) {
    const amount = fixesCrypto ? named('amountReceived', crypto) : named('amountPayment', brl);
    const input = { ...session, ...amount, ...named('wallet', row.wallet) };
    return createOnramp(context, attempt, input, checks, {
      family: template.family,
      names: NAMES,
      isAccepted: true,
      needsCustomer: !promptsOnPage,
      needsAmount: !promptsOnPage,
      renews,
      ...(row.fixedLink !== null && { fixedLink: row.fixedLink }),
    });
  }
  const amount = fixesCrypto ? named('amountPaid', crypto) : named('amountSent', brl);
  const payee = { ...named('pixKey', row.pixKey), ...named('pixKeyType', row.pixKeyType) };
  const input = { ...session, ...amount, ...payee, ...named('from', 'external') };
  return createOfframp(context, attempt, input, checks, {
    names: NAMES,
    isAccepted: true,
    needsPayee: false,
    renews,
  });
}

/** These values were accepted from a caller once, and are accepted again. */
const NAMES = {
  amountPayment: 'amountPayment',
  amountReceived: 'amountReceived',
  amountPaid: 'amountPaid',
  amountSent: 'amountSent',
  currency: 'currency',
  clientName: 'clientName',
  clientTaxId: 'clientTaxId',
  pixKey: 'pixKey',
  pixKeyType: 'pixKeyType',
} as const;

function named(name: string, value: string | null): { readonly [name: string]: Named } {
  return value === null ? {} : { [name]: { name, value } };
}

/** The life that the session had. */
function secondsOf({ createdAt, expiresAt }: ProcessRow): string | null {
  if (expiresAt === null) return null;
  return String(Math.round((millisOf(expiresAt) - millisOf(createdAt)) / 1_000));
}
