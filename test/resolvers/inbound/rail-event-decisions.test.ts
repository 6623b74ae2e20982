/**
 * C-34: a rail event that is not settled is tried again by the operator, or closed by hand with a reason; each is written down and done
 * once. Method: over GraphQL, on the real application.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { receiveRailEvent } from '../../../src/resolvers/inbound/receive.ts';
import { retryRailEvents } from '../../../src/resolvers/inbound/retry-rail-events.ts';
import type { DisputeEvent } from '../../../src/resolvers/services/rail-event.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { verifyAudit } from '../../../src/store/engine/verify-audit.ts';
import { useApp } from '../../support/app.ts';
import { errorsIn } from '../../support/refusals.ts';
import { inboundOf, type Merchant, pixFor, SILENT } from './support.ts';

const app = useApp();
const { onramp, reach, stepOf, eventsOf: eventOf } = inboundOf(app);
let merchant: Merchant;
let platform: bigint;

beforeAll(async () => {
  merchant = await app.addAccount();
  platform = await platformAccount(app.database, 'sandbox');
});

const ask = async (document: string, key = app.platformKey) =>
  (await app.graphql(document, {}, { key })).json;
const codeOf = (json: { errors?: { extensions: { code: string } }[] }) =>
  errorsIn(json)?.[0]?.extensions.code;
const idOf = async (key: string): Promise<string> => {
  const { rows } = await app.owner.query('select id from rail_news where key = $1 order by id desc', [key]);
  return rows[0].id;
};
const keysOf = async (args: string) =>
  (await ask(`{ railEvents${args} { nodes { key } } }`)).data.railEvents.nodes.map(
    ({ key }: { key: string }) => key,
  );
const actions = async (accountId: bigint, action: string) => {
  const { rows } = await app.owner.query(
    'select object_id, before, after from audit_entry where account_id = $1 and act = $2 order by seq',
    [String(accountId), action],
  );
  return rows;
};
let cases = 0;
const dispute = (endToEndId: string): DisputeEvent => {
  cases += 1;
  return { kind: 'dispute_opened', disputeId: `CASE-${cases}`, endToEndId, amount: null };
};

test('C-34, C-51: an event that the database refuses is logged and stored without the refused value', async () => {
  const secret = 'ana.souza@example.com';
  const paid = pixFor(await onramp(merchant));
  const refuse = async () => {
    await app.database.query({ name: '', text: 'select $1::bigint' }, [secret]);
    throw new Error('the database took it');
  };
  const lines: object[] = [];
  const log = { warn: (facts: object) => void lines.push(facts) };
  const { outcome } = await receiveRailEvent({ ...app.services, advance: refuse }, log, paid);
  expect(outcome).toBe('pending');
  const error = 'invalid input syntax for type bigint';
  expect(lines).toEqual([{ railEvent: expect.any(String), kind: 'payment', tries: 1, error }]);
  const { rows } = await app.owner.query('select last_error from rail_news where key = $1', [
    `pix:${paid.endToEndId}`,
  ]);
  expect(rows).toEqual([{ last_error: error }]);
});

describe('an unsettled rail event', () => {
  test('C-34: is retried immediately, once under a key, and no more when it is settled', async () => {
    const row = await onramp(merchant);
    const paid = pixFor(row);
    const early = dispute(paid.endToEndId);
    expect((await app.services.receive(early)).outcome).toBe('pending');
    const id = await idOf(`pix:${early.disputeId}`);
    const retry = (key: string) =>
      ask(
        `mutation { retryRailEvent(input: { railEventId: "${id}", idempotencyKey: "${key}" }) { outcome errors { code message path } } }`,
      );
    expect((await retry('a')).data.retryRailEvent.outcome).toBe('PENDING');
    await app.services.receive(paid);
    await reach(row, 'success/DONE');
    expect((await retry('a')).data.retryRailEvent.outcome).toBe('PENDING');
    expect((await retry('b')).data.retryRailEvent.outcome).toBe('STEP');
    expect((await retry('b')).data.retryRailEvent.outcome).toBe('STEP');
    expect(await stepOf(row)).toBe('dispute/OPEN');
    expect(codeOf(await retry('c'))).toBe('STEP_CONFLICT');
    const written = await actions(platform, 'rail_event.retry');
    expect(written.map(({ object_id }) => object_id)).toEqual([id, id]);
    expect((await verifyAudit(app.database, platform)).defects).toEqual([]);
  });

  test('C-34: gets all its attempts again', async () => {
    const stray = dispute('E12345678202611221200abcdefghijk');
    await app.services.receive(stray);
    const at = () => Date.now() + 24 * 3_600_000;
    for (let turn = 0; turn < 12; turn++) await retryRailEvents(app.services, SILENT, at());
    expect(await eventOf(`pix:${stray.disputeId}`)).toMatchObject([{ outcome: 'failed' }]);
    const id = await idOf(`pix:${stray.disputeId}`);
    expect(
      (
        await ask(
          `mutation { retryRailEvent(input: { railEventId: "${id}" }) { outcome errors { code message path } } }`,
        )
      ).data.retryRailEvent.outcome,
    ).toBe('PENDING');
    await retryRailEvents(app.services, SILENT, at());
    expect(await eventOf(`pix:${stray.disputeId}`)).toMatchObject([{ outcome: 'pending' }]);
  });

  test('C-34: is closed with a reason, and stays closed when it is reported again', async () => {
    const stray = dispute('E12345678202611221200abcdefghijl');
    await app.services.receive(stray);
    const id = await idOf(`pix:${stray.disputeId}`);
    const close = (reason: string, key: string) =>
      ask(
        `mutation { closeRailEvent(input: { railEventId: "${id}", reason: "${reason}", idempotencyKey: "${key}" }) { railEvent { state closeReason closedBy closedAt nextTryAt } errors { code message path } } }`,
      );
    expect(codeOf(await close('', 'a'))).toBe('INVALID_PARAMETER');
    const closed = {
      state: 'CLOSED',
      closeReason: 'not ours',
      closedBy: expect.any(String),
      closedAt: expect.any(String),
      nextTryAt: null,
    };
    expect((await close('not ours', 'b')).data.closeRailEvent.railEvent).toEqual(closed);
    expect((await close('not ours', 'b')).data.closeRailEvent.railEvent).toEqual(closed);
    expect(codeOf(await close('not ours', 'c'))).toBe('STEP_CONFLICT');
    expect((await app.services.receive(stray)).outcome).toBe('duplicate');
    expect(await keysOf('')).not.toContain(stray.disputeId);
    expect(await keysOf('(state: CLOSED)')).toEqual([stray.disputeId]);
    const [written] = await actions(platform, 'rail_event.close');
    expect(written.before).toMatchObject({ state: 'pending', kind: 'dispute_opened', tries: 1 });
    expect(written.after).toEqual({ state: 'closed', reason: 'not ours' });
  });

  test('C-34: about arrived money is booked, and never closed', async () => {
    const row = await onramp(merchant);
    const paid = pixFor(row);
    const failing = { ...app.services, advance: () => Promise.reject(new Error('there is no rate')) };
    await receiveRailEvent(failing, SILENT, paid);
    const id = await idOf(`pix:${paid.endToEndId}`);
    const closing = await ask(
      `mutation { closeRailEvent(input: { railEventId: "${id}", reason: "x" }) { railEvent { state } errors { code message path } } }`,
    );
    expect(codeOf(closing)).toBe('STEP_CONFLICT');
    expect(
      (
        await ask(
          `mutation { retryRailEvent(input: { railEventId: "${id}" }) { outcome errors { code message path } } }`,
        )
      ).data.retryRailEvent.outcome,
    ).toBe('STEP');
    await reach(row, 'success/DONE');
  });

  test('C-40: is decided by the operator; an unknown one is not found', async () => {
    const rails = await app.addKey(platform, ['platform:rails']);
    for (const call of [
      'retryRailEvent(input: { railEventId: "1" }) { outcome errors { code message path } }',
      'closeRailEvent(input: { railEventId: "1", reason: "x" }) { railEvent { state } errors { code message path } }',
    ]) {
      expect(codeOf(await ask(`mutation { ${call} }`, rails.apiKey))).toBe('FORBIDDEN');
      expect(codeOf(await ask(`mutation { ${call} }`, merchant.apiKey))).toBe('FORBIDDEN');
      const missing = call.replace('"1"', '"999999999"');
      expect(codeOf(await ask(`mutation { ${missing} }`))).toBe('NOT_FOUND');
      expect(codeOf(await ask(`mutation { ${call.replace('"1"', '"x"')} }`))).toBe('NOT_FOUND');
    }
  });
});
