/**
 * Goal: what the README shows works when it is pasted, in both languages. Method: its commands run in a shell, in their
 * order, against a gateway as a process; only folder, address and the id of the answer before are put in.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { type Running, start } from './support/process.ts';

const root = new URL('../', import.meta.url);
const shell = promisify(execFile);
const store = useDatabase();
const { home, remove } = newHome();
let running: Running;

beforeAll(async () => {
  running = await start({ CROSSRAMP_HOME: home, DATABASE_URL: store.url }, '--sandbox');
});
afterAll(async () => {
  await running.end('SIGTERM');
  remove();
});

/** The commands of a document, in their order. */
function commandsOf(document: string): string[] {
  const text = readFileSync(new URL(document, root), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  return blocks.flatMap((block) => block.replaceAll('\\\n', '').trim().split('\n'));
}

test('the Portuguese README has the commands of the English one', () => {
  expect(commandsOf('README.pt-BR.md')).toEqual(commandsOf('README.md'));
});

test('README, package and the document of an installation ask for one Node', () => {
  const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const [, oldest] = /^>=(\d+)$/.exec(engines.node) ?? [];
  const texts = {
    'README.md': 'or newer',
    'README.pt-BR.md': 'ou mais novo',
    'docs/operations.md': 'or newer',
  };
  for (const [path, newer] of Object.entries(texts))
    expect(readFileSync(new URL(path, root), 'utf8')).toContain(`Node ${oldest} ${newer}`);
});

test('the commands of the README run, one after another', async () => {
  const commands = commandsOf('README.md').filter((command) => !/^npm (ci|start|test)$/.test(command));
  let answer = '';
  for (const command of commands) {
    const { end2end } = answer.startsWith('{') ? JSON.parse(answer) : {};
    const line = command
      .replaceAll('.crossramp/', `${home}/`)
      .replaceAll('http://127.0.0.1:4000', running.baseUrl)
      .replaceAll('CRX…', end2end)
      .replace(
        'npm run -s crossramp --',
        `${process.execPath} --disable-warning=ExperimentalWarning scripts/run.ts src/cli/main.ts`,
      );
    const env = { PATH: process.env.PATH, CROSSRAMP_HOME: home, DATABASE_URL: store.url };
    const { stdout } = await shell('sh', ['-c', line], { cwd: root, env });
    expect(stdout, command).not.toBe('');
    answer = stdout;
    if (!answer.startsWith('{')) continue;
    const { code, errors } = JSON.parse(answer);
    expect([code, errors], command).toEqual([undefined, undefined]);
  }
  expect(commands.length).toBe(8);
  expect(JSON.parse(answer).payment_link).toMatch(/^http/);
});
