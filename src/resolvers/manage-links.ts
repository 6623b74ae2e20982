/** Static links (C-20): making and ending them, the sessions that visits open, and the amount that a customer enters. */
import { randomBytes } from 'node:crypto';
import { assert } from '../base/assert.ts';
import { BRL, currencyOfLedger } from '../base/currency.ts';
import { GatewayError, notFound } from '../base/errors.ts';
import { arm } from '../store/sandbox.ts';
import { readTemplateSettings } from '../store/settings.ts';
import {
  addStaticLink,
  disableStaticLink as endLink,
  findStaticLink,
  type StaticLinkRow,
} from '../store/static-links.ts';
import { known } from '../templates/amounts.ts';
import type { Template } from '../templates/define.ts';
import type { ProcessRow } from '../templates/facts.ts';
import { stepNameOf } from '../templates/step-name.ts';
import type { QuoteFacts, Trigger } from '../templates/triggers.ts';
import { conflict } from './act-on-transaction.ts';
import type { NewProcess } from './advance-transaction.ts';
import { CreationChecks } from './check-creation.ts';
import type { Named } from './check-filter.ts';
import { type Context, requireScope, type Services } from './context.ts';
import { exceedsDailyLimit } from './customer-limits.ts';
import { emptyProcess, endOf } from './make-transaction.ts';
import { PAY_PATH } from './pay-links.ts';
import { price, refuseOutOfBounds } from './price.ts';
import { findOwnProcess } from './read-transaction.ts';
import { registerWebhook } from './register-webhook.ts';

/** What a caller gives; each under the caller's own name for it. */
export interface StaticLinkInput {
  readonly name?: Named | undefined;
  readonly currency?: Named | undefined;
  /** BRL; the customer enters it when it is not given. */
  readonly amount?: Named | undefined;
  readonly externalCode?: Named | undefined;
  readonly returnUrl?: Named | undefined;
  readonly webhook?: Named | undefined;
  /** Life of its sessions. */
  readonly expiresIn?: Named | undefined;
}

const SLUG_BYTES = 12;
const SLUG = /^[\w-]{16}$/;

/** @returns the path of a link. */
export function linkPath(slug: string): string {
  return `${PAY_PATH}/l/${slug}`;
}

/**
 * Makes a link, of a fixed or an open amount.
 *
 * @returns its slug: 16 random characters of base64url.
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`, `CURRENCY_AMBIGUOUS`, `LIMIT_EXCEEDED` for a fixed amount that
 *   no transaction may have.
 */
export async function createStaticLink(
  context: Context,
  input: StaticLinkInput,
  checks: CreationChecks,
): Promise<string> {
  requireScope(context, 'create');
  const { database, caller, clock } = context;
  const name = checks.reference(input.name);
  const currency = checks.oneCurrency(input.currency, { crypto: true });
  const amount = checks.amount(input.amount, BRL) ?? null;
  const expiresIn = checks.expiresIn(input.expiresIn);
  const session = {
    externalCode: checks.reference(input.externalCode) ?? null,
    returnUrl: checks.url(input.returnUrl) ?? null,
    webhook: checks.url(input.webhook) ?? null,
  };
  checks.refuse();
  assert(name && currency && expiresIn !== undefined, 'what is required and was not refused is there');
  if (amount !== null) {
    const settings = await readTemplateSettings(database, caller.accountId, checkoutOf(context).name);
    refuseOutOfBounds(amount, settings);
  }
  const slug = randomBytes(SLUG_BYTES).toString('base64url');
  const link = { ...session, accountId: caller.accountId, slug, name, currency: currency.code, amount };
  await addStaticLink(database, { ...link, expiresIn }, new Date(await clock.nowMs()));
  return slug;
}

/** Ends a link: it opens no more sessions. Again is the same. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`. */
export async function disableStaticLink(context: Context, slug: string): Promise<void> {
  requireScope(context, 'create');
  const { database, caller, clock } = context;
  const at = new Date(await clock.nowMs());
  if (!SLUG.test(slug) || !(await endLink(database, caller.accountId, slug, at))) throw notFound();
}

/**
 * Opens a new checkout session for a visitor of a link: priced where the amount is fixed, else collecting it.
 *
 * @param slug - as the visitor gave it.
 * @throws {GatewayError} `NOT_FOUND` also for a disabled link; `QUOTE_UNAVAILABLE`, `LIMIT_EXCEEDED`: nothing is stored.
 */
export async function openStaticLink(services: Services, slug: string): Promise<ProcessRow> {
  const link = SLUG.test(slug) ? await findStaticLink(services.database, slug) : undefined;
  if (!link) throw notFound();
  const { row } = await services.advance({
    target: { create: await sessionOf(services, link) },
    trigger: { on: 'created' },
    alongside: async (tx, made) => {
      await registerWebhook(tx, made);
      const plans = services.sandbox?.plansIn(made.externalCode) ?? [];
      for (const scenario of plans) await arm(tx, made.accountId, made.id, scenario);
    },
  });
  return row;
}

/**
 * Prices a session that collects its amount; without a price, or over a limit, the session ends.
 *
 * @param amountPayment - BRL.
 * @throws {GatewayError} `INVALID_PARAMETER`; `STEP_CONFLICT` when it does not collect an amount.
 */
export async function enterAmount(
  services: Services,
  row: ProcessRow,
  amountPayment: Named,
): Promise<ProcessRow> {
  const checks = new CreationChecks({ allowsLoopback: false });
  const amount = checks.amount(amountPayment, BRL);
  checks.refuse();
  const template = services.registry.of(row.template);
  if (!awaitsAmount(template, row)) throw conflict(row);
  const trigger = await priceTrigger(services, template, row, known(amount, 'an amount'));
  const target = { accountId: row.accountId, transactionId: row.id };
  const result = await services.advance({ target, trigger });
  if (result.code !== 'MOVED') throw conflict(result.row);
  return result.row;
}

/** As `enterAmount`, on one of the caller's transactions. @throws {GatewayError} also `FORBIDDEN`, `NOT_FOUND`. */
export async function enterAmountOf(
  context: Context,
  end2end: string,
  amountPayment: Named,
): Promise<ProcessRow> {
  requireScope(context, 'create');
  return enterAmount(context, await findOwnProcess(context, end2end), amountPayment);
}

function checkoutOf({ registry }: Services): Template {
  const [template] = registry.ofFamily('checkouts');
  assert(template, 'the checkouts have a template');
  return template;
}

async function sessionOf(services: Services, link: StaticLinkRow): Promise<NewProcess> {
  const template = checkoutOf(services);
  const { accountId, slug, amount, externalCode, returnUrl, webhook } = link;
  const currency = currencyOfLedger(link.currency);
  const priced =
    amount === null
      ? undefined
      : await price(services, { accountId, template, direction: 'in', currency, wanted: { brl: amount } });
  const nowMs = await services.clock.nowMs();
  const blank = emptyProcess(accountId, template.name, nowMs, null);
  const facts: Partial<QuoteFacts> = priced?.facts ?? {};
  return {
    ...blank,
    ...facts,
    externalCode,
    returnUrl,
    webhook,
    sourceCurrency: BRL.code,
    targetCurrency: currency.code,
    fixedLink: linkPath(slug),
    expiresAt: endOf(nowMs, link.expiresIn),
    process: { ...blank.process, isAccepted: true },
  };
}

function awaitsAmount({ machine }: Template, row: ProcessRow): boolean {
  const at = stepNameOf(row);
  return (
    row.process !== null &&
    machine.transitions.some(({ on, from }) => on === 'amount_given' && from.includes(at))
  );
}

async function priceTrigger(
  services: Services,
  template: Template,
  row: ProcessRow,
  amount: string,
): Promise<Trigger> {
  const { accountId, clientTaxId } = row;
  const currency = currencyOfLedger(known(row.targetCurrency, 'a currency'));
  try {
    const request = { accountId, template, direction: 'in', currency, wanted: { brl: amount } } as const;
    const { facts } = await price(services, request);
    const volume = clientTaxId && { accountId, template: template.name, clientTaxId, amount };
    if (volume && (await exceedsDailyLimit(services, volume))) return { on: 'quote_failed' };
    return { on: 'amount_given', price: facts };
  } catch (error) {
    const isPriceless =
      error instanceof GatewayError &&
      (error.code === 'QUOTE_UNAVAILABLE' || error.code === 'LIMIT_EXCEEDED');
    if (!isPriceless) throw error;
    return { on: 'quote_failed' };
  }
}
