/**
 * Goal: reconciliation works on the command line as over GraphQL, and its exit code says whether findings are open.
 * Method: real processes on the database of a running gateway.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newEndToEndId } from '../../src/base/pix/end-to-end-id.ts';
import { brasiliaDay } from '../../src/base/time/brasilia-day.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { useOneDay } from '../support/one-day.ts';
import { plantPayment } from '../support/unbooked-payment.ts';

useOneDay();
const app = useApp();

test('reconcile exits with 1 when findings are open, and prints them', async () => {
  const env = { DATABASE_URL: app.url };
  const quiet = await command(env, 'reconcile', '--json');
  expect({ ...quiet, stdout: JSON.parse(quiet.stdout) }).toMatchObject({
    code: 0,
    stdout: { isOpen: false, matched: 0, findings: [] },
  });
  const { endToEndId, nowMs } = await plantPayment(app);
  const open = await command(env, 'reconcile', '--day', brasiliaDay(nowMs));
  expect(open).toMatchObject({ code: 1, stderr: '' });
  expect(open.stdout).toContain('0 matched, 1 missing here, 0 missing there');
  expect(open.stdout).toMatch(new RegExp(`missing_here +payment .* 7.00 +${endToEndId}`));
  expect(await command(env, 'reconcile', '--day', '2026-02-30')).toMatchObject({
    stderr: expect.stringMatching(/--day: must be an existing day/),
  });
  expect(await command(env, 'reconcile', '--day', '0001-01-01')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'crossramp: --day: must be an existing day from 2000-01-01 on, YYYY-MM-DD\n',
  });
  expect((await command(env, 'reconcile', '--live')).stderr).toMatch(/no live rails/);
});

test('C-33: compares an OFX or CSV file of the bank with the ledger, and changes nothing for the same file again', async () => {
  const env = { DATABASE_URL: app.url };
  const nowMs = await app.services.clock.nowMs();
  const day = brasiliaDay(nowMs);
  const arrive = async (amount: string) => {
    const endToEndId = newEndToEndId({ ispb: '88888888', at: new Date(nowMs) });
    const settledAt = new Date(nowMs).toISOString();
    await app.services.receive({
      kind: 'payment',
      txid: null,
      endToEndId,
      amount,
      settledAt,
      payerTaxId: null,
    });
    return endToEndId;
  };
  const named = await arrive('1234.56');
  for (const amount of ['21.00', '22.00', '23.00']) await arrive(amount);
  const line = (id: string, amount: string, memo = '') =>
    `<STMTTRN><TRNTYPE>${amount.startsWith('-') ? 'DEBIT' : 'CREDIT'}<DTPOSTED>${day.replaceAll('-', '')}120000[-3:BRT]<TRNAMT>${amount}<FITID>${id}<MEMO>${memo}</STMTTRN>`;
  const folder = mkdtempSync(join(tmpdir(), 'crossramp-bank-'));
  const [ofx, csv] = [join(folder, 'bank.ofx'), join(folder, 'bank.csv')];
  const twice = line('2', '21,00');
  const text = `OFXHEADER:100\nENCODING:USASCII\n\n<OFX><BANKTRANLIST>${line('1', '1234.56', `Recebido Jo\u00e3o ${named}`)}
${twice}${twice}${line('3', '22.10')}${line('4', '-5.00')}${line('', '9.00', 'Saldo do dia')}</BANKTRANLIST></OFX>`;
  writeFileSync(ofx, Buffer.from(text, 'latin1'));
  const preview = await command(env, 'reconcile', '--file', ofx, '--preview', '--json');
  expect({ ...preview, stdout: JSON.parse(preview.stdout) }).toMatchObject({
    ...{ code: 0, stderr: '' },
    stdout: {
      file: {
        account: null,
        movements: 5,
        incoming: '1298.66',
        outgoing: '5',
        skipped: 1,
        first: { amount: '1234.56', day },
      },
    },
  });
  const shown = (await command(env, 'reconcile', '--file', ofx, '--preview')).stdout;
  expect(shown).toContain('5 movements of an account that the file does not name: BRL 1298.66 in, 5 out');
  expect(shown).toMatch(/transaction 6 +is a balance or a total +Saldo do dia/);
  const stored = async () =>
    (await app.owner.query(`select count(*)::int as count from reconciliation where rail = 'bank'`)).rows;
  expect(await stored()).toEqual([{ count: 0 }]);
  const first = await command(env, 'reconcile', '--file', ofx, '--json');
  expect(first).toMatchObject({ code: 1, stderr: '' });
  const [report] = JSON.parse(first.stdout).reports;
  expect(report).toMatchObject({ rail: 'bank', day, matched: 2, missingHere: 3, missingThere: 2 });
  const told = report.findings.map((each: Record<string, string>) => [
    each.finding,
    each.amountThere ?? each.amountHere,
  ]);
  expect(told.toSorted()).toEqual([
    ['missing_here', '21'],
    ['missing_here', '22.1'],
    ['missing_here', '5'],
    ['missing_there', '22'],
    ['missing_there', '23'],
  ]);
  expect(JSON.parse((await command(env, 'reconcile', '--file', ofx, '--json')).stdout)).toEqual(
    JSON.parse(first.stdout),
  );
  expect(await stored()).toEqual([{ count: 1 }]);

  const [year, month, date] = day.split('-');
  const row = (...cells: string[]) => cells.join(';');
  const brDay = `${date}/${month}/${year}`;
  const head = row('Data', 'Valor', 'Hist\u00f3rico');
  const all = [['1.234,56', named], ...['21,00', '22,00', '23,00'].map((amount) => [amount, 'PIX'])];
  writeFileSync(csv, [head, ...all.map(([amount = '', memo = '']) => row(brDay, amount, memo))].join('\r\n'));
  const columns = 'date=Data,amount=Valor,text=Hist\u00f3rico';
  const good = await command(env, 'reconcile', '--file', csv, '--columns', columns, '--json');
  expect(JSON.parse(good.stdout).reports[0]).toMatchObject({ matched: 4, missingHere: 0, missingThere: 0 });
  expect((await command(env, 'reconcile', '--file', csv, '--columns', 'date=Dia')).stderr).toMatch(
    /--file: there is no column Dia; there are Data, Valor, Hist\u00f3rico/,
  );
  expect((await command(env, 'reconcile', '--preview')).stderr).toMatch(/--preview: needs --file/);
  expect((await command(env, 'reconcile', '--file', join(folder, 'none.csv'))).stderr).toMatch(
    /no such file/,
  );
  for (const wrong of ['date=Data,date=Dia', 'date=#1,amount=Valor', 'day=Data', 'credit=Valor,debit=Valor'])
    expect(await command(env, 'reconcile', '--file', csv, '--columns', wrong)).toMatchObject({ code: 2 });
  writeFileSync(csv, `${head}\n${row(brDay, '1.234', '')}\n${row(brDay, 'x', '')}`);
  expect((await command(env, 'reconcile', '--file', csv, '--columns', columns)).stderr).toMatch(
    /row 2: the amount must be/,
  );
  rmSync(folder, { recursive: true });
});

test('C-33: a file of another account than in RAILS_FILE is refused, and of a file with several accounts only the configured one is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossramp-bank-'));
  const [rails, file] = [
    join(folder, 'rails.json'),
    fileURLToPath(new URL('../vectors/bank-files/f05-two-accounts.ofx', import.meta.url)),
  ];
  const env = { DATABASE_URL: app.url, RAILS_FILE: rails };
  const preview = async (bankAccount: string, ...more: string[]) => {
    writeFileSync(rails, JSON.stringify({ sandbox: { bankAccount } }));
    return command(env, 'reconcile', '--file', file, '--preview', '--json', ...more);
  };
  const own = await preview('655000-2');
  expect({ ...own, stdout: JSON.parse(own.stdout) }).toMatchObject({
    ...{ code: 0, stderr: '' },
    stdout: { file: { account: '001/655000-2', incoming: '111.07' } },
  });
  expect((await preview('455000-5')).stderr).toMatch(/--file: must have a movement/);
  expect((await preview('777')).stderr).toMatch(/must be of the account 777, and is of 001\/455000-5/);
  expect((await preview('777', '--bank-account', '655000-2')).stderr).toMatch(
    /which RAILS_FILE names, not 655000-2/,
  );
  rmSync(folder, { recursive: true });
});
