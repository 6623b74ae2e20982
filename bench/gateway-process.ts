/** The gateway as operators start it, as a process of its own, and a client that asks it over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A gateway that runs. */
export interface Gateway {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  /** Of the sandbox account, with all scopes. */
  readonly apiKey: string;
}

/** How a gateway is started. */
interface StartOptions {
  readonly checkout?: string;
  readonly apiKey?: string;
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

const AGENT = new Agent({ keepAlive: true });
/** The checkout that this folder is of. */
export const HERE = fileURLToPath(new URL('..', import.meta.url));
/** Between two looks at whether an onramp is credited. */
const STEP_MS = 25;
const ORDER = {
  amount_payment: 550,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};

/**
 * Starts a sandbox on a database.
 *
 * @param home - folder for its files.
 * @param options - `checkout`: whose code, not this one's; `apiKey`: that of the first process of a database, for others;
 *   `nodeArgs`: options of Node, and the process takes messages; `env`: further settings.
 */
export async function startGateway(
  databaseUrl: string,
  home: string,
  { checkout = HERE, apiKey, nodeArgs = [], env = {} }: StartOptions = {},
): Promise<Gateway> {
  const main = join(checkout, 'src/main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...nodeArgs, main], {
    stdio: ['ignore', 'pipe', 'inherit', nodeArgs.length > 0 ? 'ipc' : 'ignore'],
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      SANDBOX: '1',
      CROSSRAMP_HOME: home,
      RATE_LIMIT: 'off',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  let told = '';
  for await (const chunk of child.stdout as NodeJS.ReadableStream) {
    told += chunk;
    const [baseUrl] = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(told) ?? [];
    if (!baseUrl) continue;
    child.stdout?.resume();
    const keyOf = () => JSON.parse(readFileSync(join(home, 'sandbox.json'), 'utf8')).apiKey;
    return { child, baseUrl, apiKey: apiKey ?? keyOf() };
  }
  throw new Error(`the gateway does not start: ${told}`);
}

/** Ends a gateway. */
export async function endGateway({ child }: Gateway): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}

/** Asks, by POST where there is a body. */
export async function ask({ baseUrl, apiKey }: Gateway, path: string, body?: object): Promise<Answer> {
  const call = request(baseUrl + path, {
    agent: AGENT,
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
  });
  call.end(body && JSON.stringify(body));
  const [response] = await once(call, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() };
}

/** As `ask`. @returns the members of the answer. @throws {Error} for one that is not a success. */
export async function askSurely(
  gateway: Gateway,
  path: string,
  body?: object,
): Promise<Record<string, string>> {
  const { status, text } = await ask(gateway, path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return JSON.parse(text);
}

/** A whole onramp: created, paid by the customer of the sandbox, credited. */
export async function onramp(gateway: Gateway): Promise<void> {
  const { end2end } = await askSurely(gateway, '/v2/onramp', ORDER);
  await askSurely(gateway, '/v2/sandbox/trigger', { scenario: 'pay', end2end });
  for (;;) {
    const { component } = await askSurely(gateway, `/v2/onramp/${end2end}`);
    if (component === 'success') return;
    await delay(STEP_MS);
  }
}
