/** The checkout sessions that visits of a static link open (C-20). */
import { keyModeOf } from '../../base/access/account-mode.ts';
import { isSlug } from '../../base/access/session-token.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import type { KeyRecord } from '../../store/account/api-keys.ts';
import { findStaticLink, type StaticLinkRow } from '../../store/account/static-links.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { QuoteFacts } from '../../templates/triggers.ts';
import { createTransaction, emptyProcess, endOf } from '../orders/create-transaction.ts';
import { price } from '../pricing/price.ts';
import type { NewProcess } from '../services/advance.ts';
import type { Origin, Services } from '../services/context.ts';
import { linkPath, linkTemplate } from './manage-links.ts';

/**
 * @param slug - in the visitor's form; malformed ones are not looked up.
 * @returns the link; undefined when it does not exist or is disabled.
 */
export async function findOpenLink({ database }: Services, slug: string): Promise<StaticLinkRow | undefined> {
  return isSlug(slug) ? findStaticLink(database, slug) : undefined;
}

/**
 * Opens a new checkout session for a visitor of a link: priced if the amount is fixed, else collecting it.
 *
 * @param services - services for the account of the link.
 * @throws {GatewayError} `QUOTE_UNAVAILABLE`, `LIMIT_EXCEEDED`, `RAILS_MISSING`: nothing is stored.
 */
export async function openStaticLink(
  services: Services,
  link: StaticLinkRow,
  origin: Origin,
): Promise<ProcessRow> {
  const caller = visitorOf(services, link);
  const actor = { kind: 'PAYER', id: caller.id } as const;
  return createTransaction(
    { ...services, caller, origin: { ...origin, actor } },
    await sessionOf(services, link),
  );
}

/** The visitor of a link has no session yet: the link is the caller. */
function visitorOf({ mode }: Services, { accountId, slug }: StaticLinkRow): KeyRecord {
  return {
    accountId,
    id: `link:${slug}`,
    mode: keyModeOf(mode),
    scopes: ['create'],
    allowedCidrs: [],
    allowedOrigins: [],
  };
}

async function sessionOf(services: Services, link: StaticLinkRow): Promise<NewProcess> {
  const { accountId, slug, amount, externalCode, returnUrl, webhook } = link;
  const currency = currencyOfLedger(link.currency);
  const template = linkTemplate(services.registry, currency.code, 'currency');
  const priced =
    amount === null
      ? undefined
      : await price(services, { accountId, template, direction: 'in', currency, wanted: { brl: amount } });
  const nowMs = await services.clock.nowMs();
  const blank = emptyProcess(accountId, template.name, nowMs, null, services.database.cell);
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
    process: { ...blank.process, ...(priced && { pricedAt: priced.pricedAt }), isAccepted: true },
  };
}
