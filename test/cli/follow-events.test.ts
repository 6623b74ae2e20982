/**
 * Goal: commands that follow the log notice a gateway that accepts requests and does not answer. Method: a server that
 * stays silent, or stops in the middle of an answer, as a half-open network does; then the test ends the wait.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { type Api, fetchPath, followEvents } from '../../src/cli/follow-events.ts';

/** Ends the wait for the answer to the last request. */
let endWaiting = () => {};
const ends: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0)) end();
});

/** A gateway that answers in these ways, one after the other, and after that with `{}`. */
async function gateway(...ways: RequestListener[]): Promise<Api> {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const waiting = new AbortController();
    endWaiting = () => waiting.abort(new DOMException('aborted due to timeout', 'TimeoutError'));
    return waiting.signal;
  });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const server = createServer((request, response) => {
    const way = ways.shift();
    if (way) way(request, response);
    else response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'none' };
}

const SILENT: RequestListener = () => endWaiting();
const HALF: RequestListener = (_request, response) =>
  void response.write('{', () => setImmediate(endWaiting));

test.each([
  ['is silent', SILENT],
  ['stops in the middle', HALF],
])('a request to a gateway that %s is repeated', async (_name, way) => {
  const api = await gateway((_request, response) => response.end('first'), way);
  expect(await fetchPath(api, '/')).toBe('first');
  expect(await fetchPath(api, '/')).toBe('{}');
  const said = vi.mocked(process.stderr.write).mock.calls.map(([text]) => text);
  expect(said).toEqual([
    expect.stringContaining('does not answer'),
    expect.stringContaining('answers again'),
  ]);
});

test('a gateway that is silent at first is reported as unreachable', async () => {
  const api = await gateway(SILENT);
  await expect(fetchPath(api, '/')).rejects.toThrow(/cannot reach the gateway at http.*: .*timeout/);
});

test('a cursor that the log no longer has is reported, and the log is followed from the oldest event', async () => {
  const paths: (string | undefined)[] = [];
  const answering = (status: number, body: object): RequestListener => {
    return ({ url }, response) => {
      paths.push(url);
      response.writeHead(status).end(JSON.stringify(body));
    };
  };
  const expired = { detail: 'events after this cursor are no longer kept', code: 'CURSOR_EXPIRED' };
  const event = {
    cursor: 'first',
    name: 'onramp.order.pending',
    sequence: 1,
    occurred_at: '',
    transaction: {},
  };
  const api = await gateway(
    answering(410, { ...expired, earliest: 'oldest', latest: 'newest' }),
    answering(200, { events: [event], next: 'first' }),
  );
  const events = await followEvents(api, 'lost');
  expect((await events.next()).value).toMatchObject({ cursor: 'first', name: event.name });
  expect(paths.map((path) => URL.parse(path ?? '', api.baseUrl)?.searchParams.get('after'))).toEqual([
    'lost',
    'oldest',
  ]);
  const said = vi.mocked(process.stderr.write).mock.calls.map(([text]) => text);
  expect(said).toEqual([expect.stringMatching(/^crossramp: .*no longer kept.*from the oldest event.*\n$/)]);
});

test('any other refusal of a cursor ends the command', async () => {
  const problem = { detail: 'after must be a cursor of this event log', code: 'INVALID_PARAMETER' };
  const api = await gateway((_, response) => response.writeHead(400).end(JSON.stringify(problem)));
  const events = await followEvents(api, 'lost');
  await expect(events.next()).rejects.toThrow('the gateway answers 400: after must be a cursor');
});
