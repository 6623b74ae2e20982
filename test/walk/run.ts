/**
 * Walks through a gateway by HTTP only: `node test/walk/run.ts --base-url http://127.0.0.1:4000 --key crx_test_…
 * [--second-key crx_test_…] [--platform-key crx_test_…] [--only NAME]`. Ends with 1 when a walk fails. The account is used as it is: what counts is
 * how it changes.
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  checkBalances,
  checkChain,
  checkFacts,
  checkLabels,
  checkLines,
  checkList,
  checkPrice,
  checkSteps,
  checkWorth,
  type Entry,
  readHistory,
  readLines,
  timeOf,
} from './checks.ts';
import { Client } from './client.ts';
import { meansOf } from './means.ts';
import { expectStatus, type Means, type Walk, Walker } from './walker.ts';
import { WALKS } from './walks.ts';

/** What came of a walk. */
export interface Report {
  readonly name: string;
  /** What is wrong; empty when all is as it should be. */
  readonly problems: readonly string[];
  /** What the gateway or the account lacks: then nothing was walked. */
  readonly lacks?: readonly string[];
}

/** Walks one walk and looks at everything afterwards. */
export async function runWalk(client: Client, means: Means, walk: Walk): Promise<Report> {
  const { name } = walk;
  // Introspection tells each key of its own contract.
  const known = await Promise.all(
    [client, ...(means.platform ? [means.platform] : [])].map((each) => each.mutations()),
  );
  const lacks = [
    ...(walk.needs ?? []).filter((need) => !means[need]),
    ...(walk.mutations ?? []).filter((mutation) => !known.some((mutations) => mutations.has(mutation))),
  ];
  if (lacks.length > 0) return { name, problems: [], lacks };
  const problems: string[] = [];
  const complain = (what: string) => void problems.push(what);
  const walker = new Walker(client, means, walk);
  try {
    const before = await timeOf(client);
    for (const [currency, amount] of Object.entries(walk.funds ?? {})) await walker.fund(currency, amount);
    if (walk.steps.length === 0) await passNothing(walker, complain);
    else await pass(walker);
    const after = await timeOf(client);
    const lines = await readLines(client, before, after);
    checkChain(lines, after, complain);
    checkBalances(walker, { before, after, lines }, complain);
    await checkWorth(client, complain);
    if (walk.steps.length > 0) await checkTransaction(walker, lines, complain);
  } catch (error) {
    problems.push(await explain(walker, error));
  }
  return { name, problems };
}

/** The whole way, and a little longer: what comes too late must not change anything any more. */
async function pass(walker: Walker): Promise<void> {
  if (!(await walker.make())) throw new Error('was refused');
  for (const [at, action] of walker.walk.acts) {
    await walker.reach(at);
    await action(walker);
  }
  await walker.reach(walker.walk.steps.at(-1) as string);
  await walker.advance('3s');
  await walker.read();
}

/** What is refused leaves no trace. */
async function passNothing(walker: Walker, complain: (what: string) => void): Promise<void> {
  const look = async () => {
    const list = expectStatus(await walker.client.get(`${walker.walk.path}s?limit=1`), 200);
    const statement = expectStatus(await walker.client.get('/v2/statement?limit=1'), 200);
    return `${list.total} transactions and ${statement.total} lines`;
  };
  const before = await look();
  if (await walker.make()) complain('was not refused');
  const after = await look();
  if (after !== before) complain(`there were ${before}, now there are ${after}`);
}

async function checkTransaction(
  walker: Walker,
  lines: readonly Entry[],
  complain: (what: string) => void,
): Promise<void> {
  const history = await readHistory(walker);
  checkSteps(walker, history, complain);
  checkLabels(walker, history, complain);
  checkLines(walker, lines, history, complain);
  checkPrice(walker, history, complain);
  checkFacts(walker, complain);
  await checkList(walker, complain);
}

/** What went wrong, and how far the transaction came. */
async function explain(walker: Walker, error: unknown): Promise<string> {
  const what = error instanceof Error ? error.message : String(error);
  if (walker.end2end === '') return what;
  const { events } = await readHistory(walker);
  return `${walker.end2end} ${what}\n  after ${events.map(({ component, state }) => `${component}/${state}`).join(' ')}`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string', default: 'http://127.0.0.1:4000' },
      key: { type: 'string' },
      'second-key': { type: 'string' },
      'platform-key': { type: 'string' },
      only: { type: 'string' },
    },
  });
  if (!values.key) throw new Error('--key is required');
  const client = new Client(values['base-url'], values.key);
  const clientOf = (key: string | undefined) => (key ? new Client(values['base-url'], key) : undefined);
  const means = await meansOf(client, clientOf(values['second-key']), clientOf(values['platform-key']));
  const { only } = values;
  const walks = WALKS.filter(
    ({ name }) => only === undefined || name === only || name.startsWith(`${only}:`),
  );
  if (walks.length === 0) throw new Error(`there is no walk ${only}`);
  let failed = 0;
  for (const walk of walks) {
    const startedAt = performance.now();
    const { name, problems, lacks } = await runWalk(client, means, walk);
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    if (problems.length > 0) failed++;
    const mark = lacks
      ? `- ${name}: needs ${lacks.join(', ')}`
      : `${problems.length > 0 ? '✗' : '✓'} ${name} (${took})`;
    process.stdout.write([mark, ...problems.map((problem) => `  ${problem}`), ''].join('\n'));
  }
  process.stdout.write(`${walks.length - failed} of ${walks.length} walks are as they should be\n`);
  if (failed > 0) process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
