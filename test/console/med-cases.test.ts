/**
 * Goal: the screen of a case says what is due and blocked, gives its files to those who may see them and to nobody else, and takes files
 * of the size and kind that the gateway takes. Method: pages, forms and files as a browser gets and sends them.
 */
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { formToken } from '../../src/base/access/person-token.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const { ask, create, trigger, reach } = graphqlClientOf();
let owner: SignedInForTest;
let viewer: SignedInForTest;
let stranger: SignedInForTest;
let operator: SignedInForTest;
let caseId: string;
let screen: string;

function graphqlClientOf() {
  const client = graphqlClient(app, () => app.apiKey);
  const until = async (end2end: string, step: string) => {
    for (let turn = 0; turn < 400 && (await client.stepNow(end2end)) !== step; turn++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    expect(await client.stepNow(end2end)).toBe(step);
  };
  return { ...client, reach: until };
}

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  viewer = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'viewer' });
  const other = await app.addAccount();
  stranger = await signInAs(app, other.accountId, { email: 'eva@other.invalid', role: 'owner' });
  const platform = await platformAccount(app.database, 'sandbox');
  operator = await signInAs(app, platform, { email: 'ops@house.invalid', role: 'platform_owner' });
  const input = {
    clientName: 'Ana Souza',
    clientTaxId: '52998224725',
    currency: 'USDT_TRX',
    amount: { brl: '150.00' },
  };
  const { end2end } = (await create('createOnramp', input)).transaction;
  await trigger(end2end, 'pay');
  await reach(end2end, 'success/DONE');
  await trigger(end2end, 'dispute-open');
  await reach(end2end, 'dispute/OPEN');
  const { medCases } = await ask('query ($e: String!) { medCases(end2end: $e) { nodes { caseId } } }', {
    e: end2end,
  });
  caseId = medCases.nodes[0].caseId;
  screen = `/console/review/case?id=${encodeURIComponent(`DISPUTE:${app.accountId}:${end2end}`)}`;
});

async function files() {
  const { medCase } = await ask(
    'query ($id: String!) { medCase(caseId: $id) { files { fileId name sha256 } } }',
    { id: caseId },
  );
  return medCase.files as { fileId: string; name: string; sha256: string }[];
}

async function attach(person: SignedInForTest, file: File, more: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({
    csrf: formToken(person.token),
    back: screen,
    id: caseId,
    ...more,
  }))
    form.append(name, value);
  form.append('content', file);
  const url = `${app.baseUrl}/console/acts/AttachMedFile`;
  const response = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: person.headers,
    body: form,
  });
  return { status: response.status, text: await response.text() };
}
const pdf = (name = 'recibo.pdf', size = 0) =>
  new File(['%PDF-1.4\n', new Uint8Array(size), '%%EOF\n'], name, { type: 'application/pdf' });

test('the case shows in both languages the deadline and the blocked amount, and has forms for those who may answer', async () => {
  const page = await visit(app, owner, screen);
  expect(page.status).toBe(200);
  for (const text of ['Dispute (MED)', 'Needs an answer', 'Answer by', 'USDT', 'Opened by the payer’s bank'])
    expect(page.text).toContain(text);
  expect(page.text).toContain('/console/acts/AnswerMedCase');
  expect(page.text).toContain('enctype="multipart/form-data"');
  const portuguese = await visit(app, owner, screen, { headers: { 'accept-language': 'pt-BR' } });
  for (const text of [
    'Contestação (MED)',
    'Aguarda resposta',
    'Responder até',
    'Aberto pelo banco do pagador',
  ])
    expect(portuguese.text).toContain(text);
  expect((await visit(app, viewer, screen)).text).not.toContain('/console/acts/AnswerMedCase');
  expect((await visit(app, operator, screen)).text).toContain('/console/acts/RecordMedOutcome');
  expect((await visit(app, stranger, screen)).status).toBe(404);
});

test('Home of the account counts the case, and leads to the queue that has it', async () => {
  const { text } = await visit(app, owner, '/console');
  expect(text).toMatch(/href="\/console\/review\?kind=DISPUTE">Pix dispute \(MED\)<\/a><b class="num">1</);
});

test('journals name the balance as that of the reader’s own account, and else as that of the merchant', async () => {
  expect((await visit(app, owner, screen)).text).toMatch(/Your available balance/);
  const { text } = await visit(app, operator, screen);
  expect([/Merchant’s available balance/.test(text), /Your available balance/.test(text)]).toEqual([
    true,
    false,
  ]);
});

test('a file is attached by a form, and saved with the same bytes, never shown as a page', async () => {
  expect((await attach(owner, pdf())).status).toBe(303);
  const [file] = await files();
  expect(file?.name).toBe('recibo.pdf');
  const path = `/console/files/${file?.fileId}`;
  for (const person of [owner, viewer, operator]) {
    const response = await fetch(app.baseUrl + path, { headers: person.headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''recibo.pdf`);
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file?.sha256);
  }
  expect((await visit(app, stranger, path)).status).toBe(404);
  expect((await visit(app, null, path)).status).toBe(303);
  for (const odd of ['0', 'x', '', '1/2'])
    expect((await visit(app, owner, `/console/files/${odd}`)).status).toBe(404);
});

test('a file of a wrong kind or size, of another session or without the right, is not attached', async () => {
  const before = await files();
  expect((await attach(owner, new File(['<b>x</b>'], 'x.pdf', { type: 'application/pdf' }))).status).toBe(
    400,
  );
  expect((await attach(owner, pdf('a.pdf', 600_000))).status).toBe(400);
  expect((await attach(owner, pdf('a.pdf', 1_100_000))).status).toBe(413);
  expect((await attach(owner, pdf(), { csrf: 'forged' })).status).toBe(403);
  expect((await attach(viewer, pdf())).status).toBe(403);
  expect((await attach(stranger, pdf())).status).toBe(404);
  const headers = { ...owner.headers, 'content-type': 'multipart/form-data; boundary=x' };
  const broken = { method: 'POST', headers, body: '--x\r\nnonsense' } as const;
  expect((await fetch(`${app.baseUrl}/console/acts/AttachMedFile`, broken)).status).toBe(400);
  // No other form takes parts.
  const others = await fetch(`${app.baseUrl}/console/acts/AddReviewNote`, broken);
  expect(others.status).toBe(415);
  expect(await files()).toEqual(before);
});
