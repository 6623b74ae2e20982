/** Queries several providers of a network, because no money moves on the answer of a single provider. */
import type { BlockRef, NetworkDriver } from './driver.ts';

/** Result of one provider: its answer, or the reason why there is none. */
export interface Answer<Value> {
  readonly provider: string;
  readonly value?: Value;
  readonly error?: Error;
}

/** Providers disagree, or too few answer, so nothing may be concluded. */
export class NoAgreement extends Error {
  override readonly name = 'NoAgreement';
}

/** @returns the results of all providers, in their order. */
export function queryAll<Value>(
  providers: readonly NetworkDriver[],
  query: (provider: NetworkDriver) => Promise<Value>,
): Promise<readonly Answer<Value>[]> {
  return Promise.all(
    providers.map(async (each) => {
      try {
        return { provider: each.provider, value: await query(each) };
      } catch (error) {
        return { provider: each.provider, error: asError(error) };
      }
    }),
  );
}

/** An answer shared by a quorum of providers, and their names. */
export interface Agreement<Value> {
  readonly value: Value;
  readonly by: readonly string[];
}

/** @returns the answer shared by a quorum; undefined without one. */
export function agreed<Value>(
  answers: readonly Answer<Value>[],
  quorum: number,
): Agreement<Value> | undefined {
  const answered = answers.flatMap(({ provider, value, error }) =>
    error ? [] : [{ provider, value: value as Value }],
  );
  const groups = Map.groupBy(answered, ({ value }) => canonical(value));
  const found = [...groups.values()].find((group) => group.length >= quorum);
  return found?.[0] && { value: found[0].value, by: found.map(({ provider }) => provider) };
}

/**
 * @param what - name of the query, for the message.
 * @returns the answer shared by a quorum.
 * @throws {NoAgreement} listing the answers of all providers.
 */
export async function queryQuorum<Value>(
  providers: readonly NetworkDriver[],
  quorum: number,
  what: string,
  query: (provider: NetworkDriver) => Promise<Value>,
): Promise<Agreement<Value>> {
  const answers = await queryAll(providers, query);
  const found = agreed(answers, quorum);
  if (!found) throw new NoAgreement(`no ${quorum} providers agree on ${what}: ${describeAnswers(answers)}`);
  return found;
}

/** @returns the first answer, trying providers in order. @throws the last provider's error if none answers. */
export async function queryFirst<Value>(
  providers: readonly NetworkDriver[],
  query: (provider: NetworkDriver) => Promise<Value>,
): Promise<Value> {
  let failure = new Error('there is no provider');
  for (const each of providers) {
    try {
      return await query(each);
    } catch (error) {
      failure = asError(error);
    }
  }
  throw failure;
}

/**
 * @param ref - if it has a hash, only the block with this hash counts.
 * @returns the block's time, agreed by a quorum because it decides whether a deposit was in time. Unit: ms.
 * @throws {NoAgreement} also while too few providers have the block.
 */
export async function agreedBlockTime(
  providers: readonly NetworkDriver[],
  quorum: number,
  { height, hash }: Pick<BlockRef, 'height'> & Partial<BlockRef>,
): Promise<number> {
  const what = `the time of block ${height}`;
  const { value } = await queryQuorum(providers, quorum, what, async (each) => {
    const block = await each.block(height);
    if (!block || block.hash !== (hash ?? block.hash))
      throw new Error(`${each.provider} has no block ${hash ? `${hash} at ` : ''}${height}`);
    return { hash: block.hash, atMs: block.atMs };
  });
  return value.atMs;
}

/** @returns the greatest number that a quorum of providers reaches; undefined if too few answer. */
export function reachedBy(answers: readonly Answer<number>[], quorum: number): number | undefined {
  const numbers = answers.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return numbers.toSorted((left, right) => right - left)[quorum - 1];
}

const SHOWN_MAX = 80;

function describeAnswers(answers: readonly Answer<unknown>[]): string {
  return answers
    .map(
      ({ provider, value, error }) =>
        `${provider}: ${(error?.message ?? canonical(value)).slice(0, SHOWN_MAX)}`,
    )
    .join('; ');
}

/** @returns the same text for equal values. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)) ??
    'nothing'
  );
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
