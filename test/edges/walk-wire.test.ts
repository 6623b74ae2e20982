/**
 * Goal: whatever becomes of a transaction, it is the same when its PIX go over the wire, through the adapter that talks to banks.
 * Method: the walks of test/walk on a gateway whose provider is `crossramp psp`; scenarios happen there, and come back as
 * callbacks. A seeded part of them; all of them with WALK_WIRE=all.
 */
import { describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useWire } from '../support/wire.ts';
import { Client } from '../walk/client.ts';
import { meansOf } from '../walk/means.ts';
import { runWalk } from '../walk/run.ts';
import type { Walk } from '../walk/walker.ts';
import { WALKS } from '../walk/walks.ts';

const { app, psp } = useWire();

/** Walks of a run that is not of all. */
const PART = 12;
const TIMEOUT_MS = 60_000;
const { WALK_WIRE, WALK_SEED = '1' } = process.env;

/** @returns walks in an order that the seed gives. */
function partOf(walks: readonly Walk[], seed: number): readonly Walk[] {
  let state = seed;
  const roll = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return walks
    .map((walk) => ({ walk, at: roll() }))
    .toSorted((left, right) => left.at - right.at)
    .slice(0, PART)
    .map(({ walk }) => walk);
}

const CHOSEN = WALK_WIRE === 'all' ? WALKS : partOf(WALKS, Number(WALK_SEED));

describe('over the wire', { timeout: TIMEOUT_MS }, () => {
  test.each(CHOSEN.map((walk) => [walk.name, walk] as const))('%s', async (name, walk) => {
    const { accountId, apiKey } = await app.addAccount();
    const second = await app.addKey(accountId, ['read', 'move']);
    const client = new Client(app.baseUrl, apiKey);
    const means = await meansOf(
      client,
      new Client(app.baseUrl, second.apiKey),
      new Client(app.baseUrl, app.platformKey),
    );
    expect(await runWalk(client, means, walk)).toEqual({ name, problems: [] });
    expect((await verifyLedger(app.database, accountId)).defects).toEqual([]);
  });

  test('money that arrived at the provider is known to the gateway, each payment once', async () => {
    const { json } = await psp.control('GET', '/books');
    const { rows } = await app.owner.query(
      `select substr(key, 5) as key from rail_news where kind = 'payment' and mode = 'sandbox'`,
    );
    const ids = json.received.map(({ endToEndId }: { endToEndId: string }) => endToEndId);
    expect(rows.map(({ key }) => key).toSorted()).toEqual(ids.toSorted());
    expect(json.callbacks.open).toBe(0);
  });
});
