/**
 * Goal: what is exported is what was filtered, to the last cent, and other programs read it. Method: the history of the demo, over
 * HTTP; CSV and OFX are read by packages that are not ours, the journal by hledger where it is installed; sums are compared with
 * those of GraphQL and of the ledger.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { parseSync } from 'ofx-js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import { BRL, currencyOfLedger } from '../../src/base/money/currency.ts';
import { sum, withDecimals } from '../../src/base/money/money.ts';
import { fund, gasSpent } from '../../src/ledger/journals.ts';
import { playDemo } from '../../src/rails/sandbox/demo.ts';
import { createKey } from '../../src/resolvers/account/manage-keys.ts';
import { BankEntries } from '../../src/resolvers/reconciliation/bank-entries.ts';
import { provisionSandbox } from '../../src/resolvers/sandbox/provision-sandbox.ts';
import { EXPORTS_MAX, ExportGate } from '../../src/server/http/export-gate.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { lockHeads } from '../../src/store/engine/processes.ts';
import { postJournals } from '../../src/store/ledger/posting.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { DEFAULT_FORM } from '../../src/wire/bank/bank-row.ts';
import { inspectBankFile, readBankFile } from '../../src/wire/bank/read-bank-file.ts';
import { startApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { isInstalled } from '../support/installed.ts';
import { insertTransactions, newTransaction } from '../support/records.ts';
import { errorsIn } from '../support/refusals.ts';
import { revokeKey } from '../support/revoke-key.ts';

const test = useDatabase();

let app: Awaited<ReturnType<typeof startApp>>;
let key: string;
let holder: bigint;

beforeAll(async () => {
  app = await startApp(test.database);
  holder = await provisionSandbox(test.database, REGISTRY);
  key = await keyOf(holder, ['read']);
  const reported: string[] = [];
  await playDemo(app.services, holder, {
    log: pino({ level: 'silent' }),
    report: (line) => reported.push(line),
  });
  expect(reported).toEqual([5, 10, 15, 20, 25, 30].map((days) => `  ${days} of 30 days`));
  // The demo keeps no BRL in its balance.
  for (const amount of ['1000.10', '0.07', '12345678.90']) {
    const query = `mutation { sandboxFund(input: { currency: "BRL", amount: "${amount}" }) { funding { __typename } errors { code message path } } }`;
    await send('/graphql', await keyOf(holder, ['create']), 'POST', JSON.stringify({ query }));
  }
}, 300_000);
afterAll(() => app.close());

async function keyOf(accountId: bigint, scopes: readonly Scope[]): Promise<string> {
  const given = { name: 'test', scopes, expiresAt: null, allowedCidrs: [] };
  return (await createKey(test.database, accountId, given)).apiKey;
}
const another = async () => {
  const accountId = await createAccount(test.database, 'Another', { templates: [] });
  return { accountId, apiKey: await keyOf(accountId, ['read']) };
};

/** A request; the text with its byte order mark, if it has one. */
async function send(path: string, apiKey: string | null, method = 'GET', body?: string) {
  const response = await fetch(app.publicUrl + path, {
    method,
    ...(body !== undefined && { body }),
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    },
  });
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, text };
}
/** @returns an exported file. */
async function file(path: string, apiKey = key) {
  const answer = await send(path, apiKey);
  expect(answer.status, answer.text.slice(0, 500)).toBe(200);
  return answer;
}
async function query(query: string) {
  const { text } = await send('/graphql', key, 'POST', JSON.stringify({ query }));
  const json = JSON.parse(text);
  expect(errorsIn(json)).toBeUndefined();
  return json.data;
}
const total = (amounts: readonly (string | null | undefined)[]) =>
  sum(amounts.flatMap((amount) => (amount ? [amount] : [])));

type Row = Readonly<Record<string, string>>;
const readCsv = (text: string, delimiter = ',') => {
  const rows = parse(text, { columns: true, delimiter, bom: true }) as Row[];
  const [first = ''] = Object.keys(rows[0] ?? {});
  return {
    rows: rows.filter((row) => !/^(?:TOTAL|TOTAL_SUCCEEDED|TOTAL_FAILED|COUNT)$/.test(row[first] ?? '')),
    succeeded: rows.filter((row) => row[first] === 'TOTAL_SUCCEEDED'),
    failed: rows.filter((row) => row[first] === 'TOTAL_FAILED'),
    totals: rows.filter((row) => row[first] === 'TOTAL'),
    count: rows.find((row) => row[first] === 'COUNT'),
  };
};

/** An amount as a spreadsheet in Brazil shows it. */
function inBrazil(amount: string | undefined, currency: string | undefined): string {
  if (!amount) return '';
  return (currency === 'BRL' ? withDecimals(amount, 2) : amount).replace('.', ',');
}

describe('transactions', () => {
  const FILTER = 'families=onramps,checkouts&status_codes=SUCCESS,EXPIRED&currency=BRL';
  const LISTED = `transactions(families: [ONRAMPS, CHECKOUTS], first: 100, filter: { statusCodes: [SUCCESS, EXPIRED], currency: "BRL" })
    { totalCount sums { currency { code } source target } nodes { end2end source { amount } clientName } }`;

  it('as CSV: the records and sums of the list with the same filter', async () => {
    const { transactions } = await query(`{ ${LISTED} }`);
    const { text, headers } = await file(`/export/transactions?${FILTER}`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="transactions-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const { rows, totals, count } = readCsv(text);
    expect(rows.map(({ end2end }) => end2end)).toEqual(
      transactions.nodes.map(({ end2end }: { end2end: string }) => end2end),
    );
    expect(rows.length).toBeGreaterThan(3);
    expect(count?.source_amount).toBe(String(transactions.totalCount));
    for (const { currency, source } of transactions.sums.filter(
      (each: { source: string | null }) => each.source,
    ))
      expect([
        total(rows.filter((row) => row.source_currency === currency.code).map((row) => row.source_amount)),
        totals.find((row) => row.source_currency === currency.code)?.source_amount,
      ]).toEqual([source, source]);
  });

  it('each sum says what it sums: all, the successful, the unsuccessful, as the list does', async () => {
    // A step of history that the catalogue lacks is neither.
    const old = newTransaction({
      ...{ end2end: 'CRXOLD', createdAt: '2026-01-02T12:00:00.000Z', component: 'old_step', state: 'OLD' },
      ...{ sourceCurrency: 'BRL', sourceAmount: '7.77' },
    });
    await test.database.withTx((tx) => insertTransactions(tx, holder, [old]));
    const { transactions } = await query(
      '{ transactions(first: 1) { sums { currency { code } source target succeeded { source target } failed { source target } } } }',
    );
    const { rows, totals, succeeded, failed } = readCsv((await file('/export/transactions')).text);
    const sides = (found: readonly Row[], code: string) => {
      const row = found.find(({ source_currency }) => source_currency === code);
      return { source: row?.source_amount ?? '0', target: row?.target_amount ?? '0' };
    };
    const shown = (each: { source: string | null; target: string | null }) => ({
      source: each.source ?? '0',
      target: each.target ?? '0',
    });
    for (const { currency, ...sums } of transactions.sums) {
      expect(sides(totals, currency.code)).toEqual(shown(sums));
      expect(sides(succeeded, currency.code)).toEqual(shown(sums.succeeded));
      expect(sides(failed, currency.code)).toEqual(shown(sums.failed));
    }
    const brl = (found: readonly Row[]) => found.find(({ source_currency }) => source_currency === 'BRL');
    expect(brl(failed)?.source_amount).toMatch(/^[1-9]/);
    expect(brl(totals)?.fees_brl).toBe(total(rows.map(({ fees_brl }) => fees_brl)));
    expect([totals[0]?.status, succeeded[0]?.status, failed[0]?.status]).toEqual([
      'all transactions',
      'succeeded',
      'ended without success',
    ]);
    const lines = (await file('/export/transactions?format=jsonl')).text.trimEnd().split('\n');
    expect(lines.at(-1)).toContain(`"failed":{"source":${brl(failed)?.source_amount},`);
  });

  it('as CSV for Brazil: the same figures with a comma, semicolons, headings in Portuguese and a mark', async () => {
    const { text } = await file(`/export/transactions?format=csv-pt&${FILTER}`);
    expect(text.startsWith('\uFEFFTransação;Criado em (Brasília);')).toBe(true);
    const { rows } = readCsv(text, ';');
    const english = readCsv((await file(`/export/transactions?${FILTER}`)).text).rows;
    expect(rows.map((row) => row['Valor de entrada'])).toEqual(
      english.map((row) => inBrazil(row.source_amount, row.source_currency)),
    );
    expect(rows.map((row) => row['Taxas (R$)'])).toEqual(english.map((row) => inBrazil(row.fees_brl, 'BRL')));
    expect(rows.map((row) => row.Situação)).toContain('Sucesso');
  });

  it('E01, E02: tax ids, references and times survive a spreadsheet in Brazil', async () => {
    const { accountId, apiKey } = await another();
    const row = newTransaction({
      ...{ end2end: 'CRXE01', createdAt: '2026-11-29T00:27:47.123Z', clientTaxId: '01234567890' },
      externalCode: '000123',
    });
    await test.database.withTx((tx) => insertTransactions(tx, accountId, [row]));
    const path = '/export/transactions?format=csv-pt&date_from=2026-11-28&date_to=2026-11-28';
    const { rows } = readCsv((await file(path, apiKey)).text, ';');
    expect(rows).toMatchObject([
      {
        ...{ 'Criado em (Brasília)': '28/11/2026 21:27:47', 'CPF/CNPJ': '012.345.678-90' },
        Referência: '="000123"',
      },
    ]);
    const count = async (query: string) =>
      readCsv((await file(path.replace('csv-pt', query), apiKey)).text).rows;
    expect(await count('csv')).toEqual([]);
    expect(await count('csv&zone=America/Sao_Paulo')).toMatchObject([
      { created_at: '2026-11-28T21:27:47.123-03:00', client_tax_id: '01234567890' },
    ]);
    expect(readCsv((await file(`${path}&zone=UTC`, apiKey)).text, ';').rows).toEqual([]);
  });

  it('as JSON lines: the published form, then the totals', async () => {
    const lines = (await file(`/export/transactions?format=jsonl&${FILTER}`)).text.trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line));
    const totals = records.pop();
    const { transactions } = await query(`{ ${LISTED} }`);
    expect(totals).toMatchObject({ type: 'totals', count: transactions.totalCount });
    expect(records.map(({ end2end }) => end2end)).toEqual(
      transactions.nodes.map(({ end2end }: { end2end: string }) => end2end),
    );
    const json = JSON.parse(
      (
        await file(
          `/v2/${/onramp/.test(records[0].template) ? 'onramp' : 'crossramp_checkout'}/${records[0].end2end}`,
        )
      ).text,
    );
    expect(records[0].attributes.amount_payment).toEqual(json.attributes.amount_payment);
  });

  it('more than one batch is complete, and a spreadsheet executes none of it', async () => {
    const { accountId, apiKey } = await another();
    const rows = Array.from({ length: 2_500 }, (_, at) =>
      newTransaction({
        end2end: `X${at}`,
        createdAt: new Date(Date.parse('2026-05-01') + at * 1_000).toISOString(),
        clientName: at % 2 ? '=HYPERLINK("http://a.invalid";"x")' : '@SUM(A1)',
        externalCode: '+1, "quoted"\nline',
        sourceCurrency: 'BRL',
        sourceAmount: '-0.01',
      }),
    );
    await test.database.withTx((tx) => insertTransactions(tx, accountId, rows));
    const { text } = await file('/export/transactions', apiKey);
    const found = readCsv(text);
    expect(found.rows.length).toBe(2_500);
    expect(found.totals[0]?.source_amount).toBe('-25');
    expect(new Set(found.rows.map((row) => row.client_name?.charAt(0)))).toEqual(new Set(["'"]));
    expect(found.rows[0]).toMatchObject({ external_code: '\'+1, "quoted"\nline', source_amount: '-0.01' });
  });
});

describe('the statement', () => {
  const lines = async (filter = '{}') => {
    const { statement } = await query(
      `{ statement(first: 100, filter: ${filter}) { totalCount nodes { number debit credit balance } } }`,
    );
    return statement as {
      totalCount: number;
      nodes: { number: string; debit: string; credit: string; balance: string }[];
    };
  };

  it('as CSV: every line, oldest first, with debits, credits and the balances that they lead to', async () => {
    const { rows, totals, count } = readCsv((await file('/export/statement')).text);
    const { totalCount, nodes } = await lines();
    expect(count?.debit).toBe(String(totalCount));
    expect(rows.map(({ line }) => line).slice(-nodes.length)).toEqual(
      nodes.map(({ number }) => number).toReversed(),
    );
    const { balances } = await query('{ balances { currency { code } available } }');
    for (const { currency, available } of balances)
      expect(
        totals.find((row) => row.currency === currency.code && row.sub_account === 'available')?.balance,
      ).toBe(available);
  });

  it('as CSV for Brazil: the Brasília day, the payer, the purpose, fees, and BRL with two decimals', async () => {
    const { accountId, apiKey } = await another();
    const row = newTransaction({
      ...{
        end2end: 'CRXB1',
        createdAt: '2026-10-11T00:27:47.123Z',
        notes: 'pedido 7',
        externalCode: '000123',
      },
      ...{
        clientName: 'Ana Souza',
        clientTaxId: '01234567890',
        pixE2e: 'E99999999202610110027abcdef12345',
        fees: '1.5',
      },
    });
    const funded = fund(BRL, 11_110n);
    await test.database.withTx(async (tx) => {
      await lockHeads(tx, [accountId], 'sandbox');
      await insertTransactions(tx, accountId, [row]);
      const [found] = await tx.query<{ id: bigint }>(
        { name: 'export_test', text: 'select id from transaction where account_id = $1' },
        [accountId],
      );
      const transactionId = found?.id ?? null;
      const request = { accountId, ref: 'paid', transactionId, journal: funded };
      await postJournals(tx, [request], new Date('2026-10-11T00:27:47.000Z'));
    });
    const path = '/export/statement?format=csv-pt&currency=BRL&sub_account=available';
    const { text } = await file(`${path}&date_from=2026-10-10&date_to=2026-10-10`, apiKey);
    const [headings, line, totals, count] = text.split('\r\n');
    expect(headings).toBe(
      '\uFEFFLinha;Data (Brasília);Subconta;Moeda;Débito;Crédito;Saldo;Lançamento;Transação;Descrição;Cliente;CPF/CNPJ;Referência;PIX (EndToEndId);Taxas da transação (R$)',
    );
    expect(line?.split(';').slice(1, 7)).toEqual([
      '10/10/2026 21:27:47',
      ...['Disponível', 'BRL', '0,00', '111,10', '111,10'],
    ]);
    expect(line?.split(';').slice(8)).toEqual([
      'CRXB1',
      expect.stringMatching(/: pedido 7$/),
      ...['Ana Souza', '012.345.678-90', '"=""000123"""', 'E99999999202610110027abcdef12345', '1,50'],
    ]);
    expect(totals).toBe('TOTAL;;Disponível;BRL;0,00;111,10;111,10;;;;;;;;');
    expect(count).toBe('COUNT;;;;1;;;;;;;;;;');
    const english = readCsv((await file(path.replace('csv-pt', 'csv'), apiKey)).text).rows;
    expect(english).toMatchObject([{ credit: '111.1', fees_brl: '1.5', client_name: 'Ana Souza' }]);
  });

  it('as OFX: another program reads the movements, and they lead to the balance', async () => {
    const { text, headers } = await file('/export/statement?format=ofx');
    expect(headers.get('content-disposition')).toMatch(/\.ofx"$/);
    const { OFX } = parseSync(text);
    const statement = OFX.BANKMSGSRSV1.STMTTRNRS.STMTRS;
    const movements = [statement.BANKTRANLIST.STMTTRN].flat() as { TRNAMT: string; FITID: string }[];
    const { nodes } = await lines('{ currency: "BRL", subAccount: available }');
    expect(movements.map(({ FITID }) => FITID)).toEqual(nodes.map(({ number }) => number).toReversed());
    expect(total(movements.map(({ TRNAMT }) => TRNAMT))).toBe(statement.LEDGERBAL.BALAMT);
    expect(statement.LEDGERBAL.BALAMT).toBe(nodes[0]?.balance);
    expect(statement.CURDEF).toBe('BRL');
  });

  it('OFX and CSV, read by two other programs, add up to the same as every line of GraphQL', async () => {
    const path = '/export/statement?currency=BRL&sub_account=available';
    const { rows } = readCsv((await file(path)).text);
    const credits = total(rows.map(({ credit }) => credit));
    const debits = total(rows.map(({ debit }) => debit));
    const { OFX } = parseSync((await file(`${path}&format=ofx`)).text);
    const { BANKTRANLIST, LEDGERBAL } = OFX.BANKMSGSRSV1.STMTTRNRS.STMTRS;
    const moved = total([BANKTRANLIST.STMTTRN].flat().map(({ TRNAMT }: { TRNAMT: string }) => TRNAMT));
    const { nodes } = await lines('{ currency: "BRL", subAccount: available }');
    expect([rows.length > 2, rows.length]).toEqual([true, nodes.length]);
    expect([total([moved, debits]), LEDGERBAL.BALAMT]).toEqual([credits, rows.at(-1)?.balance]);
    expect([credits, debits]).toEqual([
      total(nodes.map(({ credit }) => credit)),
      total(nodes.map(({ debit }) => debit)),
    ]);
  });

  it('E02, E03, F12: a movement of the evening is of its day in Brasília in every form, and reconciliation reads the file', async () => {
    const { accountId, apiKey } = await another();
    const posted = new Date('2026-10-11T00:27:47.000Z');
    await test.database.withTx(async (tx) => {
      await lockHeads(tx, [accountId], 'sandbox');
      const journals = [fund(BRL, 11_107n), gasSpent(currencyOfLedger('POL_POLYGON'), 5n)];
      const requests = journals.map((journal, at) => ({
        ...{ accountId, ref: `evening ${at}`, transactionId: null, journal },
      }));
      await postJournals(tx, requests, posted);
    });
    const of = (format: string, more = '') =>
      file(`/export/statement?format=${format}&date_from=2026-10-10&date_to=2026-10-10${more}`, apiKey);
    const { text } = await of('ofx');
    expect(text).toContain('<DTPOSTED>20261010212747[-3:BRT]</DTPOSTED><TRNAMT>111.07</TRNAMT>');
    expect(text).toContain('<DTSTART>20261010000000[-3:BRT]</DTSTART><DTEND>20261010235959[-3:BRT]</DTEND>');
    expect((await of('ofx', '&zone=UTC')).text).not.toContain('<STMTTRN>');
    const [row] = readCsv((await of('csv-pt')).text, ';').rows;
    expect(row).toMatchObject({ 'Data (Brasília)': '10/10/2026 21:27:47', Crédito: '111,07' });
    const journalFile = (await of('hledger')).text;
    expect(journalFile).toContain('2026-10-10 * ');
    if (hasHledger) execFileSync('hledger', ['-f', saved(journalFile), 'check', '--strict', 'ordereddates']);
    const english = (await of('csv', '&zone=America/Sao_Paulo&currency=BRL&sub_account=available')).text;
    const utc = (await file('/export/statement?format=csv&currency=BRL&sub_account=available', apiKey)).text;
    for (const own of [text, english, utc]) {
      const bytes = () => [Buffer.from(own)];
      const entries = new BankEntries();
      for await (const each of readBankFile(bytes, await inspectBankFile(bytes), DEFAULT_FORM))
        entries.add(each);
      expect(entries.summary()).toMatchObject({
        movements: 1,
        incoming: '111.07',
        first: { day: '2026-10-10' },
      });
    }
  });

  it('of a time: only its lines, and the balance at its end', async () => {
    const [{ day } = { day: '' }] = (
      await test.owner.query(
        `select max((posted_at at time zone 'UTC')::date)::text as day from journal where account_id = $1`,
        [String(holder)],
      )
    ).rows;
    const { OFX } = parseSync((await file(`/export/statement?format=ofx&date_to=2000-01-01`)).text);
    const statement = OFX.BANKMSGSRSV1.STMTTRNRS.STMTRS;
    expect([statement.BANKTRANLIST.STMTTRN, statement.LEDGERBAL.BALAMT]).toEqual([undefined, '0']);
    const { rows } = readCsv((await file(`/export/statement?date_from=${day}`)).text);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ date }) => date?.startsWith(day))).toBe(true);
  });

  /** Whether hledger is installed; what it checks is checked below by the test, too. */
  const hasHledger = isInstalled('hledger');
  const saved = (text: string) => {
    const path = join(mkdtempSync(join(tmpdir(), 'crossramp-test-')), 'export.journal');
    writeFileSync(path, text);
    return path;
  };

  it.skipIf(!hasHledger).each(['', '&currency=BRL', '&date_from=DAY', '&date_from=DAY&date_to=DAY'])(
    'as a journal%s: hledger accepts it, strictly',
    async (filter) => {
      const { rows } = await test.owner.query(
        `select (max(posted_at) at time zone 'UTC')::date::text as day from journal where account_id = $1`,
        [String(holder)],
      );
      const { text } = await file(`/export/statement?format=hledger${filter.replaceAll('DAY', rows[0].day)}`);
      const path = saved(text);
      execFileSync('hledger', ['-f', path, 'check', '--strict', 'ordereddates']);
      // The assertion at its end is one: another figure is refused.
      const wrong = saved(text.replace(/(closing balances[\s\S]*?= )/, '$11'));
      expect(() => execFileSync('hledger', ['-f', wrong, 'check'], { stdio: 'pipe' })).toThrow();
    },
  );

  it('as a journal: each balances in every currency, and all lead to the balances', async () => {
    const { text } = await file('/export/statement?format=hledger');
    const [head = '', ...entries] = text.split(/\n\n/).filter((part) => part.trim() !== '');
    expect(head).toContain('commodity 1000.00 BRL');
    const closing = entries.pop() ?? '';
    const held = new Map<string, string>();
    const POSTING = /^ {4}(\S.*?) {2}(-?[\d.]+) "?(\w+)"?(?: = (-?[\d.]+) .*)?$/;
    for (const entry of entries) {
      const postings = entry
        .split('\n')
        .slice(1)
        .map((line) => POSTING.exec(line));
      expect(
        postings.every((posting) => posting !== null),
        entry,
      ).toBe(true);
      for (const [currency, own] of Map.groupBy(postings, (posting) => posting?.[3]))
        expect(total(own.map((posting) => posting?.[2])), `${currency} in ${entry}`).toBe('0');
      for (const posting of postings) {
        const account = `${posting?.[1]} ${posting?.[3]}`;
        if (posting?.[1]?.startsWith('assets:')) held.set(account, total([held.get(account), posting[2]]));
      }
    }
    expect(entries.length).toBeGreaterThan(20);
    const asserted = closing
      .split('\n')
      .slice(1)
      .map((line) => POSTING.exec(line))
      .filter((each) => each !== null);
    expect(asserted.length).toBeGreaterThan(3);
    for (const [, account, , currency, balance] of asserted)
      expect([account, currency, held.get(`${account} ${currency}`) ?? '0']).toEqual([
        account,
        currency,
        balance,
      ]);
    expect(text).toContain('crossramp:house ');
  });
});

describe('rights and refusals', () => {
  it.each([
    ['/export/transactions?format=ofx', 'format'],
    ['/export/transactions?families=onramps,none', 'families'],
    ['/export/transactions?status_codes=Success', 'status_codes'],
    ['/export/transactions?amount_min=x', 'amount_min'],
    ['/export/transactions?date_from=2026-02-30', 'date_from'],
    ['/export/transactions?awaiting_me=1', 'awaiting_me'],
    ['/export/transactions?zone=Europe/Paris', 'zone'],
    ['/export/records?month=2026-11&zone=BRT', 'zone'],
    ['/export/transactions?text=', 'text'],
    ['/export/statement?format=ofx&currency=USDT_TRX', 'currency'],
    ['/export/statement?sub_account=none', 'sub_account'],
    // A filter that is misspelt, or of the other export, would make a file of everything.
    ['/export/transactions?currncy=BRL', 'currncy'],
    ['/export/transactions?sub_account=blocked', 'sub_account'],
    ['/export/statement?families=onramps', 'families'],
  ])('%s is 400, naming the parameter, and no file', async (path, parameter) => {
    const { status, text } = await send(path, key);
    expect([status, text.includes(`"${parameter}"`)]).toEqual([400, true]);
  });

  it('C-40: a key that may not read gets nothing; a request without a key gets nothing; another account gets only its own', async () => {
    const apiKey = await keyOf(holder, ['create']);
    const other = await another();
    for (const path of [
      '/export/transactions',
      '/export/statement?format=hledger',
      '/export/statement?format=ofx',
    ]) {
      expect((await send(path, apiKey)).status).toBe(403);
      expect((await send(path, null)).status).toBe(401);
      expect((await send(path, apiKey, 'POST')).status).toBe(403);
      expect((await send(path, key, 'PUT', '{}')).status).toBe(405);
    }
    const { rows, count } = readCsv((await file('/export/transactions', other.apiKey)).text);
    expect([rows, count?.source_amount]).toEqual([[], '0']);
    expect((await file('/export/statement?format=hledger', other.apiKey)).text).not.toContain('closing');
  });

  it('with two of an account running, a third has to wait, other accounts continue, and afterwards a slot is free', async () => {
    const other = await another();
    // Whoever reads transactions waits, which is when both are under way.
    const lock = await test.owner.connect();
    await lock.query('begin; lock table transaction in access exclusive mode');
    const paths = ['/export/transactions', '/export/transactions?format=jsonl'];
    const both = paths.map((path) => send(path, key));
    const areWaiting = `select count(*)::int as n from pg_locks where not granted and relation = 'transaction'::regclass`;
    try {
      await expect.poll(async () => (await lock.query(areWaiting)).rows[0].n).toBe(2);
      const third = await send('/export/statement', key);
      expect([third.status, third.headers.get('retry-after')]).toEqual([429, '10']);
      expect(third.text).toContain('at most 2 exports of an account at once');
      expect((await send('/export/statement', other.apiKey)).status).toBe(200);
    } finally {
      await lock.query('rollback');
      lock.release();
    }
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await send('/export/statement', key)).status).toBe(200);
  });

  it('C-40: a key that is revoked during its export gets no more of it', async () => {
    const { accountId } = await another();
    const given = { name: 'test', scopes: ['read' as const], expiresAt: null, allowedCidrs: [] };
    const { apiKey, keyId } = await createKey(test.database, accountId, given);
    const rows = Array.from({ length: 10_000 }, (_, at) =>
      newTransaction({
        end2end: `Y${at}`,
        createdAt: new Date(Date.parse('2026-05-01') + at * 1_000).toISOString(),
        clientName: 'a'.repeat(140),
      }),
    );
    await test.database.withTx((tx) => insertTransactions(tx, accountId, rows));
    const { body } = await fetch(`${app.publicUrl}/export/transactions?format=jsonl`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await revokeKey(test.database, keyId);
    let outcome: 'goes on' | 'whole' | 'cut off' = 'goes on';
    while (outcome === 'goes on') {
      // More slowly than the gateway could send it.
      await sleep(50);
      outcome = await reader.read().then(
        ({ done }) => (done ? 'whole' : 'goes on'),
        () => 'cut off',
      );
    }
    expect(outcome).toBe('cut off');
  });

  it('all accounts together have a limit as well', () => {
    const gate = new ExportGate();
    const leave = Array.from({ length: EXPORTS_MAX.process }, (_, at) => gate.enter(BigInt(at)));
    expect(() => gate.enter(99n)).toThrow(/too many exports/);
    leave[0]?.();
    gate.enter(99n)();
  });

  it('HEAD answers with the head alone', async () => {
    const { status, text, headers } = await send('/export/statement', key, 'HEAD');
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'text/csv; charset=utf-8']);
  });
});
