/**
 * Goal: `crossramp reconcile --file` reads and compares a file of 300,000 movements within 200 MB, of which the program without a file takes
 * the most. Method: the command as a process, on a ledger that has none of the movements; the most memory that the kernel saw it have.
 */
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayAfter } from '../../src/base/time/brasilia-day.ts';
import { useDatabase } from '../support/database.ts';
import { begin } from '../support/process.ts';

const MOVEMENTS = 300_000;
/** Unit: MB. */
const MOST = 200;
const FIRST = '2025-10-01';
const SAMPLE_MS = 20;

const store = useDatabase();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bank-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Movements of so many days, each of another amount. */
async function writeFile(days: number): Promise<string> {
  const path = join(folder, `${days}.csv`);
  const names = Array.from({ length: days }, (_, n) => dayAfter(FIRST, n));
  const rows = function* () {
    yield 'date,amount,id,text\n';
    for (let n = 0; n < MOVEMENTS; n += 1)
      yield `${names[n % days]},${n + 1}.07,D${n},PIX RECEBIDO DE FULANO DE TAL AGENCIA 1234 CONTA 123456-7 ${n}\n`;
  };
  await pipeline(Readable.from(rows()), createWriteStream(path));
  return path;
}

/** @returns the most memory of the command, in MB, and its output. */
async function peakOf(...args: string[]) {
  const { child, ended } = begin({ DATABASE_URL: store.url }, 'reconcile', ...args, '--json');
  let kilobytes = 0;
  const sampler = setInterval(() => {
    const path = `/proc/${child.pid}/status`;
    if (existsSync(path))
      kilobytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? kilobytes);
  }, SAMPLE_MS);
  const { code, stdout, stderr } = await ended;
  clearInterval(sampler);
  expect([code, stderr]).toEqual([args.includes('--preview') ? 0 : 1, '']);
  return { megabytes: kilobytes / 1_024, ...JSON.parse(stdout) };
}

test.runIf(existsSync('/proc/self/status')).each([28, 366])(
  'a file of 300,000 movements of %i days is compared within 200 MB',
  async (days) => {
    const path = await writeFile(days);
    const { file, megabytes: read } = await peakOf('--file', path, '--preview');
    expect(file.movements).toBe(MOVEMENTS);
    const { reports, megabytes } = await peakOf('--file', path);
    expect(reports).toHaveLength(days);
    const missing = reports.map(({ missingHere }: { missingHere: number }) => missingHere);
    expect(missing.reduce((sum: number, each: number) => sum + each)).toBe(MOVEMENTS);
    expect(Math.max(read, megabytes), `${read} MB to read, ${megabytes} MB to compare`).toBeLessThan(MOST);
  },
  300_000,
);
