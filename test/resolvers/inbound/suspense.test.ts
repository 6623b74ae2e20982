/**
 * C-34: money in suspense is seen by its holder and decided about by the operator: assigned, within an account or to another
 * one, or sent back. Method: over GraphQL, with the real ledger; each decision once.
 */

import { pino } from 'pino';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../../../src/base/errors/errors.ts';
import { isReturnId } from '../../../src/base/pix/end-to-end-id.ts';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import { submitDueOrders } from '../../../src/resolvers/inbound/return-suspense.ts';
import type { DisputeEvent } from '../../../src/resolvers/services/rail-event.ts';
import { RailRefused } from '../../../src/resolvers/services/rails.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { clearingDefects } from '../../../src/store/ledger/verify.ts';
import { useApp } from '../../support/app.ts';
import { errorsIn } from '../../support/refusals.ts';
import { depositFor, inboundOf, type Merchant, pixFor, SILENT } from './support.ts';

const app = useApp();
const {
  onramp,
  offrampInstant,
  act: action,
  reach,
  rowOf,
  eventsOf: eventOf,
  suspenseOf,
  bookOf,
  journalsOf,
  verified,
} = inboundOf(app);
let merchant: Merchant;
let platform: bigint;
/** Of another person than `app.platformKey`. */
let second: string;

beforeAll(async () => {
  merchant = await app.addAccount();
  platform = await platformAccount(app.database, 'sandbox');
  second = (await app.addKey(platform, ['platform:risk'])).apiKey;
});

const ask = (query: string, key: string = app.platformKey) => app.graphql(query, {}, { key });
const LIST =
  '{ suspense(state: OPEN) { totalCount nodes { id: suspenseId account amount reason state end2end } } }';
const decide = (mutation: string, key?: string) =>
  ask(
    `mutation { ${mutation} { suspenseEntry { id: suspenseId state assignedTo decidedBy } errors { code message path } } }`,
    key,
  );
const codeOf = ({ json }: Awaited<ReturnType<typeof ask>>) => errorsIn(json)?.[0]?.extensions?.code;

/** A PIX to a charge that was cancelled. @returns the id of its entry. */
async function strayPix(own: Merchant): Promise<string> {
  const row = await onramp(own);
  await action(own, `/v2/onramp/${row.end2end}/cancel`);
  await app.services.receive(pixFor(row));
  return (await suspenseOf(own.accountId)).at(-1).id;
}

async function unknownPix(amount: string): Promise<string> {
  const row = await onramp(merchant);
  await app.services.receive(pixFor(row, { txid: null, amount }));
  return (await suspenseOf(platform)).at(-1).id;
}

/** Lets what is on its way back arrive. */
async function arrive(): Promise<void> {
  await app.services.sandbox?.advanceClock(2_000);
  await settle(app.services, SILENT);
}

describe('an account', () => {
  test('sees its own money in suspense and no other, and decides about none (C-15, C-40)', async () => {
    const id = await strayPix(merchant);
    await strayPix(await app.addAccount());
    const own = (await ask(LIST, merchant.apiKey)).json.data.suspense;
    expect(own).toMatchObject({
      totalCount: 1,
      nodes: [{ id, amount: '100', reason: 'NOT_DUE', state: 'OPEN' }],
    });
    expect((await ask(LIST)).json.data.suspense.totalCount).toBe(2);
    for (const mutation of [
      `assignSuspense(input: { suspenseId: "${id}", account: "1", reason: "checked" })`,
      `returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`,
    ])
      expect(codeOf(await decide(mutation, merchant.apiKey))).toBe('FORBIDDEN');
  });
});

describe('the holder’s view', () => {
  const SEEN = '{ suspense { nodes { id: suspenseId state assignedTo railEvent } } }';
  const seenBy = async (key: string, id: string) => {
    const { nodes } = (await ask(SEEN, key)).json.data.suspense;
    const found = nodes.find((each: { id: string }) => each.id === id);
    return found;
  };

  test('C-15: neither the payer nor another account’s id; the operator reads both', async () => {
    const [own, other] = [await app.addAccount(), await app.addAccount()];
    const id = await strayPix(own);
    expect((await seenBy(own.apiKey, id)).railEvent.payerTaxId).toBe('***.982.247-**');
    expect((await seenBy(app.platformKey, id)).railEvent.payerTaxId).toBe('52998224725');
    const { json } = await decide(
      `assignSuspense(input: { suspenseId: "${id}", account: "999999", reason: "checked" })`,
    );
    expect(errorsIn(json)[0].extensions).toMatchObject({
      code: 'NOT_FOUND',
      violations: [{ parameter: 'input.account' }],
    });
    await decide(
      `assignSuspense(input: { suspenseId: "${id}", account: "${other.accountId}", reason: "checked" })`,
    );
    await decide(
      `approveSuspense(input: { suspenseId: "${id}", account: "${other.accountId}", reason: "checked" })`,
      second,
    );
    expect(await seenBy(own.apiKey, id)).toMatchObject({ state: 'ASSIGNED', assignedTo: null });
    expect((await seenBy(app.platformKey, id)).assignedTo).toBe(String(other.accountId));
    const kept = await strayPix(own);
    await decide(
      `assignSuspense(input: { suspenseId: "${kept}", account: "${own.accountId}", reason: "checked" })`,
    );
    expect((await seenBy(own.apiKey, kept)).assignedTo).toBe(String(own.accountId));
  });
});

describe('decisions under a key', () => {
  test('C-52: are made once, and repeated with the same answer; another request under the key is refused', async () => {
    const own = await app.addAccount();
    const [id, second] = [await strayPix(own), await strayPix(own)];
    const assign = (entry: string) =>
      decide(
        `assignSuspense(input: { suspenseId: "${entry}", account: "${own.accountId}", idempotencyKey: "a-${id}", reason: "checked" })`,
      );
    const first = (await assign(id)).json.data.assignSuspense.suspenseEntry;
    expect((await assign(id)).json.data.assignSuspense.suspenseEntry).toEqual(first);
    expect(codeOf(await assign(second))).toBe('IDEMPOTENCY_MISMATCH');
    expect(await journalsOf(own.accountId)).toBe('L50 L50 L38 L35');
    const release = () =>
      decide(
        `returnSuspense(input: { suspenseId: "${second}", idempotencyKey: "r-${id}", reason: "checked" })`,
      );
    const answers = [
      (await release()).json.data.returnSuspense.suspenseEntry,
      (await release()).json.data.returnSuspense.suspenseEntry,
    ];
    expect(answers.map(({ state }) => state)).toEqual(['RETURNING', 'RETURNING']);
    await arrive();
    expect((await release()).json.data.returnSuspense.suspenseEntry.state).toBe('RETURNED');
    expect(await journalsOf(own.accountId)).toBe('L50 L50 L38 L35 L51');
    await verified(own.accountId);
  });
});

describe('assigning', () => {
  test('L38, L35: within an account credits its balance, once', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    const mutation = `assignSuspense(input: { suspenseId: "${id}", account: "${own.accountId}", reason: "checked" })`;
    const answers = await Promise.all([
      decide(mutation),
      decide(mutation),
      decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`),
    ]);
    expect(answers.map(codeOf).sort()).toEqual(['STEP_CONFLICT', 'STEP_CONFLICT', undefined]);
    const done = answers.find((each) => codeOf(each) === undefined);
    if (done?.json.data.assignSuspense?.suspenseEntry) {
      expect(await journalsOf(own.accountId)).toBe('L50 L38 L35');
      expect(await bookOf(own.accountId)).toEqual({ 'A.pix BRL': '-10000', 'M.available BRL': '10000' });
    }
    await verified(own.accountId);
  });

  test('L52, L53: to another account are two journals over clearing, which is zero over all accounts', async () => {
    const own = await app.addAccount();
    const id = await unknownPix('34.56');
    const before = await bookOf(platform);
    await decide(
      `assignSuspense(input: { suspenseId: "${id}", account: "${own.accountId}", reason: "checked" })`,
    );
    const { json } = await decide(
      `approveSuspense(input: { suspenseId: "${id}", account: "${own.accountId}", reason: "checked" })`,
      second,
    );
    expect(json.data.approveSuspense.suspenseEntry).toMatchObject({
      state: 'ASSIGNED',
      assignedTo: String(own.accountId),
    });
    expect(await journalsOf(own.accountId)).toBe('L53 L35');
    expect(await bookOf(own.accountId)).toEqual({ 'C.clearing BRL': '-3456', 'M.available BRL': '3456' });
    const after = await bookOf(platform);
    expect(BigInt(before['L.suspense BRL'] ?? 0) - BigInt(after['L.suspense BRL'] ?? 0)).toBe(3456n);
    expect(await clearingDefects(app.database)).toEqual([]);
    await Promise.all([verified(own.accountId), verified(platform)]);
  });

  test('is refused for entries and accounts that there are not, and for the account of the platform (C-15)', async () => {
    const id = await unknownPix('1.00');
    const live = await app.addAccount({ mode: 'live' });
    for (const account of ['999999', 'x', String(platform), String(live.accountId)])
      expect(
        codeOf(
          await decide(
            `assignSuspense(input: { suspenseId: "${id}", account: "${account}", reason: "checked" })`,
          ),
        ),
      ).toBe('NOT_FOUND');
    const missing = ['999999', 'x', '0'].map(
      (each) =>
        `assignSuspense(input: { suspenseId: "${each}", account: "${merchant.accountId}", reason: "checked" })`,
    );
    for (const mutation of missing) expect(codeOf(await decide(mutation))).toBe('NOT_FOUND');
  });
});

describe('sending back', () => {
  test('L51: a PIX is returned to its payer, and is booked when it was sent', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    const { json } = await ask(
      `mutation { returnSuspense(input: { suspenseId: "${id}", reason: "checked" }) { suspenseEntry { state returnId } errors { code message path } } }`,
    );
    const { state, returnId } = json.data.returnSuspense.suspenseEntry;
    expect([state, isReturnId(returnId)]).toEqual(['RETURNING', true]);
    expect(await eventOf(`pix:${returnId}`)).toEqual([]);
    expect(await bookOf(own.accountId)).toMatchObject({ 'L.suspense BRL': '10000' });
    expect(codeOf(await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`))).toBe(
      'STEP_CONFLICT',
    );
    await arrive();
    await arrive();
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'returned' }]);
    expect(await bookOf(own.accountId)).toEqual({});
    expect(await journalsOf(own.accountId)).toBe('L50 L51');
    expect(await eventOf(`pix:${returnId}`)).toMatchObject([{ kind: 'refund_ended', outcome: 'suspense' }]);
    const seen = (await ask('{ suspense { nodes { id: suspenseId returnId } } }', own.apiKey)).json.data
      .suspense.nodes;
    expect(seen).toEqual([{ id, returnId }]);
    await verified(own.accountId);
  });

  test('L51: a deposit is returned less the fee of its network, and not when the fee is all of it', async () => {
    const own = await app.addAccount();
    const made = await offrampInstant(own);
    await reach(made, 'crypto_deposit/WAITING_DEPOSIT');
    const row = await rowOf(made.end2end);
    for (const amount of ['9', '1'])
      await app.services.receive(depositFor(row, { currency: 'TRX_TRX', amount }));
    const [nine, one] = await suspenseOf(own.accountId);
    expect(
      codeOf(await decide(`returnSuspense(input: { suspenseId: "${one.id}", reason: "checked" })`)),
    ).toBe('LIMIT_EXCEEDED');
    expect(
      codeOf(await decide(`returnSuspense(input: { suspenseId: "${nine.id}", reason: "checked" })`)),
    ).toBeUndefined();
    await arrive();
    // Of 10 that came, 7.9 went out, and 13.4 were burnt for it.
    expect(await bookOf(own.accountId)).toEqual({
      'A.custody TRX_TRX': '11300000',
      'L.suspense TRX_TRX': '1000000',
      'R.netfee TRX_TRX': '1100000',
      'X.gas TRX_TRX': '-13400000',
    });
    expect(await journalsOf(own.accountId)).toBe('L37 L37 L51 L12');
    await verified(own.accountId);
  });

  test('L51: a transfer that cost no gas posts no L12', async () => {
    const own = await app.addAccount();
    const made = await offrampInstant(own);
    await reach(made, 'crypto_deposit/WAITING_DEPOSIT');
    await app.services.receive(depositFor(await rowOf(made.end2end), { currency: 'TRX_TRX', amount: '9' }));
    const [{ id }] = await suspenseOf(own.accountId);
    expect(
      codeOf(await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`)),
    ).toBeUndefined();
    const { rows } = await app.owner.query(`select key from sandbox_order where key like 'suspense:${id}:%'`);
    const ended = {
      kind: 'refund_ended',
      rail: 'chain',
      order: rows[0].key,
      endToEndId: null,
      isDone: true,
      networkFee: '1.1',
      gas: { currency: 'TRX_TRX', amountMinor: '0' },
      txHash: 'a'.repeat(64),
    } as const;
    expect((await app.services.receive(ended)).outcome).toBe('suspense');
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'returned' }]);
    expect(await journalsOf(own.accountId)).toBe('L37 L51');
    await verified(own.accountId);
  });

  test('an entry whose return failed is open again', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`);
    const { rows } = await app.owner.query(
      `select key from sandbox_order o join suspense_entry s on s.return_id = o.key where s.id = $1`,
      [id],
    );
    const order = rows[0].key;
    const event = {
      kind: 'refund_ended',
      rail: 'pix',
      order,
      endToEndId: null,
      isDone: false,
      networkFee: null,
      gas: null,
      txHash: null,
    } as const;
    expect((await app.services.receive(event)).outcome).toBe('suspense');
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'open' }]);
    expect(
      codeOf(
        await decide(
          `assignSuspense(input: { suspenseId: "${id}", account: "${own.accountId}", reason: "checked" })`,
        ),
      ),
    ).toBeUndefined();
    await verified(own.accountId);
  });

  test('a failed order is placed again when it is due, by one process, and never again after that', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    const release = vi.spyOn(app.services.rails.pix, 'refund');
    const log = pino({ level: 'silent' });
    const later = (ms: number) => submitDueOrders(app.services, log, Date.now() + ms);
    const away = new Error('the bank does not answer');
    release.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    expect(
      (await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`)).json.data
        .returnSuspense.suspenseEntry.state,
    ).toBe('RETURNING');
    await later(0);
    expect(release).toHaveBeenCalledTimes(1);
    await Promise.all([later(10_000), later(10_000)]);
    expect(release).toHaveBeenCalledTimes(2);
    await later(11_000);
    expect(release).toHaveBeenCalledTimes(2);
    await later(20_000);
    await later(3_600_000);
    expect(release).toHaveBeenCalledTimes(3);
    expect(new Set(release.mock.calls.map(([{ key }]) => key)).size).toBe(1);
    release.mockRestore();
    await arrive();
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'returned' }]);
    await verified(own.accountId);
  });

  test('an order that failed 36 times waits for a person, who can place the same order again', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    const release = vi.spyOn(app.services.rails.pix, 'refund');
    release.mockRejectedValue(new Error('the bank does not answer'));
    expect(
      (await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`)).json.data
        .returnSuspense.suspenseEntry.state,
    ).toBe('RETURNING');
    const log = pino({ level: 'silent' });
    for (let hours = 1; hours <= 40; hours += 1)
      await submitDueOrders(app.services, log, Date.now() + hours * 3_600_000);
    expect(release).toHaveBeenCalledTimes(1 + 36);
    const [first] = release.mock.calls.map(([{ key }]) => key);
    release.mockRestore();
    const orders = vi.spyOn(app.services.rails.pix, 'refund');
    expect(
      errorsIn(
        (
          await decide(
            `assignSuspense(input: { suspenseId: "${id}", account: "${own.accountId}", reason: "checked" })`,
          )
        ).json,
      )[0].message,
    ).toContain('its order failed 36 times and waits for a person: return it again');
    expect(
      (await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`)).json.data
        .returnSuspense.suspenseEntry.state,
    ).toBe('RETURNING');
    expect(codeOf(await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`))).toBe(
      'STEP_CONFLICT',
    );
    expect(orders.mock.calls.map(([{ key }]) => key)).toEqual([first]);
    orders.mockRestore();
    await arrive();
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'returned' }]);
    expect(await journalsOf(own.accountId)).toBe('L50 L51');
    await verified(own.accountId);
  });

  test('an order counts no attempt that failed because the database or a price was out of reach', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    const release = vi.spyOn(app.services.rails.pix, 'refund');
    const unreachable = Object.assign(new Error('the server ended the connection'), { code: '57P01' });
    const unpriced = new GatewayError('QUOTE_UNAVAILABLE', 'there is no rate', { retryAfter: 5 });
    release.mockRejectedValue(unreachable);
    await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`);
    const log = pino({ level: 'silent' });
    for (let hours = 1; hours <= 40; hours += 1) {
      release.mockRejectedValue(hours % 2 === 0 ? unreachable : unpriced);
      await submitDueOrders(app.services, log, Date.now() + hours * 3_600_000);
    }
    expect(release).toHaveBeenCalledTimes(1 + 40);
    const { rows } = await app.owner.query(
      `select attempts, isfinite(due_at) as due from suspense_entry where id = $1`,
      [id],
    );
    expect(rows).toEqual([{ attempts: 0, due: true }]);
    release.mockRestore();
    await submitDueOrders(app.services, log, Date.now() + 41 * 3_600_000);
    await arrive();
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'returned' }]);
    await verified(own.accountId);
  });

  test('an order has its last attempt before it waits for a person', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    const stuck: boolean[] = [];
    const isStuck = async () => {
      const { rows } = await app.owner.query(
        `select due_at = 'infinity' as stuck from suspense_entry where id = $1`,
        [id],
      );
      return rows[0].stuck;
    };
    const release = vi.spyOn(app.services.rails.pix, 'refund').mockImplementation(async () => {
      stuck.push(await isStuck());
      throw new Error('the bank does not answer');
    });
    await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`);
    const log = pino({ level: 'silent' });
    for (let hours = 1; hours <= 40; hours += 1)
      await submitDueOrders(app.services, log, Date.now() + hours * 3_600_000);
    release.mockRestore();
    expect([stuck.length, stuck.includes(true), await isStuck()]).toEqual([37, false, true]);
  });

  test('an entry whose return the rail refuses is open again', async () => {
    const own = await app.addAccount();
    const id = await strayPix(own);
    const release = vi.spyOn(app.services.rails.pix, 'refund');
    release.mockRejectedValueOnce(new RailRefused('the account of the payer is closed'));
    expect(
      (await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`)).json.data
        .returnSuspense.suspenseEntry.state,
    ).toBe('OPEN');
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'open' }]);
    expect(
      (await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`)).json.data
        .returnSuspense.suspenseEntry.state,
    ).toBe('RETURNING');
    release.mockRestore();
    await arrive();
    await arrive();
    expect(await suspenseOf(own.accountId)).toMatchObject([{ state: 'returned' }]);
    await verified(own.accountId);
  });
});

describe('a MED dispute about a PIX in suspense', () => {
  const reportOf = (id: string, kind: DisputeEvent['kind'], amount: string | null = null) =>
    app.services.receive({ kind, disputeId: `med-${id}`, endToEndId: endToEndIdOf(id), amount });
  const endToEndIdOf = (id: string) => endToEndIds.get(id) as string;
  const endToEndIds = new Map<string, string>();
  const disputed = async (): Promise<string> => {
    const row = await onramp(merchant);
    await action(merchant, `/v2/onramp/${row.end2end}/cancel`);
    const payment = pixFor(row);
    await app.services.receive(payment);
    const { id } = (await suspenseOf(merchant.accountId)).at(-1);
    endToEndIds.set(id, payment.endToEndId);
    await reportOf(id, 'dispute_opened');
    return id;
  };
  const RETURN = (id: string) => `returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`;
  const ASSIGN = (id: string) =>
    `assignSuspense(input: { suspenseId: "${id}", account: "${merchant.accountId}", reason: "checked" })`;

  test('neither a return nor a credit goes out while it is open, and both may when it was rejected', async () => {
    const id = await disputed();
    for (const mutation of [RETURN(id), ASSIGN(id)])
      expect(errorsIn((await decide(mutation)).json)?.[0]).toMatchObject({
        message: `suspense entry ${id} is held by a MED dispute until it is decided`,
        extensions: { code: 'STEP_CONFLICT' },
      });
    await reportOf(id, 'dispute_rejected');
    expect(codeOf(await decide(RETURN(id)))).toBeUndefined();
    await arrive();
    expect((await suspenseOf(merchant.accountId)).find((each) => each.id === id)?.state).toBe('returned');
  });

  test('an accepted one took the money back: it is booked once, and not sent again', async () => {
    const id = await disputed();
    await reportOf(id, 'dispute_accepted');
    expect(await reportOf(id, 'dispute_accepted')).toMatchObject({ outcome: 'duplicate' });
    expect((await suspenseOf(merchant.accountId)).find((each) => each.id === id)).toMatchObject({
      state: 'returned',
    });
    expect(codeOf(await decide(RETURN(id)))).toBe('STEP_CONFLICT');
    await verified(merchant.accountId);
  });

  test('one about a part takes it, and the rest can go back', async () => {
    const id = await disputed();
    await reportOf(id, 'dispute_accepted', '40.00');
    const entry = async () => (await suspenseOf(merchant.accountId)).find((each) => each.id === id);
    expect(await entry()).toMatchObject({ state: 'open', amount: '6000' });
    expect(codeOf(await decide(RETURN(id)))).toBeUndefined();
    await arrive();
    expect(await entry()).toMatchObject({ state: 'returned' });
    await verified(merchant.accountId);
  });

  test('a return that was decided before it was opened is not ordered until it is decided', async () => {
    const id = await disputed();
    await reportOf(id, 'dispute_rejected');
    const refund = vi.spyOn(app.services.rails.pix, 'refund').mockRejectedValueOnce(new Error('away'));
    await decide(RETURN(id));
    await app.services.receive({
      ...{ kind: 'dispute_opened', disputeId: `late-${id}` },
      ...{ endToEndId: endToEndIdOf(id), amount: null },
    });
    const before = refund.mock.calls.length;
    await submitDueOrders(app.services, SILENT, app.database.nowMs() + 60_000);
    expect(refund.mock.calls.length).toBe(before);
    refund.mockRestore();
    expect((await suspenseOf(merchant.accountId)).find((each) => each.id === id)?.state).toBe('returning');
  });
});
