/** Outcome of an order over all transactions made for it, by a quorum of providers. */
import { agreed, queryAll } from './agree.ts';
import type { Inclusion, NetworkDriver, Signed } from './driver.ts';
import type { NetworkParts } from './parts.ts';

/** A `TransactionStatus` for an order; the hash is that of the transaction in a block. */
export type OrderStatus =
  | { readonly state: 'open' | 'never' }
  | ({ readonly state: 'included' | 'final'; readonly hash: string } & Inclusion);

/**
 * Combines the states of an order's transactions. Final states need a quorum; any single provider suffices for the
 * others.
 */
export async function orderStatusOf(
  { providers, facts }: NetworkParts,
  signed: readonly Signed[],
): Promise<OrderStatus> {
  const answers = await queryAll(providers, (each) => statusBy(each, signed));
  const isFinal = ({ state }: OrderStatus) => state === 'final' || state === 'never';
  const settled = answers.filter(({ value }) => value && isFinal(value));
  const found = agreed(settled, facts.quorum);
  if (found) return found.value;
  const [included] = answers.flatMap(({ value }) => (value && 'hash' in value ? [value] : []));
  return included ? { ...included, state: 'included' } : { state: 'open' };
}

async function statusBy(provider: NetworkDriver, signed: readonly Signed[]): Promise<OrderStatus> {
  const statuses: OrderStatus[] = [];
  for (const each of signed) {
    const status = await provider.status(each);
    statuses.push('block' in status ? { ...status, hash: each.hash } : { state: status.state });
  }
  const of = (state: OrderStatus['state']) => statuses.find((each) => each.state === state);
  const isOver = statuses.length > 0 && statuses.every(({ state }) => state === 'never');
  return of('final') ?? of('included') ?? { state: isOver ? 'never' : 'open' };
}
