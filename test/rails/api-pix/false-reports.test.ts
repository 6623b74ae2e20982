/**
 * Goal: forged, replayed, foreign and impossible reports credit nothing, whichever way they come (C-36). Method: 240 kinds of reports, made
 * from a table, by callback with a certificate of the provider's authority, in the answer about a charge, and on the statement; then the
 * books. `clientNames` is left out, so that every certificate of the authority gets through.
 */
import { expect, test } from 'vitest';
import { newEndToEndId } from '../../../src/base/pix/end-to-end-id.ts';
import { issue } from '../../../src/psp/ca.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { freePort } from '../../support/free-port.ts';
import { callBack, inventedPix } from './call-back.ts';
import { settingsFor, useStand } from './harness.ts';

const port = await freePort();
const stand = useStand(
  (psp) => {
    const settings = settingsFor(psp, port);
    return { ...settings, callback: settings.callback && { ...settings.callback, clientNames: [] } };
  },
  { works: true },
);

const HOUR_MS = 3_600_000;
const newId = () => newEndToEndId({ ispb: '12345678', at: new Date() });

/** What a false report is made from. */
interface World {
  /** A charge that nobody paid, and one that was paid. */
  readonly unpaid: ProcessRow;
  readonly paid: ProcessRow;
  /** A PIX of one real that came for nothing. */
  readonly stray: string;
  readonly pixKey: string;
}
type Make = (world: World) => object;

const IDS: Readonly<Record<string, Make>> = {
  'an invented PIX': () => ({ endToEndId: newId() }),
  'a PIX that was booked': ({ paid }) => ({ endToEndId: paid.pixE2e }),
  'a PIX of another amount, booked in suspense': ({ stray }) => ({ endToEndId: stray }),
};
const AMOUNTS: Readonly<Record<string, Make>> = {
  'the price': () => ({ valor: '100.00' }),
  'a thousand times as much': () => ({ valor: '100000.00' }),
  'a price without decimals': () => ({ valor: '100' }),
  nothing: () => ({ valor: '0.00' }),
};
const KEYS: Readonly<Record<string, Make>> = {
  'our key': ({ pixKey }) => ({ chave: pixKey }),
  'another key': () => ({ chave: 'attacker@example.com' }),
  'no key': () => ({}),
  'our key in capitals, as an order of ours': ({ pixKey, unpaid }) => ({
    chave: pixKey.toUpperCase(),
    gnExtras: { idEnvio: unpaid.end2end },
    status: 'REALIZADO',
  }),
};
const at = (offsetMs: number) => () => ({ horario: new Date(Date.now() + offsetMs).toISOString() });
const TIMES: Readonly<Record<string, Make>> = {
  now: at(0),
  'before the charge': at(-HOUR_MS),
  'the future': at(200_000),
  'a century ago': at(-876_000 * HOUR_MS),
  'no zone': () => ({ horario: new Date().toISOString().slice(0, 19) }),
};

const DIMENSIONS = [IDS, AMOUNTS, KEYS, TIMES];
const KINDS = DIMENSIONS.reduce<readonly { readonly name: string; readonly makes: readonly Make[] }[]>(
  (kinds, dimension) =>
    kinds.flatMap(({ name, makes }) =>
      Object.entries(dimension).map(([each, make]) => ({
        name: `${name}, ${each}`,
        makes: [...makes, make],
      })),
    ),
  [{ name: '', makes: [] }],
);
const pixOf = (world: World, makes: readonly Make[]) =>
  Object.assign({ txid: world.unpaid.process?.txid }, ...makes.map((make) => make(world))) as {
    readonly endToEndId: string;
  };

async function charged(): Promise<ProcessRow> {
  const row = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(row, 'depositpix/QRCODE');
  return stand.inbound.rowOf(row.end2end);
}

async function world(): Promise<World> {
  const [unpaid, other] = [await charged(), await charged()];
  await stand.psp.control('POST', '/pay', { txid: other.process?.txid });
  await stand.inbound.reach(other, 'success/DONE');
  const { json } = await stand.psp.control('POST', '/pay', { amount: '1.00' });
  await readStatement();
  const paid = await stand.inbound.rowOf(other.end2end);
  return { unpaid, paid, stray: json.endToEndIds[0], pixKey: stand.settings.pixKey };
}

async function readStatement(): Promise<void> {
  await stand.app.owner.query(
    `update pix_cursor set free_at = now() - interval '1 second' where source not like '% late'`,
  );
  await stand.part.poll();
}

/** Credited to the account and to the transaction. */
const credited = async ({ unpaid }: World) => {
  const { process } = await stand.inbound.rowOf(unpaid.end2end);
  const book = await stand.inbound.bookOf(stand.merchant.accountId);
  const own = Object.fromEntries(Object.entries(book).filter(([name]) => name.startsWith('M.')));
  return { step: await stand.inbound.stepOf(unpaid), paid: process?.paid ?? null, own };
};
const accepted = async () =>
  (
    await stand.app.owner.query(
      `select count(*)::int as count from rail_news where kind = 'payment' and outcome = 'step'`,
    )
  ).rows[0].count;

test(`${KINDS.length} kinds by callback credit nothing, neither immediately nor at a later poll`, async () => {
  const here = await world();
  const [before, steps] = [await credited(here), await accepted()];
  const identity = issue(stand.psp.certificates.ca, { name: 'Another client of the bank' });
  for (const { name, makes } of KINDS) {
    const status = await callBack(stand, { identity, body: JSON.stringify({ pix: [pixOf(here, makes)] }) });
    expect([200, 400], name).toContain(status);
  }
  expect(await credited(here)).toEqual(before);
  for (let turn = 0; turn < 5; turn++) {
    await stand.app.owner.query(
      `update rail_news set due_at = now() - interval '1 second', attempts = 9 where kind = 'unconfirmed' and outcome = 'pending'`,
    );
    await stand.part.poll();
  }
  expect(await credited(here)).toEqual(before);
  expect(await accepted()).toBe(steps);
  const { rows } = await stand.app.owner.query(
    `select outcome, count(*)::int as count from rail_news where kind = 'unconfirmed' group by outcome`,
  );
  expect(rows).toEqual([{ outcome: 'failed', count: expect.any(Number) }]);
  await stand.inbound.verified(stand.merchant.accountId);
}, 300_000);

test('an unproved caller fills at most half of the room for reports, and must use ids of the standard form', async () => {
  const identity = issue(stand.psp.certificates.ca, { name: 'Another client of the bank' });
  const send = (endToEndId: string) =>
    callBack(stand, { identity, body: JSON.stringify({ pix: [inventedPix({ endToEndId })] }) });
  for (const wrong of ['E1', `${newId()}0`]) expect(await send(wrong), wrong).toBe(400);
  await stand.app.owner.query(
    `insert into rail_news (mode, rail, kind, key, body, outcome, due_at)
      select 'live', 'pix', 'unconfirmed', 'pix:filling' || n, '{}', 'pending', now() + interval '1 day'
        from generate_series(1, 5000) n`,
  );
  expect(await send(newId())).toBe(503);
  await stand.app.owner.query(`delete from rail_news where key like 'pix:filling%'`);
  expect(await send(newId())).toBe(200);
});

test('a dispute invented by an unproved caller is polled for 40 minutes, and opens nothing', async () => {
  const { paid } = await world();
  const identity = issue(stand.psp.certificates.ca, { name: 'Another client of the bank' });
  const invented = { idInfracao: 'invented', endToEndId: paid.pixE2e, tipo: 'DISPUTA', status: 'ABERTA' };
  const body = JSON.stringify({ infracoes: [invented] });
  const outcomes = async () =>
    (
      await stand.app.owner.query(
        `select outcome from rail_news where kind = 'unconfirmed' and body -> 'dispute' ->> 'disputeId' = 'invented'`,
      )
    ).rows;
  expect(await callBack(stand, { identity, path: '/infracoes', body })).toBe(200);
  for (const [attempts, outcome] of [
    [3, 'pending'],
    [9, 'failed'],
  ] as const) {
    await stand.app.owner.query(
      `update rail_news set due_at = now() - interval '1 second', attempts = $1 where kind = 'unconfirmed' and outcome = 'pending'`,
      [attempts],
    );
    await stand.part.poll();
    await expect.poll(outcomes).toEqual([{ outcome }]);
  }
  expect(await stand.inbound.stepOf(paid)).toBe('success/DONE');
});

/** What a provider may truly say is no false report: our key, a time that can be, a PIX that was not booked before. */
const isTrue = (name: string) =>
  /^, an invented PIX/.test(name) && !/another key|as an order/.test(name) && /(now|no zone)$/.test(name);
const SAID = KINDS.filter(({ name }) => !isTrue(name));

test(`${SAID.length} kinds in the answer about a charge and on the statement credit nothing`, async () => {
  const here = await world();
  const [before, steps] = [await credited(here), await accepted()];
  const { txid } = here.unpaid.process ?? {};
  for (const { name, makes } of SAID) {
    const pix = [pixOf(here, makes)];
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      const isMeant = call.url.endsWith(`/cob/${txid}`) || call.url.includes('/v2/pix?');
      return isMeant ? { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), pix }) } : answer;
    };
    const told = await stand.part.port
      .queryCharge?.({ key: '', row: here.unpaid, txid: txid as string })
      .catch(() => []);
    for (const each of told ?? []) await stand.tools.receive(each);
    await readStatement();
    expect(await credited(here), name).toEqual(before);
  }
  stand.meddle = undefined;
  expect(await accepted()).toBe(steps);
  await stand.inbound.verified(stand.merchant.accountId);
}, 300_000);
