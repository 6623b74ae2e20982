/** Destinations of a withdrawal: those that can be used now, each with the network that it is on. */
import { invalidParameters } from '../../base/errors/errors.ts';
import { networkTitle } from '../../base/money/currency.ts';
import type { ScreenContext } from '../context.ts';
import type { NewQuery } from '../generated/graphql.ts';
import type { Field } from './form.ts';

type Account = NewQuery['viewer']['account'];
type Entry = Account['whitelistGroups'][number]['entries'][number];

/** @returns the field of the destination. */
export function destinationField({ translate }: ScreenContext, { whitelistGroups, now }: Account): Field {
  const options = whitelistGroups.flatMap(({ name, entries }) =>
    entries
      .filter(({ removedAt, usableAt }) => !removedAt && Date.parse(usableAt) <= Date.parse(now))
      .map((entry) => [entry.target, wordOf(name, entry)] as const),
  );
  return { name: 'address', label: translate('destination'), options };
}

function wordOf(group: string, { label, network, target }: Entry): string {
  const where = network ? networkTitle({ network }) : 'PIX';
  return `${[group, label, where].filter(Boolean).join(' · ')}: ${target}`;
}

/**
 * Refuses before the confirmation what its creation would refuse.
 *
 * @throws {GatewayError} `INVALID_PARAMETER` for a destination that cannot get the currency.
 */
export function refuseOtherNetwork(
  { translate, pending }: ScreenContext,
  { whitelistGroups }: Account,
  { network }: NewQuery['currencies'][number],
): void {
  const target = pending?.values.get('address');
  const chosen = whitelistGroups
    .flatMap(({ entries }) => entries)
    .filter((entry) => !entry.removedAt && entry.target === target);
  if (chosen.length === 0 || chosen.some((entry) => entry.network === network)) return;
  throw invalidParameters([{ parameter: 'address', message: translate('destinationOther') }]);
}
