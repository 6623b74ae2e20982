/**
 * Goal: nobody on a list passes unseen, nothing passes while a screener is away, and money of somebody sanctioned stays (C-25).
 * Method: a gateway whose sandbox screens by real lists, by a provider over HTTP and by the API of Chainalysis, both played by a
 * server of this test on loopback.
 */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newPayment } from '../../../src/rails/sandbox/pix.ts';
import { createScreening, readScreeningSettings } from '../../../src/rails/screening/index.ts';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import { screenTransaction } from '../../../src/resolvers/screening/screen-transaction.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { findAnywhere, readProcesses } from '../../../src/store/engine/processes.ts';
import { findTransaction } from '../../../src/store/engine/transactions.ts';
import { useApp } from '../../support/app.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { listFolderOf, SANCTIONED_WALLET } from '../../support/screening-lists.ts';

const LOG = pino({ level: 'silent' });
const CLEAN = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';

/** What the providers say: an address or a person that they object to, and whether they answer at all. */
const provider = { isAway: false, objectsToAddress: (_: string) => false, people: new Map<string, string>() };
const asked: IncomingMessage[] = [];
const server = createServer(async (request, response) => {
  asked.push(request);
  let body = '';
  for await (const chunk of request) body += chunk;
  if (provider.isAway) return void response.writeHead(500).end();
  const address = /^\/api\/v1\/address\/(.+)$/.exec(request.url ?? '')?.[1];
  if (address === undefined) {
    const { document, ref } = JSON.parse(body);
    const status = provider.people.get(document) ?? 'CLEAR';
    return void response.end(JSON.stringify({ result: { status, id: ref, why: ['PEP', 'media'] } }));
  }
  const identifications = provider.objectsToAddress(address)
    ? [{ category: 'sanctions', name: 'SANCTIONS: OFAC' }]
    : [];
  response.end(JSON.stringify({ identifications }));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  provider.isAway = false;
  provider.objectsToAddress = () => false;
  provider.people.clear();
});

const folder = listFolderOf();
const secret = join(folder, 'secret.txt');
writeFileSync(secret, 'key-of-the-provider\n');
const settings = () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return [
    { kind: 'lists', folder, lists: ['ofac', 'un', 'ceis', 'pep', 'own'] },
    { kind: 'chainalysis-sanctions', url, keyFile: secret },
    {
      ...{ kind: 'http', name: 'bureau', url: `${url}/check`, screens: ['people'] },
      ...{
        headers: { AuthorizationFile: secret },
        body: { document: 'taxId', person: 'name', ref: 'reference' },
      },
      ...{ decision: '$.result.status', reference: '$.result.id', reasons: '$.result.why' },
      decisions: { CLEAR: 'cleared', REVIEW: 'held', BLOCK: 'frozen' },
    },
  ];
};
const app = useApp({
  railsFile: {
    sandbox: {
      ...{ pix: undefined, networks: new Map(), signer: undefined, rates: undefined, liquidity: undefined },
      identity: undefined,
      screening: (tools) => createScreening(readScreeningSettings(settings(), 'screening'), tools),
    },
  },
});
const { ask, create, trigger, until, refusal, fund, perform } = graphqlClient(app, () => app.apiKey);
const settled = () => settle(app.services, LOG, { mode: 'sandbox' });
let second: string;
beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  second = (await app.addKey(platform, ['platform:risk'])).apiKey;
  await app.owner.query(`update account_setting set whitelist_cooling_seconds = 0`);
});

const HITS = `id: hitId role list entry entryName score strength answer version state end2end decidedBy reason`;
const hitsOf = async (end2end: string | null, state = 'OPEN') =>
  (
    await ask(
      `{ screeningHits(first: 100, state: ${state}) { totalCount nodes { ${HITS} } } }`,
      {},
      app.platformKey,
    )
  ).screeningHits.nodes.filter((hit: { end2end: string | null }) => hit.end2end === end2end);
const onramp = async (more: object = {}) => {
  const { transaction, pixCopyPaste } = await create('createOnramp', {
    ...{ currency: 'USDT_TRX', amount: { brl: '550' }, accept: true, ...CLEAN, ...more },
  });
  return { end2end: transaction.end2end as string, pixCopyPaste };
};
const held = (mutation: string, end2end: string, more = 'reason: "checked"') =>
  `mutation { ${mutation}(input: { account: "${app.accountId}", end2end: "${end2end}" ${more} }) { transaction { component state } errors { code message path } } }`;
const decide = (mutation: string, id: string, reason = 'another person, case 4711') =>
  ask(
    `mutation { ${mutation}(input: { hitId: "${id}", reason: "${reason}" }) { screeningHit { state } errors { code message path } } }`,
    {},
    app.platformKey,
  );
const dueNow = () =>
  app.owner.query(
    `update job set due_at = now() - interval '1 second', leased_until = null where last_error is not null`,
  );

describe('before anything can be paid', () => {
  test('a sanctioned wallet is refused, and no PIX code is issued', async () => {
    const { end2end, pixCopyPaste } = await onramp({ currency: 'USDT_ETH', wallet: SANCTIONED_WALLET });
    await until(end2end, 'valida_id/IRREGULAR');
    expect(pixCopyPaste).toBeNull();
    expect(await hitsOf(end2end)).toMatchObject([
      { role: 'wallet', list: 'ofac', entry: '23500', score: '1', strength: 'EXACT', answer: 'FROZEN' },
    ]);
  });

  test('a listed name, with other accents and order, waits for a review; once dismissed it passes, and passes again', async () => {
    const listed = { clientName: 'Gonçalves Muller, Joao Antonio', clientTaxId: '111.444.777-35' };
    const { end2end, pixCopyPaste } = await onramp(listed);
    await until(end2end, 'valida_id/REVIEW');
    expect(pixCopyPaste).toBeNull();
    const [hit, ...others] = await hitsOf(end2end);
    expect([hit.list, hit.strength, hit.version, others]).toEqual([
      'ofac',
      'STRONG',
      expect.stringMatching(/^[0-9a-f]{12}$/),
      [],
    ]);
    await decide('dismissScreeningHit', hit.id);
    const [decided] = await hitsOf(end2end, 'DISMISSED');
    expect(decided).toMatchObject({ reason: 'another person, case 4711', decidedBy: expect.any(String) });
    await ask(held('approveStepUp', end2end, 'reason: "see the hit"'), {}, app.platformKey);
    await until(end2end, 'depositpix/QRCODE');
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    const again = await onramp(listed);
    await until(again.end2end, 'depositpix/QRCODE');
    expect(await hitsOf(again.end2end)).toEqual([]);
  });

  test('a decision of a provider over HTTP is accepted in its terms, with its reasons', async () => {
    provider.people.set('52998224725', 'REVIEW');
    const { end2end } = await onramp();
    await until(end2end, 'valida_id/REVIEW');
    expect(await hitsOf(end2end)).toMatchObject([
      { list: 'bureau', entryName: 'PEP, media', answer: 'HELD' },
    ]);
    expect(asked.at(-1)?.headers.authorization).toBe('key-of-the-provider');
  });

  test('a review that a person approved is not repeated when the money arrives, unless a new match is found', async () => {
    provider.people.set('52998224725', 'REVIEW');
    const reviewed = async () => {
      const { end2end } = await onramp();
      await until(end2end, 'valida_id/REVIEW');
      await ask(held('approveStepUp', end2end, 'reason: "known, accepted"'), {}, app.platformKey);
      await until(end2end, 'depositpix/QRCODE');
      return end2end;
    };
    const end2end = await reviewed();
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    const another = await reviewed();
    provider.people.set('52998224725', 'BLOCK');
    await trigger(another, 'pay');
    await until(another, 'compliance/UNCOMPLIANT');
  });

  test('the evidence pack of a MED case has each screening with its lists and providers, and names no match', async () => {
    provider.people.set('52998224725', 'REVIEW');
    const { end2end } = await onramp({ wallet: WALLET });
    await until(end2end, 'valida_id/REVIEW');
    await ask(held('approveStepUp', end2end, 'reason: "known, accepted"'), {}, app.platformKey);
    await until(end2end, 'depositpix/QRCODE');
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    await trigger(end2end, 'dispute-open');
    await until(end2end, 'dispute/OPEN');
    const { medCases } = await ask(
      '{ medCases(states: [OPEN]) { nodes { caseId transaction { end2end } } } }',
    );
    const { caseId } = medCases.nodes.find(
      (each: { transaction: { end2end: string } }) => each.transaction.end2end === end2end,
    );
    const packIn = async (language: string) => {
      const { makeMedEvidence } = await ask(
        `mutation { makeMedEvidence(input: { caseId: "${caseId}", language: ${language} }) { medCase { files { fileId } } errors { code } } }`,
      );
      const { fileId } = makeMedEvidence.medCase.files.at(-1);
      const { medFile } = await ask(`{ medFile(fileId: "${fileId}") { content } }`);
      return Buffer.from(medFile.content, 'base64').toString();
    };
    const sectionOf = (page: string, title: string) =>
      page
        .slice(page.indexOf(`<h2>${title}</h2>`))
        .replace(/<\/table>[\s\S]*/, '')
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ');
    const english = sectionOf(await packIn('EN'), 'Screening');
    expect(english).toMatch(
      /Before the payment customer, wallet ofac [0-9a-f]{12}, un [0-9a-f]{12}, ceis [0-9a-f]{12}, pep [0-9a-f]{12}, own [0-9a-f]{12}, chainalysis-sanctions, bureau Held for review by a person/,
    );
    expect(english).toMatch(/When the payment arrived customer, wallet .* bureau Passed/);
    expect(english).not.toMatch(/PEP, media|529|Souza/);
    expect(sectionOf(await packIn('PT'), 'Triagem de compliance')).toContain(
      'Retida para análise de uma pessoa',
    );
  });

  test('while a provider is unreachable nothing passes, however often it is attempted; afterwards it continues by itself', async () => {
    provider.isAway = true;
    const creating = onramp({ wallet: WALLET });
    for (let attempts = 1; attempts <= 5; attempts++) {
      await expect
        .poll(async () => {
          const { rows } = await app.owner.query(
            `select 1 from job where kind = 'check_identity' and last_error like '%cannot be queried%'`,
          );
          return rows.length;
        })
        .toBe(1);
      const before = asked.length;
      await dueNow();
      const askedNow = async () => {
        await settled();
        return asked.length;
      };
      await expect.poll(askedNow).toBeGreaterThan(before);
    }
    const { rows } = await app.owner.query(
      `select end2end, component, state from transaction order by id desc limit 1`,
    );
    expect(rows).toMatchObject([{ component: 'valida_id', state: 'INITIAL' }]);
    const checks = await app.services.railParts.find(({ name }) => name === 'screening')?.part.checks();
    expect(checks?.filter(({ ok }) => !ok).map(({ check }) => check)).toContain('bureau');
    // As `doctor` does it, in a process that has asked nobody.
    const tools = { ...{ database: app.database, mode: 'sandbox', log: LOG } } as never;
    const others = await createScreening(readScreeningSettings(settings(), 'screening'), tools).checks();
    expect(others.filter(({ ok }) => !ok)).not.toEqual([]);
    provider.isAway = false;
    await dueNow();
    await until(rows[0].end2end, 'depositpix/QRCODE');
    await creating.catch(() => {});
  }, 60_000);
});

describe('when money arrives', () => {
  test('a customer who was listed meanwhile is held, and continues once a person released it', async () => {
    const { end2end } = await onramp();
    provider.people.set('52998224725', 'REVIEW');
    await trigger(end2end, 'pay');
    await until(end2end, 'compliance/UNCOMPLIANT');
    await ask(held('releaseHold', end2end), {}, app.platformKey);
    await until(end2end, 'success/DONE');
  });

  /** A PIX of the customer's document, of which the bank reports the name. */
  async function payAs(end2end: string, payerName: string): Promise<void> {
    const row = await findAnywhere(app.database, end2end);
    const txid = row?.process?.txid ?? null;
    const settledAtMs = await app.services.clock.nowMs();
    const payment = { txid, amount: 55_000n, settledAtMs, payerTaxId: '52998224725', payerName };
    await app.services.receive(newPayment(payment));
  }

  test.each([
    ['held, where the list means a review', 'SICRANO FULANO BELTRANO', 'own', false],
    ['frozen, where the list is of sanctions', 'JOAO ANTONIO MULLER GONCALVES', 'ofac', true],
  ])('a payer whose reported name is on a list is %s', async (_, name, list, isFrozen) => {
    const { end2end } = await onramp();
    await payAs(end2end, name);
    await until(end2end, 'compliance/UNCOMPLIANT');
    expect(await hitsOf(end2end)).toMatchObject([{ role: 'payer', list, entryName: expect.any(String) }]);
    const row = await findAnywhere(app.database, end2end);
    expect(row?.process).toMatchObject({ payerTaxId: '52998224725', payerName: name });
    expect(row?.process?.isFrozen === true).toBe(isFrozen);
  });

  test('a payer whom the bank names as the customer, without accents, is screened once and passes', async () => {
    const { end2end } = await onramp({ clientName: 'Antônio  Conceição' });
    await payAs(end2end, 'ANTONIO CONCEICAO');
    await until(end2end, 'success/DONE');
    expect((await findAnywhere(app.database, end2end))?.process).not.toHaveProperty('payerName');
  });

  test('while a provider is unreachable a payer of another name waits, and continues afterwards', async () => {
    const { end2end } = await onramp();
    provider.isAway = true;
    await payAs(end2end, 'ANA SOUZA PRADO');
    const waits = () =>
      app.owner.query(`select 1 from job where kind = 'screen' and last_error like '%cannot be queried%'`);
    await expect.poll(async () => (await waits()).rows.length).toBe(1);
    expect(await findAnywhere(app.database, end2end)).toMatchObject({
      component: 'depositpix',
      state: 'PAID',
    });
    provider.isAway = false;
    await dueNow();
    await until(end2end, 'success/DONE');
  });

  test('a payment of another amount by a sanctioned person is frozen, and is not returned before two people released it', async () => {
    const { end2end } = await onramp();
    provider.people.set('52998224725', 'BLOCK');
    await trigger(end2end, 'pay-under');
    await until(end2end, 'compliance/UNCOMPLIANT');
    expect((await refusal(held('rejectHold', end2end), {}, app.platformKey)).code).toBe('STEP_CONFLICT');
    await ask(held('releaseHold', end2end, 'reason: "court order 1"'), {}, app.platformKey);
    await ask(held('releaseHold', end2end, 'reason: "court order 1, checked"'), {}, second);
    await until(end2end, 'refund/DONE');
  });

  test('a sanctioned deposit is frozen: it is not rejected, and released only by two different people with reasons', async () => {
    const { transaction } = await create('createOfframp', {
      ...{ currency: 'USDT_TRX', amount: { brl: '500' }, from: 'EXTERNAL', accept: true },
      ...{ ...CLEAN, pixKey: '529.982.247-25', pixKeyType: 'CPF' },
    });
    const { end2end } = transaction;
    await until(end2end, 'crypto_deposit/WAITING_DEPOSIT');
    provider.objectsToAddress = () => true;
    await trigger(end2end, 'deposit');
    await trigger(end2end, 'deposit-confirm');
    await until(end2end, 'compliance/UNCOMPLIANT');
    expect(await hitsOf(end2end)).toMatchObject([
      { role: 'sender', list: 'chainalysis-sanctions', answer: 'FROZEN' },
    ]);
    expect((await refusal(held('rejectHold', end2end), {}, app.platformKey)).code).toBe('STEP_CONFLICT');
    expect((await refusal(held('releaseHold', end2end, 'reason: " "'), {}, app.platformKey)).code).toBe(
      'INVALID_PARAMETER',
    );
    const first = await ask(
      held('releaseHold', end2end, 'reason: "not the listed one"'),
      {},
      app.platformKey,
    );
    expect(first.releaseHold.transaction.component).toBe('compliance');
    const same = await refusal(held('releaseHold', end2end, 'reason: "again"'), {}, app.platformKey);
    expect(['FORBIDDEN', 'STEP_CONFLICT']).toContain(same.code);
    await ask(held('releaseHold', end2end, 'reason: "I agree"'), {}, second);
    await until(end2end, 'partial_success/DONE');
  });

  test('a deposit of another amount cannot be kept before its sender was screened, and is frozen', async () => {
    const { transaction } = await create('createOfframp', {
      ...{ currency: 'USDT_TRX', amount: { brl: '500' }, from: 'EXTERNAL', accept: true },
      ...{ ...CLEAN, pixKey: '529.982.247-25', pixKeyType: 'CPF' },
    });
    const { end2end } = transaction;
    await until(end2end, 'crypto_deposit/WAITING_DEPOSIT');
    provider.objectsToAddress = () => true;
    await trigger(end2end, 'deposit-wrong', '90');
    await until(end2end, 'compliance/UNCOMPLIANT');
    const keep = `mutation { resolveDeposit(input: { end2end: "${end2end}", resolution: KEEP }) { transaction { state } errors { code message path } } }`;
    expect((await refusal(keep)).code).toBe('STEP_CONFLICT');
    await ask(held('releaseHold', end2end, 'reason: "one"'), {}, app.platformKey);
    await ask(held('releaseHold', end2end, 'reason: "two"'), {}, second);
    await until(end2end, 'crypto_deposit/UNDERPAID');
    await ask(keep);
    await until(end2end, 'partial_success/DONE');
  });

  test('hits that a process found before it died are raised once', async () => {
    const { end2end } = await onramp();
    provider.people.set('52998224725', 'REVIEW');
    await trigger(end2end, 'pay');
    await until(end2end, 'compliance/UNCOMPLIANT');
    const found = await findTransaction(app.database, app.accountId, end2end);
    const [row] = await readProcesses(app.database, [
      { accountId: app.accountId, transactionId: found?.id as bigint },
    ]);
    for (let times = 0; times < 2; times++)
      expect(await screenTransaction(app.services, row as never, 'arrival')).toBe('held');
    expect(await hitsOf(end2end)).toHaveLength(1);
  });
});

describe('before money leaves', () => {
  test('a withdrawal to a sanctioned address is held, and its account may cancel it', async () => {
    await fund('USDT_TRX', '100');
    const { createWhitelistGroup: made } = await ask(
      'mutation { createWhitelistGroup(input: { name: "t" }) { whitelistGroup { groupId } errors { code message path } } }',
    );
    await ask(
      `mutation { addWhitelistEntry(input: { groupId: "${made.whitelistGroup.groupId}", target: { wallet: { network: "TRX", address: "${WALLET}" } } }) { whitelistEntry { id } errors { code message path } } }`,
    );
    provider.objectsToAddress = () => true;
    const { transaction } = await create('createWithdrawal', {
      amountReceived: '30',
      currency: 'USDT_TRX',
      groupId: made.whitelistGroup.groupId,
    });
    await until(transaction.end2end, 'compliance/UNCOMPLIANT');
    await ask(held('releaseHold', transaction.end2end, 'reason: "one"'), {}, app.platformKey);
    expect(await perform('cancelTransaction', transaction.end2end)).toBe('approval_withdrawl_dash/CANCELLED');
  });

  test('a withdrawal to the PIX key of a sanctioned person is held, and no PIX key is screened as an address', async () => {
    await fund('BRL', '100');
    const { createWhitelistGroup: made } = await ask(
      'mutation { createWhitelistGroup(input: { name: "p" }) { whitelistGroup { groupId } errors { code message path } } }',
    );
    for (const key of ['{ type: CPF, key: "11144477735" }', '{ type: EMAIL, key: "ana@example.com" }'])
      await ask(
        `mutation { addWhitelistEntry(input: { groupId: "${made.whitelistGroup.groupId}", target: { pixKey: ${key} } }) { whitelistEntry { id } errors { code message path } } }`,
      );
    provider.people.set('11144477735', 'BLOCK');
    asked.length = 0;
    const withdraw = async (address: string) => {
      const { transaction } = await create('createWithdrawal', {
        ...{ amountReceived: '30', currency: 'BRL', groupId: made.whitelistGroup.groupId, address },
      });
      return transaction.end2end as string;
    };
    const end2end = await withdraw('111.444.777-35');
    await until(end2end, 'compliance/UNCOMPLIANT');
    expect(await hitsOf(end2end)).toMatchObject([{ role: 'payee', list: 'bureau', answer: 'FROZEN' }]);
    await until(await withdraw('ana@example.com'), 'success_withdrawl_dash/DONE');
    expect(asked.filter(({ url }) => url?.includes('/address/'))).toEqual([]);
  });

  test('a refund to a sanctioned person is not ordered until the hit is dismissed', async () => {
    const { end2end } = await onramp({ clientTaxId: '111.444.777-35' });
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    await fund('USDT_TRX', '500');
    provider.people.set('11144477735', 'BLOCK');
    await ask(
      `mutation { refundPayment(input: { end2end: "${end2end}" }) { transaction { state } errors { code message path } } }`,
    );
    await expect.poll(async () => (await hitsOf(end2end)).length).toBe(1);
    await until(end2end, 'refund/INITIAL');
    const [hit] = await hitsOf(end2end);
    await decide('dismissScreeningHit', hit.id);
    await until(end2end, 'refund/DONE');
  });
});

test('money in suspense of a sanctioned person is neither returned nor assigned until the hit is dismissed', async () => {
  const { end2end } = await onramp({ clientTaxId: '111.444.777-35' });
  await trigger(end2end, 'pay');
  await until(end2end, 'success/DONE');
  await trigger(end2end, 'pay-twice');
  const suspense = '{ suspense(first: 1) { nodes { suspenseId state } } }';
  await expect.poll(async () => (await ask(suspense, {}, app.platformKey)).suspense.nodes.length).toBe(1);
  const [entry] = (await ask(suspense, {}, app.platformKey)).suspense.nodes;
  const back = `mutation { returnSuspense(input: { suspenseId: "${entry.suspenseId}", reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`;
  const assign = `mutation { assignSuspense(input: { suspenseId: "${entry.suspenseId}", account: "${app.accountId}", reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`;
  provider.isAway = true;
  expect((await refusal(back, {}, app.platformKey)).code).toBe('UNAVAILABLE');
  provider.isAway = false;
  provider.people.set('11144477735', 'BLOCK');
  for (const document of [back, assign])
    expect((await refusal(document, {}, app.platformKey)).code).toBe('STEP_CONFLICT');
  const { nodes } = (
    await ask('{ screeningHits(first: 1, state: OPEN) { nodes { id: hitId list } } }', {}, app.platformKey)
  ).screeningHits;
  expect(nodes[0].list).toBe('bureau');
  await decide('dismissScreeningHit', nodes[0].id);
  await ask(back, {}, app.platformKey);
});

test('money in suspense whose sender was listed after another account was proposed is not credited until the hit is dismissed', async () => {
  const settledAtMs = await app.services.clock.nowMs();
  const payer = { payerTaxId: '11144477735', payerName: 'Joana Prado' };
  await app.services.receive(newPayment({ txid: null, amount: 4_300n, settledAtMs, ...payer }));
  const { suspense } = await ask(
    '{ suspense(first: 1, state: OPEN) { nodes { id: suspenseId amount } } }',
    {},
    app.platformKey,
  );
  expect(suspense.nodes).toMatchObject([{ amount: '43' }]);
  const { id } = suspense.nodes[0];
  const decideOn = (name: string) =>
    `mutation { ${name}(input: { suspenseId: "${id}", account: "${app.accountId}", reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`;
  await ask(decideOn('assignSuspense'), {}, app.platformKey);
  const platform = await platformAccount(app.database, 'sandbox');
  const { apiKey: other } = await app.addKey(platform, ['read', 'platform:risk']);
  provider.people.set('11144477735', 'BLOCK');
  expect((await refusal(decideOn('approveSuspense'), {}, other)).code).toBe('STEP_CONFLICT');
  const [hit] = (
    await ask('{ screeningHits(first: 1, state: OPEN) { nodes { id: hitId list } } }', {}, app.platformKey)
  ).screeningHits.nodes;
  expect(hit.list).toBe('bureau');
  await decide('dismissScreeningHit', hit.id);
  const done = await ask(decideOn('approveSuspense'), {}, other);
  expect(done.approveSuspense.suspenseEntry.state).toBe('ASSIGNED');
});

test('money in suspense whose reported payer is on a list of sanctions is not sent back until the hit is dismissed', async () => {
  const payment = { txid: null, amount: 4_200n, settledAtMs: await app.services.clock.nowMs() };
  const payer = { payerTaxId: '***444777**', payerName: 'GONCALVES MULLER JOAO ANTONIO' };
  await app.services.receive(newPayment({ ...payment, ...payer }));
  const { suspense } = await ask(
    '{ suspense(first: 1, state: OPEN) { nodes { suspenseId amount } } }',
    {},
    app.platformKey,
  );
  expect(suspense.nodes).toMatchObject([{ amount: '42' }]);
  const back = `mutation { returnSuspense(input: { suspenseId: "${suspense.nodes[0].suspenseId}", reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`;
  expect((await refusal(back, {}, app.platformKey)).code).toBe('STEP_CONFLICT');
  const [hit, ...others] = await hitsOf(null);
  expect([hit, others]).toMatchObject([{ role: 'payer', list: 'ofac', strength: 'STRONG' }, []]);
  await decide('dismissScreeningHit', hit.id);
  await ask(back, {}, app.platformKey);
});

test('only the operator for risk sees and decides hits, with a reason', async () => {
  const list = '{ screeningHits { totalCount } }';
  expect((await refusal(list, {}, app.apiKey)).code).toBe('FORBIDDEN');
  const [hit] = (
    await ask('{ screeningHits(first: 1, state: OPEN) { nodes { id: hitId } } }', {}, app.platformKey)
  ).screeningHits.nodes;
  const dismiss = (reason: string) =>
    `mutation { dismissScreeningHit(input: { hitId: "${hit.id}", reason: "${reason}" }) { screeningHit { id } errors { code message path } } }`;
  expect((await refusal(dismiss('x'), {}, app.apiKey)).code).toBe('FORBIDDEN');
  expect((await refusal(dismiss(''), {}, app.platformKey)).code).toBe('INVALID_PARAMETER');
  await decide('confirmScreeningHit', hit.id);
  expect((await refusal(dismiss('x'), {}, app.platformKey)).code).toBe('STEP_CONFLICT');
  const { rows } = await app.owner.query(
    `select act, after from audit_entry where object_kind = 'screening_hit' and object_id = $1`,
    [hit.id],
  );
  expect(rows).toEqual([{ act: 'hit.confirm', after: expect.anything() }]);
  const lists = (await ask('{ screeningLists { list entries isStale refusal } }', {}, app.platformKey))
    .screeningLists;
  expect(lists[0]).toEqual({ list: 'ofac', entries: 5, isStale: false, refusal: null });
});
