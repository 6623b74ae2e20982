/** The gateway and its commands as processes, started as the README says, each in a home folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RUN = ['--disable-warning=ExperimentalWarning', 'scripts/run.js'];
const START_MAX_MS = 90_000;

/** A command that ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running gateway. */
export interface Running {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly banner: string;
  readonly ended: Promise<Ended>;
  /** Sends the signal and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>;
}

/** Runs `crossramp …` to its end. */
export function crossramp(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  return ended(spawnNode(env, 'src/cli/main.ts', ...args));
}

/** Starts `crossramp …`, to be followed and stopped. */
export function begin(
  env: Record<string, string>,
  ...args: string[]
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawnNode(env, 'src/cli/main.ts', ...args);
  return { child, ended: ended(child) };
}

/** The same with another standard error than a pipe to the test. @param file - descriptor of an open file. */
export function beginWithLog(
  file: number,
  ...args: string[]
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawnTo({ stdout: 'pipe', stderr: file }, {}, 'src/cli/main.ts', ...args);
  return { child, ended: ended(child) };
}

/** Starts the gateway, to be stopped whether it is ready or not. */
export function launch(
  env: Record<string, string>,
  ...options: string[]
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawnNode(env, 'src/main.ts', ...options);
  return { child, ended: ended(child) };
}

/** Runs a start that is expected to fail, or to print something and end. */
export function failToStart(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  return ended(spawnNode(env, 'src/main.ts', ...args));
}

/** Starts the gateway on a free port and waits until it says that it is ready. */
export function start(env: Record<string, string>, ...options: string[]): Promise<Running> {
  return untilReady(spawnNode({ PORT: '0', ...env }, 'src/main.ts', ...options));
}

/** The same for a program in another folder than this checkout. */
export function startIn(folder: string, env: Record<string, string>): Promise<Running> {
  const options = { cwd: folder, env: environment({ PORT: '0', ...env }) };
  return untilReady(spawn(process.execPath, [...RUN, 'src/main.ts'], options));
}

/** The same with another standard error than a pipe to the test. @param file - descriptor of an open file. */
export function startWithLog(file: number, env: Record<string, string>): Promise<Running> {
  return untilReady(spawnTo({ stdout: 'pipe', stderr: file }, { PORT: '0', ...env }, 'src/main.ts'));
}

/** The same at a terminal, made by `script`; both outputs come to it, and a key pressed is a byte of `child.stdin`. */
export function startAtTerminal(env: Record<string, string>): Promise<Running> {
  const command = [process.execPath, ...RUN, 'src/main.ts'].map((word) => `'${word}'`).join(' ');
  const options = { cwd: ROOT, env: environment({ PORT: '0', ...env }) };
  return untilReady(
    spawn('script', ['--quiet', '--return', '--command', `exec ${command}`, '/dev/null'], options),
  );
}

async function untilReady(child: ChildProcess): Promise<Running> {
  const end = ended(child);
  const banner = await new Promise<string>((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      void end.then(({ stderr }) => reject(new Error(`not ready: ${text}${stderr}`)));
    }, START_MAX_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      if (!text.includes('Ctrl-C stops it')) return;
      clearTimeout(timer);
      resolve(text);
    });
    end.then(({ stderr }) => reject(new Error(`ended: ${text}${stderr}`)));
  });
  return {
    child,
    banner,
    ended: end,
    baseUrl: /(?:REST|Health) +(\S+)\/(?:v2|healthz)/.exec(banner)?.[1] ?? '',
    end: (signal) => {
      child.kill(signal);
      return end;
    },
  };
}

function spawnNode(env: Record<string, string>, ...args: string[]): ChildProcess {
  return spawnTo({ stdout: 'pipe', stderr: 'pipe' }, env, ...args);
}

/** Starts Node with these outputs: a pipe to the test, or the descriptor of an open file. */
export function spawnTo(
  { stdout, stderr }: Record<'stdout' | 'stderr', 'pipe' | number>,
  env: Record<string, string>,
  ...args: string[]
): ChildProcess {
  return spawn(process.execPath, [...RUN, ...args], {
    cwd: ROOT,
    env: environment(env),
    stdio: ['ignore', stdout, stderr],
  });
}

function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, SECRETS_KEY_FILE } = process.env;
  return { PATH, HOME, SECRETS_KEY_FILE, LOG_LEVEL: 'warn', ...env };
}

/** @returns what a process wrote, once it has ended. */
export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
