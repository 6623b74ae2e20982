/**
 * Goal: an evidence pack has each part of what the gateway holds about a payment, and nothing of a part that it does not hold (C-33).
 * Method: a payment that was delivered to a wallet, another one to the balance of which a part was returned; the pack of each is read
 * over GraphQL, and its parts are looked for one by one.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openCase } from '../../src/resolvers/cases/store-case.ts';
import { EVIDENCE_WORDS } from '../../src/resolvers/med/evidence-words.ts';
import { findAnywhere } from '../../src/store/engine/processes.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const { retention } = readConfig({ REQUEST_LOG_DAYS: '7' });
const app = useApp({ retention });
const PATIENCE = { timeout: 60_000, interval: 200 };
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const CUSTOMER = { clientName: 'Maria Souza Prado', clientTaxId: '39053344705' };
const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n').toString('base64')}`;
const FILES = 'medCase { caseId files { fileId isEvidence sha256 name } } errors { message }';
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, create, trigger, stepNow } = graphqlClient(app, () => shop.apiKey);

/** A pack, and the facts that it is about. */
interface Pack {
  readonly page: string;
  readonly row: ProcessRow;
  readonly caseId: string;
  readonly fileHash: string;
}
let delivered: Pack;
let returned: Pack;

async function rowOf(end2end: string): Promise<ProcessRow> {
  const row = await findAnywhere(app.database, end2end);
  if (!row) throw new Error('there is no transaction');
  return row;
}

async function paid(more: object): Promise<string> {
  const input = { currency: 'USDT_TRX', amount: { brl: '150.00' }, externalCode: 'order 4711', ...CUSTOMER };
  const { end2end } = (await create('createOnramp', { ...input, ...more })).transaction;
  await vi.waitFor(() => trigger(end2end, 'pay'), PATIENCE);
  await vi.waitFor(async () => expect(await stepNow(end2end)).toBe('success/DONE'), PATIENCE);
  return end2end;
}

/** Reports a fraud about a payment, attaches a file, and makes the pack in English. */
async function packOf(end2end: string, infractionId: string): Promise<Pack> {
  const row = await rowOf(end2end);
  await app.services.forMode('sandbox').receive({
    ...{ kind: 'infraction', infractionId, endToEndId: row.pixE2e as string, amount: '90.00' },
    ...{ reason: 'golpe', reportedAt: new Date().toISOString() },
  });
  const { medCases } = await ask('query ($e: String!) { medCases(end2end: $e) { nodes { caseId } } }', {
    e: end2end,
  });
  const [{ caseId }] = medCases.nodes;
  await ask(
    `mutation ($id: String!, $content: String!) { attachMedFile(input: { caseId: $id, name: "receipt.pdf", content: $content }) { ${FILES} } }`,
    { id: caseId, content: PDF },
  );
  // The request log is written a little after the answers.
  await vi.waitFor(async () => {
    const { requestLog } = await ask('query ($e: String!) { requestLog(end2end: $e) { nodes { route } } }', {
      e: end2end,
    });
    expect(requestLog.nodes).not.toEqual([]);
  }, PATIENCE);
  const { makeMedEvidence } = await ask(
    `mutation ($id: String!) { makeMedEvidence(input: { caseId: $id, language: EN }) { ${FILES} } }`,
    { id: caseId },
  );
  const files: { fileId: string; isEvidence: boolean; sha256: string }[] = makeMedEvidence.medCase.files;
  const pack = files.find(({ isEvidence }) => isEvidence);
  const { medFile } = await ask('query ($id: String!) { medFile(fileId: $id) { content } }', {
    id: pack?.fileId,
  });
  const page = Buffer.from(medFile.content, 'base64').toString();
  return {
    ...{ page, row: await rowOf(end2end), caseId },
    fileHash: files.find(({ isEvidence }) => !isEvidence)?.sha256 ?? '',
  };
}

beforeAll(async () => {
  shop = await app.addAccount();
  const { accountId } = shop;
  await app.database.withTx((tx) =>
    openCase(
      tx,
      { accountId, taxId: CUSTOMER.clientTaxId, level: 'VERIFIED' },
      { name: CUSTOMER.clientName, provider: 'http', nowMs: Date.now() },
    ),
  );
  await app.owner.query(
    `update customer_case set state = 'approved', decided_at = now() where account_id = $1`,
    [String(accountId)],
  );
  delivered = await packOf(await paid({ wallet: WALLET }), 'inf-delivered');
  const second = await paid({});
  await ask(
    `mutation { refundPayment(input: { end2end: "${second}", amount: "10" }) { transaction { end2end } errors { message } } }`,
  );
  await vi.waitFor(
    async () => expect((await rowOf(second)).process?.returns).toMatchObject([{ state: 'done' }]),
    PATIENCE,
  );
  returned = await packOf(second, 'inf-returned');
}, 300_000);

/** Text of a part: from its title to the next one. */
function partOf(page: string, title: keyof typeof EVIDENCE_WORDS): string {
  const [, part = ''] = page.split(`<h2>${EVIDENCE_WORDS[title].en}</h2>`);
  return part.split('<h2>')[0] ?? '';
}
const factOf = (word: keyof typeof EVIDENCE_WORDS, value: string) =>
  `<th scope="row">${EVIDENCE_WORDS[word].en}</th><td>${value}`;

const PARTS: readonly (readonly [
  part: keyof typeof EVIDENCE_WORDS,
  pack: () => Pack,
  texts: (pack: Pack) => readonly string[],
])[] = [
  [
    'case',
    () => delivered,
    ({ caseId }) => [
      factOf('number', caseId),
      factOf('reference', 'inf-delivered'),
      factOf('kind', EVIDENCE_WORDS.kind_infraction.en),
      factOf('reason', 'golpe'),
      factOf('disputedAmount', 'R$90.00'),
      factOf('opened', ''),
      factOf('due', ''),
      `(${shop.accountId})`,
    ],
  ],
  [
    'payment',
    () => delivered,
    ({ row }) => [
      factOf('pixE2e', row.pixE2e as string),
      factOf('txid', row.process?.txid as string),
      row.process?.brCode as string,
      factOf('paid', 'R$150.00'),
      factOf('paidAt', ''),
      factOf('payer', ''),
      factOf('isSame', EVIDENCE_WORDS.yes.en),
    ],
  ],
  [
    'customer',
    () => delivered,
    () => [
      factOf('name', CUSTOMER.clientName),
      factOf('taxId', '390.533.447-05'),
      factOf('identity', 'Identity verified: Approved (http), '),
    ],
  ],
  // The outcomes of screenings are tested where screeners are (test/rails/screening).
  ['screening', () => delivered, () => [EVIDENCE_WORDS.notScreened.en]],
  [
    'terms',
    () => delivered,
    ({ row }) => [
      factOf('end2end', row.end2end),
      factOf('external', 'order 4711'),
      factOf('created', ''),
      factOf('priced', ''),
      factOf('quote', '1 USDT = R$'),
      factOf('fees', ''),
      factOf('source', 'R$150.00'),
      factOf('target', ''),
    ],
  ],
  [
    'delivery',
    () => delivered,
    ({ row }) => [factOf('wallet', WALLET), factOf('txHash', row.txHash as string)],
  ],
  ['delivery', () => returned, () => [EVIDENCE_WORDS.notDelivered.en]],
  [
    'timeline',
    () => delivered,
    () => ['depositpix/QRCODE', 'depositpix/PAID', 'crypto_out/BROADCAST', 'success/DONE'],
  ],
  [
    'returns',
    () => returned,
    ({ row }) => ['R$10.00', 'completed', row.process?.returns?.[0]?.returnId as string],
  ],
  ['requests', () => delivered, () => ['POST /graphql', '200', 'KEY']],
  ['history', () => delivered, () => ['Opened by the payer’s bank', 'File attached', 'receipt.pdf']],
  ['files', () => delivered, ({ fileHash }) => ['receipt.pdf', 'application/pdf', `sha256:${fileHash}`]],
];

describe('C-33: an evidence pack', () => {
  test.each(PARTS)('has its part %s', (part, pack, texts) => {
    const text = partOf(pack().page, part);
    for (const each of texts(pack())) expect(text).toContain(each);
  });

  test('has each of its parts tested here, and no part without facts', () => {
    const titles = [...delivered.page.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title]) => title);
    const wanted = PARTS.map(([part]) => part).filter((part) => part !== 'returns');
    expect(titles).toEqual([...new Set(wanted)].map((part) => EVIDENCE_WORDS[part].en));
  });
});
