/**
 * Goal: commands that read print the answers of the API, the command line has help, and docs/cli.md equals the output.
 * Method: a real process for each command, on a database that has the example history, and the process of the test for the
 * same command again; the help and completions of real shells.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { CLI_REFERENCE, cliReference } from '../../scripts/cli-reference.ts';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { crossrampProgram } from '../../src/cli/program.ts';
import { receiveRailEvent } from '../../src/resolvers/inbound/receive.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { SYSTEM_CLOCK } from '../support/machine-clock.ts';
import { crossramp } from '../support/process.ts';

const app = useApp();
let env: Record<string, string>;

beforeAll(async () => {
  env = { DATABASE_URL: app.url };
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '0.000001' });
});

describe('commands that read', () => {
  test('account list shows every account, for people and as JSON', async () => {
    const { accountId } = await app.addAccount();
    const { stdout } = await crossramp(env, 'account', 'list', '--json');
    expect(JSON.parse(stdout).map((each: { accountId: string }) => each.accountId)).toEqual([
      String(app.accountId),
      String(accountId),
    ]);
    const table = (await command(env, 'account', 'list')).stdout.split('\n');
    expect(table[0]).toMatch(/^ *ID +HANDLE +MODE +CREATED +NAME$/);
    expect(table[1]).toMatch(new RegExp(`^ *${app.accountId} +sandbox +sandbox +\\S+Z +Sandbox$`));
  });

  test('balance --json equals the bytes of GET /v2/balance, and the table shows every digit', async () => {
    const { stdout } = await crossramp(env, 'balance', '--json');
    expect(stdout).toBe(`${(await app.get('/v2/balance')).text}\n`);
    const table = (await command(env, 'balance')).stdout;
    const { available } = JSON.parse(stdout).balances.USDT['USDT (TRX)'];
    expect(table).toMatch(new RegExp(`^USDT_TRX +${String(available).replace('.', '\\.')} `, 'm'));
  });

  test('transaction list shows the newest of every family, and --json has the bodies of GET', async () => {
    const { stdout } = await crossramp(env, 'transaction', 'list', '--json');
    const { total, transactions } = JSON.parse(stdout);
    expect(total).toBe(9);
    expect(transactions).toHaveLength(9);
    const times = transactions.map((each: { created_at: string }) => each.created_at);
    expect(times).toEqual(times.toSorted().reverse());
    const few = JSON.parse(
      (await command(env, 'transaction', 'list', '--family', 'onramps', '--limit', '1', '--json')).stdout,
    );
    const onramps = (await app.get('/v2/onramps?limit=1')).json;
    expect(few).toEqual({ total: onramps.total, transactions: onramps.results });
    const { stdout: table } = await command(env, 'transaction', 'list', '--limit', '2');
    expect(table).toMatch(
      /^CREATED +END2END +TEMPLATE +STATUS +FROM +TO\n(\S+T\S+\.\d{3}Z .+\n){2}\n2 of 9\n$/,
    );
  });

  test('transaction show prints the body of GET and every step, with all digits', async () => {
    const { json: made } = await app.post('/v2/onramp', {
      amount_received: '0.012345678901234567',
      currency_exit_received_code: 'ETH',
      client_name: 'Ana',
      client_tax_id: '52998224725',
    });
    const { stdout } = await crossramp(env, 'transaction', 'show', made.end2end, '--json');
    const { text } = await app.get(`/v2/onramp/${made.end2end}`);
    expect(stdout.startsWith(text.slice(0, -1))).toBe(true);
    const { steps, component, state } = JSON.parse(stdout);
    expect(steps.at(-1)).toMatchObject({ component, state });
    expect(JSON.parse(stdout).actions).toEqual([{ action: 'cancel', mutation: 'cancelTransaction' }]);
    const shown = (await command(env, 'transaction', 'show', made.end2end)).stdout;
    expect(shown).toMatch(/^ {2}amount_received +0\.012345678901234567$/m);
    expect(shown).toMatch(/^possible actions\n {2}cancel {2}cancelTransaction$/m);
    expect(shown.split('\n')).toContain(`  ${steps[0].occurredAt}  ${steps[0].component}/${steps[0].state}`);
  });
});

describe('commands of the operator', () => {
  test('suspense list --json writes times as the API does', async () => {
    const { json: made } = await app.post('/v2/onramp', {
      amount_payment: 60,
      currency_exit_received_code: 'USDT_TRX',
      client_name: 'Ana',
      client_tax_id: '52998224725',
    });
    for (const scenario of ['pay', 'pay'])
      await app.post('/v2/sandbox/trigger', { scenario, end2end: made.end2end });
    const { stdout } = await crossramp(env, 'suspense', 'list', '--json');
    const [entry] = JSON.parse(stdout);
    expect(entry).toMatchObject({ end2end: made.end2end, amount: '60', state: 'open', decidedAt: null });
    expect(entry.openedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const decision = ['suspense', 'return', entry.id, '--reason', 'case 1'];
    const returned = JSON.parse((await crossramp(env, ...decision, '--json')).stdout);
    expect(returned.decidedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('rail-event list shows payers only when requested', async () => {
    const event = {
      kind: 'payment',
      txid: null,
      endToEndId: 'E99999999202611221200newslistcli',
      amount: '1.00',
      settledAt: new Date().toISOString(),
      payerTaxId: '52998224725',
    } as const;
    const failing = {
      ...app.services,
      clock: { ...SYSTEM_CLOCK, nowMs: () => Promise.reject(new Error('no clock')) },
    };
    await receiveRailEvent(failing, pino({ level: 'silent' }), event);
    const list = async (...args: string[]) =>
      JSON.parse((await command(env, 'rail-event', 'list', '--json', ...args)).stdout);
    const [masked] = await list('--state', 'pending');
    expect(masked).toMatchObject({ key: event.endToEndId, tries: 1, lastError: 'no clock' });
    expect(masked.body.payerTaxId).toBe('***.982.247-**');
    expect((await list('--reveal'))[0].body.payerTaxId).toBe('52998224725');
    expect((await crossramp(env, 'rail-event', 'list')).stdout).toContain('no clock');
    const live = { ...failing, mode: 'live' } as const;
    await receiveRailEvent(live, pino({ level: 'silent' }), { ...event, endToEndId: `${event.endToEndId}0` });
    expect((await list('--live')).map((each: { key: string }) => each.key)).toEqual([`${event.endToEndId}0`]);
    expect(await command(env, 'suspense', 'list', '--live')).toMatchObject({ stdout: 'nothing\n' });
    expect(await command(env, 'rail-event', 'list', '--live', '--account', 'sandbox')).toMatchObject({
      code: 2,
    });
  });

  test('suspense describes the outcome of an entry in a sentence, including a refusal', async () => {
    const { json: made } = await app.post('/v2/onramp', {
      amount_payment: 60,
      currency_exit_received_code: 'USDT_TRX',
      client_name: 'Ana',
      client_tax_id: '52998224725',
    });
    for (const scenario of ['pay', 'pay'])
      await app.post('/v2/sandbox/trigger', { scenario, end2end: made.end2end });
    const list = await command(env, 'suspense', 'list', '--state', 'open', '--json');
    const [{ id }] = JSON.parse(list.stdout);
    const account = String(app.accountId);
    const assign = ['suspense', 'assign', id, '--account', account, '--reason', 'case 1'];
    expect((await crossramp(env, ...assign)).stdout).toBe(
      `suspense entry ${id} was credited to account ${app.accountId}\n`,
    );
    expect(await command(env, ...assign)).toMatchObject({
      code: 1,
      stderr: `crossramp: suspense entry ${id} was credited to account ${app.accountId}\n`,
    });
  });

  test('key rotate and key revoke find the key by its id, and check the account if one is named', async () => {
    const { accountId } = await app.addAccount();
    const words = ['key', 'create', '--account', String(accountId), '--scopes', 'read', '--json'];
    const { keyId } = JSON.parse((await crossramp(env, ...words)).stdout);
    for (const action of ['rotate', 'revoke'])
      expect(await command(env, 'key', action, keyId, '--account', 'sandbox')).toMatchObject({
        code: 1,
        stderr: `crossramp: account sandbox has no active key with the id ${keyId}\n`,
      });
    const rotated = JSON.parse((await crossramp(env, 'key', 'rotate', keyId, '--json')).stdout);
    const owned = ['--account', String(accountId), '--json'];
    const again = JSON.parse((await command(env, 'key', 'rotate', rotated.keyId, ...owned)).stdout);
    const revoked = await crossramp(env, 'key', 'revoke', again.keyId, ...owned);
    expect(JSON.parse(revoked.stdout)).toEqual({ keyId: again.keyId, revoked: true });
    expect(await command(env, 'key', 'revoke', again.keyId)).toMatchObject({
      code: 1,
      stderr: `crossramp: there is no active key with the id ${again.keyId}\n`,
    });
  });

  test('audit list and audit verify accept the account of the platform', async () => {
    const words = ['key', 'create', '--account', 'platform', '--scopes', 'platform:risk', '--json'];
    const { keyId } = JSON.parse((await command(env, ...words)).stdout);
    const { stdout } = await crossramp(env, 'audit', 'list', '--account', 'platform', '--json');
    expect(JSON.parse(stdout)[0]).toMatchObject({ act: 'key.create', objectId: keyId });
    const verified = await crossramp(env, 'audit', 'verify', '--account', 'platform', '--json');
    expect(JSON.parse(verified.stdout)).toMatchObject([{ defects: [] }]);
  });
});

const FILE = 'docs/examples/history.ndjson';

describe('exit codes', () => {
  test('is 3 for a database that cannot be reached', async () => {
    const closed = `postgres://someone:secret@127.0.0.1:${await freePort()}/nowhere`;
    const { code, stdout, stderr } = await crossramp({ DATABASE_URL: closed }, 'balance');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(
      /^crossramp: cannot reach the database nowhere at 127\.0\.0\.1:\d+: ECONNREFUSED\n$/,
    );
  });

  test.each([
    'events tail',
    'listen --forward-to http://127.0.0.1:9/hook',
  ])('is 3 for "%s" at a gateway that cannot be reached', async (words) => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await crossramp(
      env,
      ...words.split(' '),
      '--base-url',
      baseUrl,
      '--key',
      app.apiKey,
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: `crossramp: cannot reach the gateway at ${baseUrl}: ECONNREFUSED\n`,
    });
  });

  test.each<[string[], RegExp, number?]>([
    [
      ['trigger', 'fund', '--account', 'sandbox', '--currency', 'USDT', '--amount', '1'],
      /currency: names an asset that exists on several networks/,
      2,
    ],
    [
      ['trigger', 'fund', '--account', 'sandbox', '--currency', 'BRL', '--amount', '0.001'],
      /amount: must be a decimal number above zero with at most 2 decimals/,
      2,
    ],
    [
      ['trigger', 'fund', '--account', 'sandbox', '--currency', 'BRL', '--amount', '-1'],
      /amount: must be a decimal number above zero/,
      2,
    ],
    [['import', FILE, '--account', '999'], /there is no account 999/],
    [['import', 'docs/errors.md', '--account', 'sandbox'], /errors\.md:1: not JSON/],
    [['import', 'nowhere.ndjson', '--account', 'sandbox'], /^crossramp: no such file: nowhere\.ndjson\n$/],
    [['clock', 'advance', '30x'], /advance: must be a duration such as 90s/, 2],
    [
      ['events', 'tail', '--events', 'onrmp.*'],
      /--events: no event has the name onrmp\.\*\.\*; did you mean onramp\.\*\.\*\?/,
      2,
    ],
    [['listen', '--forward-to', 'ftp://127.0.0.1/x'], /Expected an http or https URL/, 2],
    [
      ['key', 'create', '--account', 'sandbox', '--scopes', 'read,fly'],
      /"fly" is not one of read, create, move, admin/,
      2,
    ],
    [
      ['key', 'create', '--account', 'sandbox', '--scopes', 'read', '--expires', 'soon'],
      /Expected a time such as/,
      2,
    ],
    [['nonsense'], /unknown command/, 2],
    [['acount', 'list'], /unknown command 'acount'\n\(Did you mean account\?\)/, 2],
    [['account', 'list', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/, 2],
    [['transaction', 'list', '--limit', '0'], /Expected a whole number from 1 to 100/, 2],
    [['key', 'create'], /required option '--account <id>' not specified/, 2],
    [['transaction', 'show', 'CRX0'], /account sandbox has no transaction CRX0/],
  ])('%j fails with one clear line', async (args, reason, exit = 1) => {
    const { code, stderr } = await crossramp(env, ...args);
    expect(code).toBe(exit);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  test('is 0 for --help and --version', async () => {
    expect(await crossramp({}, '--version')).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
    const help = await crossramp({}, 'key', 'create', '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: crossramp key create/);
  });
});

const program = await crossrampProgram();

describe('the command line', () => {
  const commandsBelow = (command: Command, path: readonly string[] = []): [string, Command][] =>
    (command.commands as Command[]).flatMap((each) => [
      [[...path, each.name()].join(' '), each],
      ...commandsBelow(each, [...path, each.name()]),
    ]);
  const commands = commandsBelow(program);
  const acting = commands.filter(([, { commands, registeredArguments }]) =>
    commands.length === 0 ? true : registeredArguments.length > 0,
  );

  test('docs/cli.md equals the output of the commands', async () => {
    expect(readFileSync(CLI_REFERENCE, 'utf8')).toBe(await cliReference());
  });

  test('every command has examples, and all commands and options in them exist', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(acting.map(([path]) => path).sort());
    for (const [path, command] of acting) {
      const known = command.options.map(({ long }) => long);
      for (const line of EXAMPLES[path] ?? []) {
        expect(line).toContain(`crossramp ${path}`);
        for (const [option] of line.matchAll(/--[a-z-]+/g)) expect(known, line).toContain(option);
      }
    }
  });

  test('the help marks required options', () => {
    const required = commands.map(([path, command]) => [
      path,
      command.options.filter(({ mandatory }) => mandatory).length,
    ]);
    const said = commands.map(([path, command]) => [
      path,
      command.helpInformation().match(/\(required\)/g)?.length ?? 0,
    ]);
    expect(said).toEqual(required);
    expect(required.filter(([, number]) => number !== 0).length).toBeGreaterThan(20);
  });

  /** Input of bash at a Tab: the words so far, the last of them under the cursor. */
  const TAB = [
    'source /dev/stdin <<<"$SCRIPT"',
    'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))',
    '_crossramp',
    'for word in $COMPREPLY "$' + '{COMPREPLY[@]:1}"; do echo "$word"; done',
  ].join('\n');
  const complete = (words: readonly string[]) => {
    const env = { PATH: process.env.PATH, SCRIPT: printed('bash') };
    return execFileSync('bash', ['--norc', '-c', TAB, 'bash', ...words], { env, encoding: 'utf8' })
      .trim()
      .split('\n');
  };
  const scripts = new Map<string, string>();
  const printed = (shell: string) => scripts.get(shell) ?? '';

  beforeAll(async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      scripts.set(shell, (await crossramp({}, 'completion', shell)).stdout);
  });

  test.each([
    [['crossramp', 'acc'], ['account']],
    [
      ['crossramp', 'key', ''],
      ['create', 'list', 'rotate', 'revoke', '--help'],
    ],
    [['crossramp', 'key', 'create', '--sc'], ['--scopes']],
    [['crossramp', 'transaction', 'list', '--family', 'onramps', '--l'], ['--limit']],
    [
      ['crossramp', 'webhook', 're'],
      ['resume', 'recover', 'redeliver'],
    ],
  ])('bash completes %j to %j', (words, expected) => {
    expect(complete(words)).toEqual(expected);
  });

  test.each(['zsh', 'fish'])('the script for %s is valid, and names every command', (shell) => {
    for (const [, command] of commands) expect(printed(shell)).toContain(command.description().slice(0, 20));
    try {
      execFileSync(shell, ['--version']);
    } catch {
      return;
    }
    execFileSync(shell, ['-n', '/dev/stdin'], { input: printed(shell) });
  });
});
