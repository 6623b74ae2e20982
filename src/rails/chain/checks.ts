/** Checks of a network for `doctor`: providers, read position, balance of the hot wallet, and waiting orders. */

import { fromMinor } from '../../base/money/money.ts';
import { millisOf } from '../../base/time/instant.ts';
import type { Check } from '../../resolvers/services/rail-part.ts';
import { readNetwork } from '../../store/rails/chain-network.ts';
import { readWaitingOrders } from '../../store/rails/chain-orders.ts';
import { queryAll, queryFirst } from './agree.ts';
import { checkGasPrice } from './gas-price.ts';
import type { NetworkParts } from './parts.ts';

/** A transfer counts as stuck after this multiple of the time after which it is replaced. */
const STUCK_TIMES = 5;

/** @param gasFloatMinor - minimum balance of the coin in the hot wallet. */
export async function checksOf(parts: NetworkParts, gasFloatMinor: bigint): Promise<readonly Check[]> {
  const found = [
    providers(parts),
    head(parts),
    reading(parts),
    gas(parts, gasFloatMinor),
    gasPrice(parts),
    sending(parts),
    keys(parts),
  ];
  return Promise.all(found);
}

async function checkOf(check: string, inspect: () => Promise<Omit<Check, 'check'>>): Promise<Check> {
  try {
    return { check, ...(await inspect()) };
  } catch (error) {
    return { check, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

const providers = ({ providers: all, facts }: NetworkParts) =>
  checkOf('providers', async () => {
    const answers = await queryAll(all, (each) => each.check());
    const wrong = answers
      .filter(({ error }) => error)
      .map(({ provider, error }) => `${provider}: ${error?.message}`);
    const how = facts.quorum > 1 ? `${facts.quorum} have to agree` : 'no other provider checks its answers';
    return {
      ok: wrong.length === 0,
      detail: wrong.join('; ') || `${all.length} of ${facts.network}; ${how}`,
    };
  });

const head = ({ providers: all, facts, database }: NetworkParts) =>
  checkOf('head', async () => {
    const { height, atMs } = await queryFirst(all, (each) => each.head());
    const ageMs = database.nowMs() - atMs;
    return {
      ok: ageMs <= facts.headMaxAgeMs,
      detail: `block ${height}, ${Math.round(ageMs / 1000)} seconds old`,
    };
  });

const reading = ({ database, key }: NetworkParts) =>
  checkOf('reading', async () => {
    const state = await readNetwork(database, key);
    if (!state || state.height === null) return { ok: false, detail: 'nothing was read yet' };
    if (state.trouble)
      return { ok: false, detail: `no progress since ${state.troubleSince}: ${state.trouble}` };
    return { ok: true, detail: `read to ${state.height}, final to ${state.finalHeight}` };
  });

const gas = ({ providers: all, facts: { coin, hotAddress } }: NetworkParts, leastMinor: bigint) =>
  checkOf('gas', async () => {
    const there = await queryFirst(all, (each) => each.balance(hotAddress, coin));
    const least = `${fromMinor(leastMinor, coin.decimals)} ${coin.asset}`;
    const detail = `${hotAddress} has ${fromMinor(there, coin.decimals)} ${coin.asset}, and needs at least ${least}`;
    return { ok: there >= leastMinor, detail };
  });

const gasPrice = (parts: NetworkParts) => checkOf('gas price', () => checkGasPrice(parts));

const sending = ({ database, key, facts }: NetworkParts) =>
  checkOf('sending', async () => {
    const state = await readNetwork(database, key);
    if (state?.pausedAt) return { ok: false, detail: `paused by ${state.pausedBy}: ${state.pauseReason}` };
    const { count, oldest, error } = await readWaitingOrders(
      database,
      key,
      database.nowMs() - STUCK_TIMES * facts.stuckMs,
    );
    if (count === 0 || oldest === null) return { ok: true, detail: 'nothing waits for long' };
    const minutes = Math.round((database.nowMs() - millisOf(oldest)) / 60_000);
    return {
      ok: false,
      detail: `${count} wait, the oldest for ${minutes} minutes${error ? `: ${error}` : ''}`,
    };
  });

const keys = ({ signer, facts, key }: NetworkParts) =>
  checkOf('signer', async () => {
    const { hot: hots, xpub } = await signer.describe();
    const hot = hots[key.network];
    if (hot !== facts.hotAddress)
      return { ok: false, detail: `its hot wallet is ${hot}, here it is ${facts.hotAddress}` };
    if (xpub[key.network] !== facts.xpub)
      return { ok: false, detail: 'its deposit addresses are others than those given out here' };
    return { ok: true, detail: `signs for ${hot}` };
  });
