/** Prices without margin: one person proposes a price, and it takes effect when another person sets the same (C-25). */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Statement, Tx } from '../connection/database.ts';
import type { TemplateSettings } from './pricing.ts';

/** The settings that form a price. */
export const PRICE_SETTINGS = [
  'spread',
  'feeRate',
  'feeFixed',
] as const satisfies readonly (keyof TemplateSettings)[];

/** A waiting price; fractions and BRL as decimal text. */
export interface PriceProposal extends Pick<TemplateSettings, (typeof PRICE_SETTINGS)[number]> {
  /** Id of the key or person that proposed it. */
  readonly maker: string;
  /** ISO 8601. */
  readonly madeAt: string;
}

const READ: Statement = {
  name: 'price_proposal',
  text: `select proposal from template_setting where account_id = $1 and template = $2`,
};
const SET: Statement = {
  name: 'price_proposal_set',
  text: `update template_setting set proposal = $3 where account_id = $1 and template = $2`,
};

const WAITING: Statement = {
  name: 'price_proposals_waiting',
  text: `select s.account_id as "accountId", s.template, s.proposal->>'madeAt' as "madeAt"
    from template_setting s join account a on a.id = s.account_id
    where a.mode = $1 and (s.proposal->>'madeAt')::timestamptz >= $2 order by s.proposal->>'madeAt', s.account_id, s.template limit $3`,
};

/** @returns the price of a template that waits for another person; null without one. */
export async function readPriceProposal(
  tx: Tx,
  accountId: bigint,
  template: string,
): Promise<PriceProposal | null> {
  const [row] = await tx.query<{ proposal: PriceProposal | null }>(READ, [accountId, template]);
  return row?.proposal ?? null;
}

/** Stores a waiting price in place of the previous one; null removes it. The template has settings. */
export async function setPriceProposal(
  tx: Tx,
  accountId: bigint,
  template: string,
  proposal: PriceProposal | null,
): Promise<void> {
  await tx.query(SET, [accountId, template, proposal && JSON.stringify(proposal)]);
}

/** A template whose price waits for another person. */
export interface WaitingPrice extends Pick<PriceProposal, 'madeAt'> {
  readonly accountId: bigint;
  readonly template: string;
}

/** @param since - older proposals have lapsed. @returns the prices of a mode that wait, oldest first. */
export function readWaitingPrices(
  tx: Tx,
  mode: AccountMode,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<WaitingPrice[]> {
  return tx.query<WaitingPrice>(WAITING, [mode, since, limit]);
}
