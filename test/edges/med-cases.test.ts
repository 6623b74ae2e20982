/**
 * Goal: each dispute and report of fraud about a PIX is a case that is answered in time, once, by its account or the operator and nobody
 * else; what it blocks stays blocked; an evidence pack has the same bytes each time. Method: payments of a sandbox account, reports of the
 * rail as they come, twice and at the same time, acts over GraphQL by keys of the account, of another one, and of the platform.
 */
import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { retryRailEvents } from '../../src/resolvers/inbound/retry-rail-events.ts';
import { linkMedCases } from '../../src/resolvers/med/link-case.ts';
import { raiseMedAlarms } from '../../src/resolvers/med/raise-alarms.ts';
import { sendMedAnswers } from '../../src/resolvers/med/send-answers.ts';
import type { DisputeEvent, InfractionEvent } from '../../src/resolvers/services/rail-event.ts';
import { type MedAnswerOrder, type PixRail, RailRefused } from '../../src/resolvers/services/rails.ts';
import { findAnywhere } from '../../src/store/engine/processes.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const LOG = { warn: () => {} };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const PDF = Buffer.from('%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n');
const url = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

let shop: Awaited<ReturnType<typeof app.addAccount>>;
let other: Awaited<ReturnType<typeof app.addAccount>>;
let count = 0;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);
const own = () => app.services.forMode('sandbox');

beforeAll(async () => {
  shop = await app.addAccount();
  other = await app.addAccount();
});

/** @returns a finished payment. */
async function paid() {
  const { createCheckout } = await ask(
    'mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, clientName: "Maria Souza Prado", clientTaxId: "39053344705" }) { transaction { end2end } errors { message } } }',
  );
  const { end2end } = createCheckout.transaction;
  const row = async () => {
    const found = await findAnywhere(app.database, end2end);
    if (!found) throw new Error(`no transaction ${end2end}`);
    return found;
  };
  const reach = (step: string) =>
    vi.waitFor(
      async () => {
        const { component, state } = await row();
        expect(`${component}/${state}`).toBe(step);
      },
      { timeout: 15_000 },
    );
  await vi.waitFor(
    async () => {
      const { sandboxTrigger } = await ask(
        'mutation ($e: String!) { sandboxTrigger(input: { end2end: $e, scenario: PAY }) { errors { message } } }',
        { e: end2end },
      );
      expect(sandboxTrigger.errors).toEqual([]);
    },
    { timeout: 15_000 },
  );
  await reach('success/DONE');
  return { end2end: end2end as string, row, reach, pixE2e: (await row()).pixE2e as string };
}
type Paid = Awaited<ReturnType<typeof paid>>;

const nextName = (kind: string) => {
  count += 1;
  return `${kind}-${count}`;
};
const tell = (event: DisputeEvent | InfractionEvent) => own().receive(event);
const report = ({ pixE2e }: Paid, more: Partial<InfractionEvent> = {}): InfractionEvent => ({
  kind: 'infraction',
  infractionId: nextName('inf'),
  endToEndId: pixE2e,
  amount: null,
  reason: 'golpe',
  reportedAt: new Date().toISOString(),
  ...more,
});
const dispute = ({ pixE2e }: Paid, more: Partial<DisputeEvent> = {}): DisputeEvent => ({
  kind: 'dispute_opened',
  disputeId: nextName('dis'),
  endToEndId: pixE2e,
  amount: null,
  ...more,
});

const CASE = `caseId kind state reference amount reason dueAt openedAt closedAt closedBy blocked { amount currency { code } }
  transaction { end2end } answers { answerId analysis body state failure fileIds } files { fileId name type sha256 size isEvidence }
  history { event actor detail }`;
async function casesOf({ end2end }: Paid, key = shop.apiKey) {
  const { medCases } = await ask(
    `query ($e: String!) { medCases(end2end: $e) { totalCount nodes { ${CASE} } } }`,
    { e: end2end },
    key,
  );
  return medCases.nodes;
}
const caseOf = async (of: Paid) => (await casesOf(of))[0];
async function opened(more: Partial<InfractionEvent> = {}) {
  const of = await paid();
  await tell(report(of, more));
  return { of, id: (await caseOf(of)).caseId as string };
}
const events = ({ history }: { history: readonly { event: string }[] }) => history.map(({ event }) => event);
const ATTACH = `mutation ($id: String!, $name: String!, $content: String!) { attachMedFile(input: { caseId: $id, name: $name, content: $content }) { medCase { ${CASE} } errors { code message path } } }`;
const EVIDENCE = `mutation ($id: String!) { makeMedEvidence(input: { caseId: $id }) { medCase { ${CASE} } errors { code message path } } }`;
const ANSWER = `mutation ($id: String!, $body: String!, $key: String) { answerMedCase(input: { caseId: $id, analysis: CONTEST, body: $body, idempotencyKey: $key }) { medCase { ${CASE} } errors { code message path } } }`;
const RECORD = `mutation ($id: String!, $outcome: MedOutcome!) { recordMedOutcome(input: { caseId: $id, outcome: $outcome, reason: "mail of the bank" }) { medCase { ${CASE} } errors { code message path } } }`;
const REFUND = `mutation ($e: String!) { refundPayment(input: { end2end: $e }) { transaction { end2end } errors { code message path } } }`;

describe('a case', () => {
  test('is opened once, however often its report arrives, also in parallel, and the account is notified once', async () => {
    const of = await paid();
    const event = report(of);
    await Promise.all([tell(event), tell(event), tell(event)]);
    await tell(event);
    const cases = await casesOf(of);
    expect(cases).toMatchObject([
      {
        kind: 'INFRACTION',
        state: 'OPEN',
        reason: 'golpe',
        transaction: { end2end: of.end2end },
        blocked: null,
      },
    ]);
    expect(Date.parse(cases[0].dueAt) - Date.parse(cases[0].openedAt)).toBe(5 * 86_400_000);
    const { rows } = await app.owner.query(
      `select e.name from event e join transaction t on t.account_id = e.account_id and t.id = e.transaction_id where t.end2end = $1 and e.name like '%.med_case.%'`,
      [of.end2end],
    );
    expect(rows).toEqual([{ name: 'crossramp_checkout.med_case.opened' }]);
  });

  test('has the deadline of the provider, if that reports one', async () => {
    const dueAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const { of } = await opened({ dueAt });
    expect(await caseOf(of)).toMatchObject({ dueAt });
  });

  test('of a dispute shows the blocked amount, and is decided with it', async () => {
    const of = await paid();
    const event = dispute(of);
    await tell(event);
    await of.reach('dispute/OPEN');
    const { blocked } = await caseOf(of);
    expect(blocked.currency.code).toBe('USDT_TRX');
    expect(Number(blocked.amount)).toBeGreaterThan(0);
    await tell({ ...event, kind: 'dispute_accepted' });
    await of.reach('dispute/ACCEPTED');
    expect(await caseOf(of)).toMatchObject({ state: 'ACCEPTED', blocked: null, closedBy: null });
    // A decision that comes late changes nothing.
    await tell({ ...event, kind: 'dispute_rejected' });
    expect(await caseOf(of)).toMatchObject({ state: 'ACCEPTED' });
  });

  test('may be accepted by the bank after it was rejected or withdrawn', async () => {
    const of = await paid();
    const event = dispute(of);
    await tell(event);
    await tell({ ...event, kind: 'dispute_rejected', isCancelled: true });
    expect(await caseOf(of)).toMatchObject({ state: 'CANCELLED' });
    await tell({ ...event, kind: 'dispute_accepted' });
    await of.reach('dispute/ACCEPTED');
    expect(events(await caseOf(of))).toEqual(['opened', 'cancelled', 'accepted']);
  });

  test('one of several about a payment: no refund before all are closed', async () => {
    const of = await paid();
    const [first, second] = [report(of), report(of)];
    await Promise.all([tell(first), tell(second)]);
    const refund = () => refusal(REFUND, { e: of.end2end });
    expect(await refund()).toMatchObject({ code: 'STEP_CONFLICT' });
    await tell({ ...first, decision: 'rejected' });
    expect(await refund()).toMatchObject({ code: 'STEP_CONFLICT' });
    await tell({ ...second, decision: 'cancelled' });
    const { refundPayment } = await ask(REFUND, { e: of.end2end });
    expect(refundPayment.errors).toEqual([]);
    expect((await casesOf(of)).map(({ state }: { state: string }) => state).toSorted()).toEqual([
      'CANCELLED',
      'REJECTED',
    ]);
  });

  test('about a payment that no account has is the platform’s', async () => {
    const of = { pixE2e: `E9999999920261130120000000000${count}` } as Paid;
    const event = report(of);
    await tell(event);
    const { medCases } = await ask(
      '{ medCases { nodes { caseId reference transaction { end2end } } } }',
      {},
      app.platformKey,
    );
    const found = medCases.nodes.find(
      ({ reference }: { reference: string }) => reference === event.infractionId,
    );
    expect(found).toMatchObject({ transaction: null });
    expect(
      (await ask('query ($id: String!) { medCase(caseId: $id) { caseId } }', { id: found.caseId })).medCase,
    ).toBeNull();
    const key = `MED_CASE:0:${found.caseId}`;
    const file =
      'query ($id: String!) { reviewCase(caseKey: $id) { waiting { dueAt } medCases { caseId } } }';
    const { reviewCase } = await ask(file, { id: key }, app.platformKey);
    expect(reviewCase).toMatchObject({ waiting: {}, medCases: [{ caseId: found.caseId }] });
    expect(await refusal(file, { id: key })).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a case that is reported before its payment', () => {
  /** @returns a payment that is not made yet: `pay` reports it under the EndToEndId of a report that came first. */
  async function unpaid() {
    const { createCheckout } = await ask(
      'mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, clientName: "Maria Souza Prado", clientTaxId: "39053344705" }) { transaction { end2end } errors { message } } }',
    );
    const { end2end } = createCheckout.transaction;
    const row = async () => {
      const found = await findAnywhere(app.database, end2end);
      if (!found) throw new Error(`no transaction ${end2end}`);
      return found;
    };
    const txid = await vi.waitFor(
      async () => {
        const found = (await row()).process?.txid;
        if (!found) throw new Error('there is no charge yet');
        return found;
      },
      { timeout: 15_000 },
    );
    count += 1;
    const pixE2e = `E99999999202611301200${String(count).padStart(11, '0')}`;
    const payment = {
      kind: 'payment',
      endToEndId: pixE2e,
      txid,
      amount: '150.00',
      payerTaxId: '39053344705',
    } as const;
    const pay = () => own().receive({ ...payment, settledAt: new Date().toISOString() });
    const reach = (step: string) =>
      vi.waitFor(
        async () => {
          const { component, state } = await row();
          expect(`${component}/${state}`).toBe(step);
        },
        { timeout: 15_000 },
      );
    return { end2end, row, reach, pixE2e, pay };
  }

  /** @returns a payment whose report was stored as if the payment were unknown: both came at once. */
  async function unlinked() {
    const of = await unpaid();
    await of.pay();
    await of.reach('success/DONE');
    const event = report(of);
    await tell({ ...event, endToEndId: `${of.pixE2e.slice(0, -1)}x` });
    await app.owner.query('update med_case set pix_e2e = $2 where reference = $1', [
      event.infractionId,
      of.pixE2e,
    ]);
    return of;
  }

  test('goes to the account of the payment with it, and blocks its refunds until it is decided', async () => {
    const of = await unpaid();
    const event = report(of);
    await tell(event);
    expect(await casesOf(of)).toEqual([]);
    await of.pay();
    await of.reach('success/DONE');
    const known = await caseOf(of);
    expect(known).toMatchObject({ state: 'OPEN', transaction: { end2end: of.end2end } });
    expect(events(known)).toEqual(['opened', 'payment_found']);
    expect(await refusal(REFUND, { e: of.end2end })).toMatchObject({ code: 'STEP_CONFLICT' });
    await tell({ ...event, decision: 'rejected' });
    expect((await ask(REFUND, { e: of.end2end })).refundPayment.errors).toEqual([]);
  });

  test('of a dispute holds what is left of the payment, also where its report had failed', async () => {
    const of = await unpaid();
    const event = dispute(of);
    await tell(event);
    await app.owner.query(
      `update rail_news set outcome = 'failed', untaken = 10, due_at = null where key = $1`,
      [`pix:${event.disputeId}`],
    );
    await of.pay();
    await of.reach('success/DONE');
    await retryRailEvents(app.services, LOG, Date.now() + 60_000);
    await of.reach('dispute/OPEN');
    expect(Number((await caseOf(of)).blocked.amount)).toBeGreaterThan(0);
  });

  test('at the same time as its payment is found by the next look, once', async () => {
    const of = await unlinked();
    await Promise.all([linkMedCases(own(), LOG), linkMedCases(own(), LOG)]);
    expect(events(await caseOf(of))).toEqual(['opened', 'payment_found']);
    expect((await of.row()).process?.medCases).toHaveLength(1);
    expect(await refusal(REFUND, { e: of.end2end })).toMatchObject({ code: 'STEP_CONFLICT' });
  });

  test('that cannot be linked yet keeps no other from its payment', async () => {
    const [stuck, next] = [await unlinked(), await unlinked()];
    const { id } = await stuck.row();
    const advance: ReturnType<typeof own>['advance'] = async (request) => {
      if ('transactionId' in request.target && request.target.transactionId === id)
        throw new Error('its account is locked');
      return own().advance(request);
    };
    await linkMedCases({ ...own(), advance }, LOG);
    expect(await casesOf(stuck)).toEqual([]);
    expect(events(await caseOf(next))).toEqual(['opened', 'payment_found']);
    await linkMedCases(own(), LOG);
    expect(events(await caseOf(stuck))).toEqual(['opened', 'payment_found']);
  });

  test('that is decided before its payment goes to the account, and blocks nothing', async () => {
    const of = await unpaid();
    const event = report(of);
    await tell({ ...event, decision: 'cancelled' });
    await of.pay();
    await of.reach('success/DONE');
    expect(await caseOf(of)).toMatchObject({ state: 'CANCELLED', transaction: { end2end: of.end2end } });
    expect((await ask(REFUND, { e: of.end2end })).refundPayment.errors).toEqual([]);
  });

  test('stays with the platform where the payment lies in suspense without an account', async () => {
    count += 1;
    const pixE2e = `E9999999920261130130000000000${count}`;
    const event = report({ pixE2e } as Paid);
    await tell(event);
    const unknown = { txid: null, payerTaxId: null, amount: '10.00', settledAt: new Date().toISOString() };
    await own().receive({ kind: 'payment', endToEndId: pixE2e, ...unknown });
    await linkMedCases(own(), LOG);
    const { rows } = await app.owner.query('select transaction_id from med_case where reference = $1', [
      event.infractionId,
    ]);
    expect(rows).toEqual([{ transaction_id: null }]);
  });
});

describe('the queue', () => {
  const QUEUE = '{ reviewQueue(kinds: [DISPUTE, MED_CASE], first: 100) { nodes { kind reference dueAt } } }';
  const queueOf = async (key: string) => (await ask(QUEUE, {}, key)).reviewQueue.nodes;

  test('lists the case for its account and the operator, the first due first; another account sees none', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await opened({ dueAt: soon });
    const of = await paid();
    await tell(dispute(of));
    await of.reach('dispute/OPEN');
    for (const key of [shop.apiKey, app.platformKey]) {
      const nodes = await queueOf(key);
      expect(nodes[0]).toEqual({ kind: 'MED_CASE', reference: id, dueAt: soon });
      const open = nodes.find(({ reference }: { reference: string }) => reference === of.end2end);
      expect(open).toMatchObject({ kind: 'DISPUTE', dueAt: (await caseOf(of)).dueAt });
    }
    expect(await queueOf(other.apiKey)).toEqual([]);
  });

  test('no longer lists it once it is answered', async () => {
    const { id } = await opened();
    await ask(ANSWER, { id, body: 'Entregue.' });
    await sendMedAnswers(own(), LOG);
    const nodes = await queueOf(shop.apiKey);
    expect(nodes.map(({ reference }: { reference: string }) => reference)).not.toContain(id);
  });
});

describe('an alarm', () => {
  const dueIn = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const raised = async (of: Paid) => events(await caseOf(of)).filter((event) => event.startsWith('due_'));

  test.each([
    [47, ['due_48h']],
    [23, ['due_24h']],
    [5, ['due_6h']],
    [-1, ['due_6h']],
    [49, []],
  ])('with %s hours left: %s, once, also where two processes look', async (hours, wanted) => {
    const { of } = await opened({ dueAt: dueIn(hours) });
    await Promise.all([raiseMedAlarms(own(), LOG), raiseMedAlarms(own(), LOG)]);
    await raiseMedAlarms(own(), LOG);
    expect(await raised(of)).toEqual(wanted);
  });

  test('is an event of the transaction, and is raised at 48, 24 and 6 hours', async () => {
    const { of, id } = await opened({ dueAt: dueIn(47) });
    for (const hours of [23, 5]) {
      await raiseMedAlarms(own(), LOG);
      await app.owner.query(
        `update med_case set due_at = $2, alarm_at = $2::timestamptz - make_interval(hours => $3) where id = $1`,
        [id, dueIn(hours), hours + 1],
      );
    }
    await raiseMedAlarms(own(), LOG);
    expect(await raised(of)).toEqual(['due_48h', 'due_24h', 'due_6h']);
    const { rows } = await app.owner.query(
      `select e.name from event e join transaction t on t.account_id = e.account_id and t.id = e.transaction_id where t.end2end = $1 and e.name like '%.due_%' order by e.seq`,
      [of.end2end],
    );
    expect(rows.map(({ name }) => name)).toEqual(
      ['48h', '24h', '6h'].map((each) => `crossramp_checkout.med_case.due_${each}`),
    );
  });

  test('is not raised for answered or decided cases', async () => {
    const { of, id } = await opened({ dueAt: dueIn(5) });
    await app.owner.query(`update med_case set alarm_at = now() + interval '1 day' where id = $1`, [id]);
    await ask(RECORD, { id, outcome: 'ANSWERED' }, app.platformKey);
    await raiseMedAlarms(own(), LOG);
    expect(await raised(of)).toEqual([]);
  });
});

describe('a file', () => {
  test('is a PDF or a picture by its bytes, with a fitting name, and of limited size and number', async () => {
    const { id } = await opened();
    const attach = (name: string, content: string) => refusal(ATTACH, { id, name, content });
    const big = Buffer.concat([PDF, Buffer.alloc(524_289), Buffer.from('%%EOF')]);
    for (const [name, content] of [
      ['a.pdf', url('application/pdf', Buffer.from('<script>'))],
      ['a.pdf', url('application/pdf', big)],
      ['a.pdf', url('image/png', PNG)],
      ['a.html', url('application/pdf', PDF)],
      ['../a.pdf', url('application/pdf', PDF)],
      ['.pdf', url('application/pdf', PDF)],
      ['a.pdf', 'data:text/html;base64,PGI+'],
      ['a.pdf', ''],
      ['a\u202e.pdf', url('application/pdf', PDF)],
    ] as const)
      expect(await attach(name, content), name).toMatchObject({ code: 'INVALID_PARAMETER' });
    for (let n = 1; n <= 5; n += 1) {
      const { attachMedFile } = await ask(ATTACH, {
        id,
        name: `${n}.pdf`,
        content: url('application/pdf', PDF),
      });
      expect(attachMedFile.errors).toEqual([]);
    }
    expect(await attach('6.png', url('image/png', PNG))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('is refused above the most, also by five at the same time', async () => {
    const { of, id } = await opened();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        app.graphql(ATTACH, { id, name: `${n}.png`, content: url('image/png', PNG) }, { key: shop.apiKey }),
      ),
    );
    expect(all.filter(({ json }) => json.data.attachMedFile.errors.length === 0)).toHaveLength(5);
    expect((await caseOf(of)).files).toHaveLength(5);
  });

  test('cannot be changed, and neither can the history', async () => {
    const { id } = await opened();
    await ask(ATTACH, { id, name: 'a.pdf', content: url('application/pdf', PDF) });
    for (const table of ['med_file', 'med_event'])
      await expect(
        app.owner.query(`update ${table} set case_id = case_id where case_id = $1`, [id]),
      ).rejects.toThrow();
  });
});

describe('an evidence pack', () => {
  const FILE = 'query ($id: String!) { medFile(fileId: $id) { content sha256 size type } }';

  test('has the stored facts of the payment, and the same bytes and hash each time', async () => {
    const { of, id } = await opened({ reason: '<script>alert(1)</script>' });
    const { makeMedEvidence } = await ask(EVIDENCE, { id });
    const [file] = makeMedEvidence.medCase.files;
    expect(file).toMatchObject({ isEvidence: true, type: 'text/html', name: `med-${id}-pt.html` });
    const { medFile: first } = await ask(FILE, { id: file.fileId });
    await ask(ATTACH, { id, name: 'a.pdf', content: url('application/pdf', PDF) });
    const { medFile: again } = await ask(FILE, { id: file.fileId }, app.platformKey);
    expect(again).toEqual(first);
    const bytes = Buffer.from(first.content, 'base64');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
    const page = bytes.toString();
    const row = await of.row();
    for (const each of [
      of.end2end,
      of.pixE2e,
      row.process?.txid,
      row.process?.brCode,
      'Maria Souza Prado',
      '390.533.447-05',
      'depositpix_v2/PAID',
      'Aberto pelo banco do pagador',
      REGISTRY.stepOf(row.template, 'depositpix_v2', 'PAID').substatus.pt,
      '1 USDT = R$\u00a0',
    ])
      expect(page).toContain(each);
    // A bank reads it: amounts and events are in words of people.
    expect(page).toMatch(/<th scope="row">Valor pago<\/th><td>R\$\u00a0[\d.]+,\d\d</);
    expect(page).toMatch(/<th scope="row">Tarifas<\/th><td>R\$\u00a0\d+,\d\d</);
    expect(page).not.toMatch(/\d BRL|USDT_|>opened</);
    expect(page).not.toContain('<script');
    expect(page).not.toMatch(/src=|href=|https?:/);
  });

  test('is for its account and the operator alone', async () => {
    const { id } = await opened();
    const { makeMedEvidence } = await ask(EVIDENCE, { id });
    const [{ fileId }] = makeMedEvidence.medCase.files;
    expect((await ask(FILE, { id: fileId }, other.apiKey)).medFile).toBeNull();
    for (const odd of ['0', '-1', 'x', '9'.repeat(30), `${fileId} `])
      expect((await ask(FILE, { id: odd })).medFile, odd).toBeNull();
  });
});

describe('an answer', () => {
  const sent: MedAnswerOrder[] = [];
  let take: PixRail['answerMedCase'];
  const rails = () => ({
    ...own(),
    rails: { ...own().rails, pix: { ...own().rails.pix, answerMedCase: take } },
  });
  const send = () => sendMedAnswers(rails() as never, LOG);
  const again = (id: string) =>
    app.owner.query(
      `update med_answer set send_at = now() - interval '1 minute' where case_id = $1 and state = 'pending'`,
      [id],
    );

  beforeEach(() => {
    sent.length = 0;
    take = async (order) => void sent.push(order);
  });

  test('is stored once, also for parallel requests, and sent once under its id with the files', async () => {
    const { of, id } = await opened();
    await ask(EVIDENCE, { id });
    await ask(ATTACH, { id, name: 'a.pdf', content: url('application/pdf', PDF) });
    const all = await Promise.all(
      ['um', 'dois', 'três'].map((body) => app.graphql(ANSWER, { id, body }, { key: shop.apiKey })),
    );
    const codes = all.map(({ json }) => json.data.answerMedCase.errors[0]?.code ?? 'done');
    expect(codes.toSorted()).toEqual(['STEP_CONFLICT', 'STEP_CONFLICT', 'done']);
    await Promise.all([send(), send()]);
    const mine = sent.filter(({ reference }) => reference.startsWith('inf-'));
    expect(mine).toHaveLength(1);
    expect(mine[0]?.files.map(({ name }) => name)).toEqual([`med-${id}-pt.html`, 'a.pdf']);
    const after = await caseOf(of);
    expect(after).toMatchObject({ state: 'ANSWERED', answers: [{ state: 'SENT', answerId: mine[0]?.key }] });
    expect(events(after)).toEqual(['opened', 'evidence_made', 'attached', 'answered', 'answer_sent']);
    expect(await refusal(ATTACH, { id, name: 'b.pdf', content: url('application/pdf', PDF) })).toMatchObject({
      code: 'STEP_CONFLICT',
    });
  });

  test('is repeated under a key without a second one', async () => {
    const { of, id } = await opened();
    const key = `answer-${id}`;
    await ask(ANSWER, { id, body: 'Entregue.', key });
    const { answerMedCase } = await ask(ANSWER, { id, body: 'Entregue.', key });
    expect(answerMedCase.errors).toEqual([]);
    expect((await caseOf(of)).answers).toHaveLength(1);
    await send();
  });

  test('is sent again under the same id while the provider is unreachable, and shows that', async () => {
    const { of, id } = await opened();
    await ask(ANSWER, { id, body: 'Linha 1\r\nLinha 2' });
    take = async (order) => {
      sent.push(order);
      throw new Error('the line is down');
    };
    await send();
    expect(await caseOf(of)).toMatchObject({
      state: 'OPEN',
      answers: [{ state: 'PENDING', failure: 'the line is down', body: 'Linha 1\nLinha 2' }],
    });
    expect(await send()).toBe(0);
    take = async (order) => void sent.push(order);
    await again(id);
    await send();
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent.map(({ isRepeat }) => isRepeat)).toEqual([false, true]);
    expect(await caseOf(of)).toMatchObject({ state: 'ANSWERED' });
  });

  test('that the provider refuses leaves the case open, for another one', async () => {
    const { of, id } = await opened();
    await ask(ANSWER, { id, body: 'Entregue.' });
    take = async () => {
      throw new RailRefused('422 PrazoEncerrado');
    };
    await send();
    expect(await caseOf(of)).toMatchObject({
      state: 'OPEN',
      answers: [{ state: 'REFUSED', failure: '422 PrazoEncerrado' }],
    });
    take = async (order) => void sent.push(order);
    await ask(ANSWER, { id, body: 'Entregue, de novo.' });
    await send();
    expect((await caseOf(of)).answers.map(({ state }: { state: string }) => state)).toEqual([
      'REFUSED',
      'SENT',
    ]);
  });

  test('is dropped by a decision that arrives before it is sent, or while it is being sent', async () => {
    const of = await paid();
    const event = report(of);
    await tell(event);
    const { caseId: id } = await caseOf(of);
    await ask(ANSWER, { id, body: 'Entregue.' });
    take = async () => void (await tell({ ...event, decision: 'rejected' }));
    await send();
    const after = await caseOf(of);
    expect(after).toMatchObject({ state: 'REJECTED', answers: [{ state: 'DROPPED' }] });
    expect(events(after)).toEqual(['opened', 'answered', 'answer_dropped', 'rejected']);
    expect(await refusal(ANSWER, { id, body: 'Tarde.' })).toMatchObject({ code: 'STEP_CONFLICT' });
  });

  test('under way is withdrawn by the record that it was answered on the provider’s screens, and never sent', async () => {
    const { of, id } = await opened();
    await ask(ANSWER, { id, body: 'Entregue.' });
    take = async () => {
      throw new Error('the line is down');
    };
    await send();
    const { recordMedOutcome } = await ask(RECORD, { id, outcome: 'ANSWERED' }, app.platformKey);
    expect(recordMedOutcome).toMatchObject({
      errors: [],
      medCase: { state: 'ANSWERED', answers: [{ state: 'WITHDRAWN' }] },
    });
    take = async (order) => void sent.push(order);
    await again(id);
    await send();
    expect(sent.filter(({ reference }) => reference === recordMedOutcome.medCase.reference)).toEqual([]);
    expect(events(await caseOf(of))).toEqual([
      'opened',
      'answered',
      'answer_withdrawn',
      'answered_elsewhere',
    ]);
    expect(await refusal(ANSWER, { id, body: 'De novo.' })).toMatchObject({ code: 'STEP_CONFLICT' });
  });

  test('that is withdrawn between its claim and its order is not ordered', async () => {
    const { of, id } = await opened();
    await ask(ATTACH, { id, name: 'a.pdf', content: url('application/pdf', PDF) });
    await ask(ANSWER, { id, body: 'Entregue.' });
    const { forMode, ...services } = rails();
    const query = services.database.query.bind(services.database);
    const database = Object.create(services.database, {
      query: {
        value: async (statement: { name: string }, values: unknown[]) => {
          if (statement.name === 'med_file_content')
            await ask(RECORD, { id, outcome: 'ANSWERED' }, app.platformKey);
          return query(statement as never, values);
        },
      },
    });
    await sendMedAnswers({ ...services, forMode, database } as never, LOG);
    expect(sent).toEqual([]);
    expect(await caseOf(of)).toMatchObject({ state: 'ANSWERED', answers: [{ state: 'WITHDRAWN' }] });
  });

  test('that the provider takes while it is withdrawn is sent: the history has both', async () => {
    const { of, id } = await opened();
    await ask(ANSWER, { id, body: 'Entregue.' });
    take = async () => void (await ask(RECORD, { id, outcome: 'ANSWERED' }, app.platformKey));
    await send();
    const after = await caseOf(of);
    expect(after).toMatchObject({ state: 'ANSWERED', answers: [{ state: 'SENT' }] });
    expect(events(after).slice(-3)).toEqual(['answer_withdrawn', 'answered_elsewhere', 'answer_sent']);
  });

  test('has 1 to 2,000 characters', async () => {
    const { id } = await opened();
    for (const body of ['', ' \n ', 'x'.repeat(2_001), 'a\u0000b', 'a\u202eb'])
      expect(await refusal(ANSWER, { id, body })).toMatchObject({ code: 'INVALID_PARAMETER' });
  });
});

describe('an action on a case', () => {
  test('is performed by the account and the operator, by their scopes; a foreign case looks missing', async () => {
    const { of, id } = await opened();
    const actions = [
      [ATTACH, { id, name: 'a.pdf', content: url('application/pdf', PDF) }],
      [EVIDENCE, { id }],
      [ANSWER, { id, body: 'x' }],
    ] as const;
    const reader = (await app.addKey(shop.accountId, ['read', 'create', 'admin'])).apiKey;
    for (const [action, variables] of actions) {
      expect(await refusal(action, variables, other.apiKey)).toMatchObject({ code: 'NOT_FOUND' });
      expect(await refusal(action, { ...variables, id: '999999' }, shop.apiKey)).toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await refusal(action, variables, reader)).toMatchObject({ code: 'FORBIDDEN' });
    }
    for (const key of [shop.apiKey, other.apiKey])
      expect(await refusal(RECORD, { id, outcome: 'REJECTED' }, key)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await casesOf(of, other.apiKey)).toEqual([]);
    expect(events(await caseOf(of))).toEqual(['opened']);
    await ask(ANSWER, { id, body: 'Da operação.' }, app.platformKey);
    const { rows } = await app.owner.query(
      `select account_id::text as account, act from audit_entry where object_kind = 'med_case' and object_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ account: String(shop.accountId), act: 'med.answer_for' }]);
  });

  test('of the operator records an outcome at the provider, but not the decision of a dispute', async () => {
    const { of, id } = await opened();
    const { recordMedOutcome } = await ask(RECORD, { id, outcome: 'REJECTED' }, app.platformKey);
    expect(recordMedOutcome.medCase).toMatchObject({ state: 'REJECTED' });
    expect(recordMedOutcome.medCase.closedBy).not.toBeNull();
    expect(recordMedOutcome.medCase.history.at(-1)).toMatchObject({
      event: 'rejected',
      detail: 'mail of the bank',
    });
    expect(await refusal(RECORD, { id, outcome: 'REJECTED' }, app.platformKey)).toMatchObject({
      code: 'STEP_CONFLICT',
    });
    expect((await of.row()).process?.medCases).toEqual([]);
    const disputed = await paid();
    await tell(dispute(disputed));
    const { caseId } = await caseOf(disputed);
    expect(await refusal(RECORD, { id: caseId, outcome: 'REJECTED' }, app.platformKey)).toMatchObject({
      code: 'STEP_CONFLICT',
    });
  });
});
