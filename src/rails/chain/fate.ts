/** Outcome of an order, over all transactions that were made for it, by a quorum of providers. */
import { agreed, askAll } from './agree.ts';
import type { Inclusion, NetworkDriver, Signed } from './driver.ts';
import type { NetworkParts } from './parts.ts';

/** As `Fate`, of an order: the hash is that of the transaction which a block has. */
export type OrderFate =
  | { readonly state: 'open' | 'never' }
  | ({ readonly state: 'included' | 'final'; readonly hash: string } & Inclusion);

/** State of an order's transactions: final states by a quorum, others by any provider. */
export async function fateOf(
  { providers, facts }: NetworkParts,
  signed: readonly Signed[],
): Promise<OrderFate> {
  const answers = await askAll(providers, (each) => fateBy(each, signed));
  const isForGood = ({ state }: OrderFate) => state === 'final' || state === 'never';
  const settled = answers.filter(({ value }) => value && isForGood(value));
  const found = agreed(settled, facts.quorum);
  if (found) return found.value;
  const [included] = answers.flatMap(({ value }) => (value && 'hash' in value ? [value] : []));
  return included ? { ...included, state: 'included' } : { state: 'open' };
}

async function fateBy(provider: NetworkDriver, signed: readonly Signed[]): Promise<OrderFate> {
  const fates: OrderFate[] = [];
  for (const each of signed) {
    const fate = await provider.fate(each);
    fates.push('block' in fate ? { ...fate, hash: each.hash } : { state: fate.state });
  }
  const of = (state: OrderFate['state']) => fates.find((each) => each.state === state);
  const isOver = fates.length > 0 && fates.every(({ state }) => state === 'never');
  return of('final') ?? of('included') ?? { state: isOver ? 'never' : 'open' };
}
