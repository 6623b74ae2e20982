/**
 * Goal: what the README shows works when it is pasted, in both languages. Method: its commands run in a shell, in their
 * order, against a gateway as a process; only folder, address and the id of the answer before are put in.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
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

/** A command of the README as it runs here. */
const hereOf = (command: string) =>
  command
    .replaceAll('.crossramp/', `${home}/`)
    .replaceAll('http://localhost:4000', running.baseUrl)
    .replace(
      'npm run -s crossramp --',
      `exec ${process.execPath} --disable-warning=ExperimentalWarning scripts/run.ts src/cli/main.ts`,
    )
    .replace(/^node /, `exec ${process.execPath} `);

const here = () => ({
  cwd: root,
  env: { PATH: process.env.PATH, CROSSRAMP_HOME: home, DATABASE_URL: store.url },
});

/** What a reader ends by Ctrl-C. */
const GOES_ON = /^node -e| events tail$| listen /;

test('the Portuguese README has the commands of the English one', () => {
  expect(commandsOf('README.pt-BR.md')).toEqual(commandsOf('README.md'));
});

test('README, package and the document of an installation require the same Node', () => {
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
  const commands = commandsOf('README.md').filter(
    (command) => !/^npm (ci|start|test|run test:long)$/.test(command) && !GOES_ON.test(command),
  );
  let answer = '';
  const links: string[] = [];
  for (const command of commands) {
    const { end2end } = answer.startsWith('{') ? JSON.parse(answer) : {};
    const { stdout } = await shell('sh', ['-c', hereOf(command).replaceAll('CRX…', end2end)], here());
    expect(stdout, command).not.toBe('');
    answer = stdout;
    if (!answer.startsWith('{')) continue;
    const { code, errors, payment_link: link } = JSON.parse(answer);
    expect([code, errors], command).toEqual([undefined, undefined]);
    if (link !== undefined) links.push(link);
  }
  expect(commands.length).toBe(6);
  expect(links).toEqual([expect.stringMatching(/^http/)]);
});

async function makeCheckout(apiKey: string): Promise<string> {
  const made = await fetch(`${running.baseUrl}/v2/crossramp_checkout`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_payment: 151, currency_exit_received_code: 'USDT_TRX' }),
  });
  return ((await made.json()) as { end2end: string }).end2end;
}

test('the continuous commands print an event, and deliver it to a server, signed', async () => {
  const commands = commandsOf('README.md').filter((command) => GOES_ON.test(command));
  expect(commands).toHaveLength(3);
  const port = String(await freePort());
  const children = commands.map((command) =>
    spawn('sh', ['-c', hereOf(command).replaceAll('3000', port)], {
      ...here(),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const said = ['', '', ''];
  for (const [at, child] of children.entries())
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        said[at] += part;
      });
  try {
    await expect.poll(() => said[2]).toContain('forwarding to');
    const { apiKey } = JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8'));
    // The first command shows what happens once it has connected, and does not say when that is.
    const made: string[] = [];
    const isShown = async () => {
      made.push(await makeCheckout(apiKey));
      return made.some((end2end) => said[0]?.includes(end2end));
    };
    await expect.poll(isShown, { interval: 500 }).toBe(true);
    for (const at of [1, 2])
      await expect.poll(() => said[at], { message: commands[at] ?? '' }).toContain(made[0]);
    expect(said[2]).toContain('→ 200');
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
  }
});
