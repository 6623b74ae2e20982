/** Goal: a request finds its cell by what it carries. Method: targets and headers of each kind, with ids of two cells. */
import { describe, expect, test } from 'vitest';
import { newApiKey, newKeyId } from '../../src/base/access/api-key.ts';
import { newPersonToken } from '../../src/base/access/person-token.ts';
import { newSessionToken, newSlug } from '../../src/base/access/session-token.ts';
import { signStreamToken } from '../../src/base/access/stream-token.ts';
import { cellOfRequest } from '../../src/server/cell-of-request.ts';

const streamToken = (cell: string) =>
  signStreamToken({ accountId: 1n, keyId: newKeyId(cell), expiresAt: 1 }, Buffer.alloc(32));
const cellOf = (url: string, headers: Record<string, string> = {}) => cellOfRequest({ url, headers }).cell;

describe.each(['', 'a1'])('of cell %j', (cell) => {
  test('a bearer names it: key, stream token, payment session', () => {
    for (const token of [newApiKey('live', cell), streamToken(cell), newSessionToken(cell)])
      expect(cellOf('/graphql', { authorization: `Bearer ${token}` })).toBe(cell);
  });
  test('a token in the query names it', () => {
    expect(cellOf(`/graphql/stream?query=x&access_token=${streamToken(cell)}`)).toBe(cell);
  });
  test('a path of a payer names it, whatever key is sent', () => {
    const headers = { authorization: `Bearer ${newApiKey('test', 'zz')}` };
    expect(cellOf(`/pay/${newSessionToken(cell)}/qr.svg`, headers)).toBe(cell);
    expect(cellOf(`/pay/l/${newSlug(cell)}?x=1`, headers)).toBe(cell);
  });
  test('a link that signs in names it, and the browser returns there later', () => {
    const url = `/console/link/${newPersonToken(cell)}`;
    expect(cellOfRequest({ url, headers: { cookie: `session=${newPersonToken('zz')}` } })).toEqual({
      cell,
      url,
      isEntrance: true,
    });
  });
  test('the cookie of a session names it', () => {
    for (const name of ['session', '__Host-session'])
      expect(cellOf('/console', { cookie: `cell=zz; ${name}=${newPersonToken(cell)}` })).toBe(cell);
  });
});

test.each([
  ['/cells/a1/rails/live/pix/secret?x=1', 'a1', '/rails/live/pix/secret?x=1'],
  ['/cells/first/readyz', '', '/readyz'],
  ['/cells/00/readyz', undefined, '/readyz'],
])('%s is %j in the cell', (target, cell, url) => {
  expect(cellOfRequest({ url: target, headers: {} })).toMatchObject({ cell, url });
});
test.each([
  ['/console/sign-in?cell=a1&lang=en', 'a1'],
  ['/console?cell=first', ''],
])('%s chooses the cell to sign in to', (url, cell) => {
  expect(cellOfRequest({ url, headers: {} })).toEqual({ cell, url, isEntrance: true });
});
test.each([
  '/',
  '/docs/scaling.md',
  '/v2/openapi.json',
  '/pay/island-0123456789abcdef0.js',
  '/console',
  '/cells',
  '/v2/x?cell=a1',
])('%s says no cell', (url) => expect(cellOf(url)).toBeUndefined());
test('without a session, the browser goes to the cell of its last link', () => {
  expect(cellOf('/console/sign-in', { cookie: 'language=en; cell=a1' })).toBe('a1');
});
