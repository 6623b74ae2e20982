/** Goal: what anybody can ask for costs the database next to nothing. Method: preflights of many origins, questions counted. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCors } from '../../../src/server/http/cors.ts';
import type { Exchange } from '../../../src/server/http/http.ts';

/** @returns the origin that a preflight is answered for. */
async function preflight(cors: ReturnType<typeof createCors>, origin: string): Promise<unknown> {
  let allowed: unknown;
  const response = {
    writeHead: (_status: number, headers: Record<string, unknown>) => {
      allowed = headers['access-control-allow-origin'];
    },
    end: () => {},
  };
  const request = { method: 'OPTIONS', headers: { origin } };
  await cors.preflight({ request, response, allowed: ['GET'] } as unknown as Exchange, false);
  return allowed;
}

test('preflights of ten thousand origins query the database once', async () => {
  // However long they take, no time passes: what was read is believed for a while only.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  let questions = 0;
  const cors = createCors(async () => {
    questions += 1;
    return new Set(['https://listed.example.com']);
  });
  const all = Array.from({ length: 10_000 }, (_, at) => preflight(cors, `https://shop${at}.example.com`));
  expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]));
  expect(await preflight(cors, 'https://listed.example.com')).toBe('https://listed.example.com');
  expect(questions).toBe(1);
});

test('a failed query is repeated', async () => {
  let isAway = true;
  const cors = createCors(async () => {
    if (isAway) throw new Error('the database is unreachable');
    return new Set(['https://listed.example.com']);
  });
  await expect(preflight(cors, 'https://listed.example.com')).rejects.toThrow('unreachable');
  isAway = false;
  expect(await preflight(cors, 'https://listed.example.com')).toBe('https://listed.example.com');
});
