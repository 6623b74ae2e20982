/**
 * C-34: what rails told and what was not settled, and reports of fraud, are seen by the operator: with how often it was tried, why
 * it failed, and when it is tried again. Method: over GraphQL, on the real application.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { receiveRailEvent } from '../../../src/resolvers/inbound/receive.ts';
import type { DisputeEvent, InfractionEvent } from '../../../src/resolvers/services/rail-event.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { useApp } from '../../support/app.ts';
import { inboundOf, type Merchant, pixFor, SILENT } from './support.ts';

const app = useApp();
const { onramp, reach, rowOf } = inboundOf(app);
let merchant: Merchant;
let platform: bigint;

beforeAll(async () => {
  merchant = await app.addAccount();
  platform = await platformAccount(app.database, 'sandbox');
});

const FIELDS = 'state kind key rail tries lastError nextTryAt seenAt account end2end body';
const ask = async (args: string, key: string) => {
  const { json } = await app.graphql(
    `{ railEvents${args} { totalCount nodes { ${FIELDS} } pageInfo { hasNextPage endCursor } } }`,
    {},
    { key },
  );
  return json;
};
const list = async (args: string, key = app.platformKey) => (await ask(args, key)).data.railEvents;

/** A payment that could not be settled yet, a dispute of a payment that nobody knows, and a report of fraud. */
async function tellAll() {
  const paid = await onramp(merchant);
  await app.services.receive(pixFor(paid));
  await reach(paid, 'success/DONE');
  const { pixE2e } = await rowOf(paid.end2end);
  const infraction: InfractionEvent = {
    kind: 'infraction',
    infractionId: 'INF-7',
    endToEndId: pixE2e as string,
    amount: null,
    reason: 'SCAM',
    reportedAt: new Date().toISOString(),
  };
  await app.services.receive(infraction);
  const dispute: DisputeEvent = {
    kind: 'dispute_opened',
    disputeId: 'MED-7',
    endToEndId: 'E12345678202611221200abcdefghijk',
    amount: null,
  };
  await app.services.receive(dispute);
  const waiting = pixFor(await onramp(merchant));
  const failing = { ...app.services, advance: () => Promise.reject(new Error('there is no rate')) };
  await receiveRailEvent(failing, SILENT, waiting);
  return { paid, waiting };
}

describe('the list of rail events', () => {
  test('C-34: has unsettled and reported ones, newest first, and no others', async () => {
    const { paid, waiting } = await tellAll();
    const all = await list('');
    expect(all.totalCount).toBe(3);
    expect(all.nodes).toMatchObject([
      {
        state: 'PENDING',
        kind: 'payment',
        key: waiting.endToEndId,
        rail: 'pix',
        tries: 1,
        lastError: 'there is no rate',
        nextTryAt: expect.any(String),
      },
      { state: 'PENDING', kind: 'dispute_opened', key: 'MED-7', account: null, end2end: null },
      {
        state: 'REPORTED',
        kind: 'infraction',
        account: String(merchant.accountId),
        end2end: paid.end2end,
        tries: 0,
        lastError: null,
        nextTryAt: null,
      },
    ]);
    expect((await list('(state: REPORTED)')).nodes.map(({ key }: { key: string }) => key)).toEqual(['INF-7']);
    expect((await list('(state: FAILED)')).totalCount).toBe(0);
    const first = await list('(first: 2)');
    expect([first.totalCount, first.nodes.length, first.pageInfo.hasNextPage]).toEqual([3, 2, true]);
    const rest = await list(`(first: 2, after: "${first.pageInfo.endCursor}")`);
    expect([rest.totalCount, rest.nodes.length, rest.pageInfo.hasNextPage]).toEqual([3, 1, false]);
  });

  test('C-40: is the operator’s; payers are unmasked for those who decide about money', async () => {
    const taxIdIn = ({ nodes }: { nodes: { body: { payerTaxId?: string } }[] }) => nodes[0]?.body.payerTaxId;
    expect((await ask('', merchant.apiKey)).errors[0].extensions.code).toBe('FORBIDDEN');
    const rails = await app.addKey(platform, ['platform:rails']);
    expect(taxIdIn(await list('', rails.apiKey))).toBe('***.982.247-**');
    const risk = await app.addKey(platform, ['platform:risk']);
    expect(taxIdIn(await list('', risk.apiKey))).toBe('52998224725');
  });
});
