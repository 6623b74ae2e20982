/** Static links (C-20): creates and disables them. Visits are in open-static-link.ts. */
import { isSlug, newSlug } from '../../base/access/session-token.ts';
import { assert } from '../../base/errors/assert.ts';
import { notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL } from '../../base/money/currency.ts';
import { PAY_PATH } from '../../base/pages/pay-links.ts';
import {
  addStaticLink,
  countStaticLinks,
  disableStaticLink as endLink,
  findStaticLink,
} from '../../store/account/static-links.ts';
import type { Tx } from '../../store/connection/database.ts';
import { readTemplateSettings } from '../../store/engine/pricing.ts';
import type { Template } from '../../templates/define.ts';
import type { Registry } from '../../templates/registry.ts';
import { audited, auditedChange } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { SESSION_MEMBERS, type SessionInput } from '../checks/creation-members.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { refuseMore } from '../checks/refuse-more.ts';
import { chooseTemplate } from '../orders/create-transaction.ts';
import { refuseOutOfBounds } from '../pricing/price.ts';
import { type Context, requireFresh, requirePermission } from '../services/context.ts';

/** Input of a caller; each value carries the caller's own name for it. */
export interface StaticLinkInput extends SessionInput {
  readonly name?: Named | undefined;
  readonly currency?: Named | undefined;
  /** BRL; the customer enters it if omitted. */
  readonly amount?: Named | undefined;
}

/** Maximum number of links of an account, without disabled ones. */
export const STATIC_LINKS_MAX = 1_000;

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
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<string> {
  requirePermission(context, 'link.create');
  // These members send payers, or data about them, to other sites.
  if (input.returnUrl || input.webhook) requireFresh(context);
  const { database, caller, registry } = context;
  const name = checks.reference(input.name);
  const currency = checks.oneCurrency(input.currency, { crypto: true });
  const amount = checks.amount(input.amount, BRL) ?? null;
  const expiresIn = checks.expiresIn(input.expiresIn);
  const session = checks.stored(SESSION_MEMBERS, input);
  checks.refuse();
  assert(name && currency && expiresIn !== undefined, 'a required input is present after its check');
  if (amount !== null) {
    const settings = await readTemplateSettings(
      database,
      caller.accountId,
      linkTemplate(registry, currency.code, input.currency?.name ?? 'currency').name,
    );
    refuseOutOfBounds(amount, settings);
  }
  const slug = newSlug(database.cell);
  const link = { ...session, accountId: caller.accountId, slug, name, currency: currency.code, amount };
  return audited(context, async (tx, writeDown, nowMs) => {
    const count = await countStaticLinks(tx, caller.accountId);
    refuseMore(input.name?.name ?? 'name', count, STATIC_LINKS_MAX, 'links that are not disabled');
    await addStaticLink(tx, { ...link, expiresIn }, new Date(nowMs));
    const after = { name, currency: currency.code, amount, expiresIn };
    writeDown('link.create', { kind: 'link', id: slug }, { after });
    await bind(tx, slug);
    return slug;
  });
}

/** @returns the template of the sessions that a link opens. @throws {GatewayError} `INVALID_PARAMETER`, naming the currency. */
export function linkTemplate(registry: Registry, currency: string, currencyName: string): Template {
  const use = { family: 'checkouts', crypto: 'balance', currency } as const;
  return chooseTemplate(registry, use, undefined, currencyName);
}

/**
 * Ends a link: it opens no more sessions. Repeating is harmless.
 *
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`.
 */
export async function disableStaticLink(context: Context, slug: string): Promise<void> {
  requirePermission(context, 'link.disable');
  const { accountId } = context.caller;
  if (!isSlug(slug)) throw notFound();
  const factsOf = async (tx: Tx) => ({ isOpen: (await findStaticLink(tx, slug))?.accountId === accountId });
  const isThere = await auditedChange(
    context,
    'link.disable',
    { kind: 'link', id: slug },
    factsOf,
    (tx, nowMs) => endLink(tx, accountId, slug, new Date(nowMs)),
  );
  if (!isThere) throw notFound();
}
