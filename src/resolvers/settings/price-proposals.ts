/**
 * Prices below cost need two people: the first proposes a price below the minimum margin, and another sets the same (C-25).
 */
import { isMore, sum } from '../../base/money/money.ts';
import type { Tx } from '../../store/connection/database.ts';
import { PRICE_SETTINGS, type PriceProposal } from '../../store/engine/price-proposals.ts';
import type { TemplateSettings } from '../../store/engine/pricing.ts';
import { APPROVAL_MS } from '../../templates/money-out.ts';
import type { Context } from '../services/context.ts';
import { isSecondDecision } from './second-person.ts';

/** Minimum sum of spread and fee rate that one person may set. A fixed fee is no margin of a large amount. */
export const MARGIN_MIN = '0.001';

/** A change of a template's settings, and the proposal before it. */
export interface PriceChange {
  readonly before: TemplateSettings;
  readonly after: TemplateSettings;
  readonly proposal: PriceProposal | null;
  readonly nowMs: number;
}

/** Settings and proposal after a change. */
export interface AgreedPrice {
  readonly settings: TemplateSettings;
  readonly proposal: PriceProposal | null;
  /** Proposer of the price, if it was approved now; null otherwise. */
  readonly maker: string | null;
}

/**
 * @param context - of the platform, whose account is locked.
 * @returns the changed settings, with the earlier price if another person has to set the new one as well.
 * @throws {GatewayError} `FORBIDDEN` for a price proposed by the caller, or by a maker who counts as one with them.
 */
export async function agreePrice(
  context: Context,
  tx: Tx,
  { before, after, proposal, nowMs }: PriceChange,
): Promise<AgreedPrice> {
  if (!needsSecondPerson(before, after)) {
    const isSame = PRICE_SETTINGS.every((name) => !differs(before, after, name));
    return { settings: after, proposal: isSame ? proposal : null, maker: null };
  }
  const first = proposal && isProposed(proposal, after, nowMs) ? proposal.maker : null;
  const decision = { first, scope: 'platform:pricing', nowMs, subject: 'a price without margin' } as const;
  if (await isSecondDecision(context, tx, decision)) return { settings: after, proposal: null, maker: first };
  const { spread, feeRate, feeFixed } = after;
  const made = { maker: context.caller.id, madeAt: new Date(nowMs).toISOString() };
  const unchanged = Object.fromEntries(PRICE_SETTINGS.map((name) => [name, before[name]]));
  return {
    settings: { ...after, ...unchanged },
    proposal: { spread, feeRate, feeFixed, ...made },
    maker: null,
  };
}

function needsSecondPerson(before: TemplateSettings, after: TemplateSettings): boolean {
  const isLower = PRICE_SETTINGS.some((name) => isMore(before[name], after[name]));
  return isLower && isMore(MARGIN_MIN, sum([after.spread, after.feeRate]));
}

/** @returns a price that still waits for another person, for those who may set prices; null otherwise. */
export async function waitingPrice(
  { caller, clock }: Context,
  proposal: PriceProposal | null,
): Promise<PriceProposal | null> {
  if (!proposal || !caller.scopes.includes('platform:pricing')) return null;
  return isLate(proposal, await clock.nowMs()) ? null : proposal;
}

function isLate({ madeAt }: PriceProposal, nowMs: number): boolean {
  return nowMs > Date.parse(madeAt) + APPROVAL_MS;
}

function isProposed(proposal: PriceProposal, after: TemplateSettings, nowMs: number): boolean {
  return !isLate(proposal, nowMs) && PRICE_SETTINGS.every((name) => !differs(proposal, after, name));
}

type Price = Pick<TemplateSettings, (typeof PRICE_SETTINGS)[number]>;

function differs(one: Price, other: Price, name: keyof Price): boolean {
  return isMore(one[name], other[name]) || isMore(other[name], one[name]);
}
