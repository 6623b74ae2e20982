/** Prices without margin: one person proposes a price, and it takes effect when another person sets the same (C-25). */
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
