/** How much a customer may move: the daily limit, and when a closer look is due (C-21). */
import { GatewayError } from '../../base/errors.ts';
import { isMore, sum } from '../../base/money.ts';
import { readTemplateSettings } from '../../store/account/settings.ts';
import { customerVolume } from '../../store/engine/volumes.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';

const DAY_MS = 24 * 3_600_000;
const STEP_UP_DAYS = 30;

/** A customer's transaction as limits see it. */
export interface Volume {
  readonly accountId: bigint;
  readonly template: string;
  /** Null while the customer is not known. */
  readonly clientTaxId: string | null | undefined;
  /** BRL; null while it is not known. */
  readonly amount: string | null;
}

/** @returns whether the transaction would take its customer over the limit of the UTC day; what is not known does not. */
export async function exceedsDailyLimit(
  services: Services,
  { accountId, template, clientTaxId, amount }: Volume,
): Promise<boolean> {
  if (!clientTaxId || amount === null) return false;
  const nowMs = await services.clock.nowMs();
  const since = new Date(nowMs - (nowMs % DAY_MS));
  const family = services.registry.of(template).family;
  const moved = await customerVolume(services.database, accountId, family, clientTaxId, since);
  const settings = await readTemplateSettings(services.database, accountId, template);
  return isMore(sum([moved, amount]), settings.customerLimitDaily);
}

/** @throws {GatewayError} `LIMIT_EXCEEDED` when the customer's day would go over its limit. */
export async function refuseOverDay(services: Services, volume: Volume): Promise<void> {
  if (await exceedsDailyLimit(services, volume))
    throw new GatewayError('LIMIT_EXCEEDED', 'the amount takes this customer over the daily limit');
}

/** @returns whether the customer's last 30 days, this transaction among them, are over what needs no closer look. */
export async function needsStepUp(services: Services, row: ProcessRow): Promise<boolean> {
  if (!row.clientTaxId) return false;
  const { database, clock } = services;
  const settings = await readTemplateSettings(database, row.accountId, row.template);
  const since = new Date((await clock.nowMs()) - STEP_UP_DAYS * DAY_MS);
  const family = services.registry.of(row.template).family;
  const moved = await customerVolume(database, row.accountId, family, row.clientTaxId, since);
  return isMore(moved, settings.customerStepUp30d);
}
