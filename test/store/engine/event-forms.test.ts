/**
 * Goal: bodies of events take the room of their values, and are read byte for byte as they were written (C-9). Method: the writer
 * of bodies over all steps of all templates; then events in the database, whole ones from before beside them.
 */
import { expect, test } from 'vitest';
import { instantOf } from '../../../src/base/time/instant.ts';
import { bodyOf } from '../../../src/events/body.ts';
import { readEvents } from '../../../src/store/events/events.ts';
import { NO_FACTS, type PublishedRow } from '../../../src/templates/facts.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { envelopeWriter } from '../../../src/wire/envelope.ts';
import { useDatabase } from '../../support/database.ts';
import { addBusiness, writeEvents } from '../../support/events.ts';

const store = useDatabase();
const writer = envelopeWriter(REGISTRY, { exactIntegers: false });
const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const AT = instantOf(new Date('2026-05-01T12:00:00Z'));

const rowsOf = (facts: Partial<PublishedRow>): PublishedRow[] =>
  REGISTRY.templates.flatMap(({ name, steps }) =>
    steps.map(({ component, state }) => ({
      ...NO_FACTS,
      ...{ end2end: 'T1', template: name, component, state, createdAt: AT, updatedAt: AT },
      ...{ errorEn: '', errorPt: '', asPublished: null, ...facts },
    })),
  );
const SAID = {
  end2end: 'T2',
  clientName: 'Ana\n"Souza"\\ \u2028',
  sourceAmount: '100.50',
  errorEn: 'no\nreason',
  errorPt: '"nenhuma"',
};

test('C-9: the body of every step of every template is its form with its values', () => {
  for (const facts of [{}, SAID])
    for (const row of rowsOf(facts)) {
      const stored = writer.stored(row);
      expect(bodyOf(stored)).toBe(writer.envelope(row));
      expect(stored.payload.length).toBeLessThan(writer.envelope(row).length / 2);
    }
});

test('bodies of a step share their form, whatever their content: one without an error, one with', () => {
  const formsOf = (facts: Partial<PublishedRow>) => rowsOf(facts).map((row) => writer.stored(row).form);
  const other = { ...SAID, end2end: 'T3', clientName: 'Rui', sourceAmount: '7', errorEn: 'x', errorPt: 'y' };
  expect(formsOf(other)).toEqual(formsOf(SAID));
  const noError = { errorEn: '', errorPt: '' };
  expect(formsOf({ ...other, ...noError })).toEqual(formsOf({ ...SAID, ...noError }));
});

test('the form records which members a body lacks, and is shared by bodies that lack the same', () => {
  const [onramp] = rowsOf({}).filter(({ template }) => template === 'onramp') as [PublishedRow];
  const nameless = writer.stored(onramp);
  expect(nameless.form).toContain('"client_name":""');
  expect(nameless.payload).not.toContain('""');
  expect(writer.stored({ ...onramp, sourceAmount: '7' }).form).toBe(nameless.form);
  const named = writer.stored({ ...onramp, clientName: 'Rui' });
  expect(named.form).not.toBe(nameless.form);
  expect(named.payload).toContain('"Rui"');
});

test('currencies and templates, of which there are few, are in the form and not in each event', () => {
  for (const row of rowsOf({ ...SAID, sourceCurrency: 'BRL', targetCurrency: 'USDT_TRX' })) {
    const stored = writer.stored(row);
    expect(bodyOf(stored)).toBe(writer.envelope(row));
    expect(stored.payload).not.toMatch(/USDT|"onramp|"offramp/);
  }
});

test('C-70: a body with labels of imported history is stored whole', () => {
  const [row] = rowsOf({ asPublished: { 'status.en': 'As it was' } });
  const stored = writer.stored(row as PublishedRow);
  expect(stored).toEqual({ form: null, payload: writer.envelope(row as PublishedRow) });
});

test('events of one form store it once, are read whole by the gateway and by SQL; whole ones stay', async () => {
  const accountId = await addBusiness(store.database, store.owner, { transactions: 3 });
  const forms = async () => (await store.owner.query('select text from event_form')).rowCount;
  await writeEvents(store.database, [{ accountId }, { accountId, transactionId: 2n }]);
  expect(await forms()).toBe(1);
  await writeEvents(store.database, [{ accountId }]);
  expect(await forms()).toBe(1);
  await store.owner.query(
    `with head as (update account_head set event_seq = 4 where account_id = $1)
     insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
       values ($1, 4, 'onramp.payment.paid', 3, 1, 'payment', 'paid', now(), '{"from": "before"}')`,
    [String(accountId)],
  );
  const told = (await readEvents(store.database, accountId, 0n, 10)).map(({ payload }) => payload);
  const body = (seq: number) => `{"account":"${accountId}","seq":"${seq}","text":"é \\"quoted\\""}`;
  expect(told).toEqual([body(1), body(2), body(3), '{"from": "before"}']);
  const { rows } = await store.owner.query(
    'select event_body(form, payload) as body from event where account_id = $1 order by seq',
    [String(accountId)],
  );
  expect(rows.map((row) => row.body)).toEqual(told);
});

test.each([
  'commit',
  'rollback',
])('a form that two add at once is there for both: %s of the first', async (end) => {
  const accountId = await addBusiness(store.database, store.owner);
  await writeEvents(store.database, [{ accountId }]);
  const [form] = (await store.owner.query('select id, text from event_form')).rows;
  await store.owner.query('alter table event_form disable trigger append_only');
  await store.owner.query('delete from event_form');
  const first = await store.owner.connect();
  try {
    await first.query('begin');
    await first.query('insert into event_form (id, text) values ($1, $2)', [form.id, form.text]);
    const written = writeEvents(store.database, [{ accountId }]);
    await expect.poll(async () => (await store.owner.query(WAITING)).rowCount, { timeout: 15_000 }).toBe(1);
    await first.query(end);
    await written;
  } finally {
    first.release();
  }
  const told = await readEvents(store.database, accountId, 0n, 10);
  expect(told.map(({ payload }) => JSON.parse(payload).seq)).toEqual(['1', '2']);
});
