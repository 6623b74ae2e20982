/**
 * Gas price of a network from several providers, so that a single wrong provider can neither waste the gas float nor
 * overcharge customers.
 */
import { fromMinor } from '../../base/money/money.ts';
import { type Answer, agreed, queryAll } from './agree.ts';
import type { GasFacts, GasPrice } from './driver.ts';
import type { NetworkParts } from './parts.ts';

/** No transfer can be sent: gas costs more than the maximum, or too few providers report its price. */
export class NoGasPrice extends Error {
  override readonly name = 'NoGasPrice';
}

/** Factor between a provider's price and the agreed one from which the provider counts as wrong. */
const FAR_TIMES = 100n;

/** @throws {NoGasPrice} */
export async function queryGasPrice({ providers, facts }: Pick<NetworkParts, 'providers' | 'facts'>) {
  return priceOf(await queryAll(providers, (each) => each.gasPrice()), facts);
}

/**
 * @returns a function that begins a cycle. In each cycle the price is queried at most once, when it is first needed.
 *   The start of an outage is logged with its reason.
 */
export function createGasPrices(parts: NetworkParts): () => () => Promise<GasPrice> {
  let isKnown = true;
  const query = async (): Promise<GasPrice> => {
    try {
      const price = await queryGasPrice(parts);
      isKnown = true;
      return price;
    } catch (error) {
      if (isKnown) parts.log.error({ ...parts.key, err: error }, 'transfers wait until gas costs less');
      isKnown = false;
      throw error;
    }
  };
  return () => {
    let pending: Promise<GasPrice> | undefined;
    return () => {
      pending ??= query();
      return pending;
    };
  };
}

/** @returns the current price as text, and whether all providers report a similar price. @throws {NoGasPrice} */
export async function checkGasPrice({ providers, facts }: Pick<NetworkParts, 'providers' | 'facts'>) {
  const answers = await queryAll(providers, (each) => each.gasPrice());
  const price = sumOf(priceOf(answers, facts));
  const far = answers.filter(({ value }) => value && isFar(sumOf(value), price));
  const most = inWords(facts.gas.maxPrice, facts.gas);
  const detail = `gas costs ${inWords(price, facts.gas)}, and ${most} is the maximum`;
  return {
    ok: far.length === 0,
    detail: far.length === 0 ? detail : `${detail}; ${describeAnswers(far, facts.gas)}`,
  };
}

function priceOf(
  answers: readonly Answer<GasPrice>[],
  { quorum, gas }: Pick<NetworkParts['facts'], 'quorum' | 'gas'>,
): GasPrice {
  const prices = answers.flatMap(({ value }) => value ?? []);
  const price = gas.isFixed ? agreed(answers, quorum)?.value : prices.length >= quorum && medianOf(prices);
  if (!price)
    throw new NoGasPrice(`no ${quorum} providers report the price of gas: ${describeAnswers(answers, gas)}`);
  if (sumOf(price) <= gas.maxPrice) return price;
  const [now, most] = [sumOf(price), gas.maxPrice].map((each) => inWords(each, gas));
  throw new NoGasPrice(`gas costs ${now}, and ${most} is the maximum`);
}

/**
 * @returns the median, of an even number the lower middle one: too low a price only delays a transfer, too high a price
 *   loses money.
 */
function medianOf(prices: readonly GasPrice[]): GasPrice | undefined {
  const middle = (part: keyof GasPrice) =>
    prices.map((price) => price[part]).toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))[
      Math.floor((prices.length - 1) / 2)
    ];
  const [base, tip] = [middle('base'), middle('tip')];
  return base === undefined || tip === undefined ? undefined : { base, tip };
}

const sumOf = ({ base, tip }: GasPrice) => base + tip;
const isFar = (one: bigint, other: bigint) => one > other * FAR_TIMES || one * FAR_TIMES < other;

function describeAnswers(answers: readonly Answer<GasPrice>[], gas: GasFacts): string {
  return answers
    .map(
      ({ provider, value, error }) => `${provider}: ${value ? inWords(sumOf(value), gas) : error?.message}`,
    )
    .join('; ');
}

function inWords(price: bigint, { unit, decimals }: GasFacts): string {
  return `${fromMinor(price, decimals)} ${unit}`;
}
