/**
 * Goal: many new documents of one account at once, of whichever of its keys, keep nobody else waiting while they are parsed and validated:
 * one is, in each turn of the event loop. Method: the lexer tells in which turn each document begins; never by time.
 */
import { Lexer, TokenKind } from 'graphql';
import { expect, it, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { countTurns } from '../support/turns.ts';

const app = useApp();
const DOCUMENTS = 12;

const stream = async () => {
  const opened = await fetch(`${app.baseUrl}/graphql/stream`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${app.apiKey}` },
  });
  return { 'x-graphql-event-stream-token': await opened.text() };
};

it.each([
  ['/graphql', 'a', 'one key', async () => ({})],
  ['/graphql/stream', 'b', 'one key', stream],
  ['/graphql', 'c', 'a key each', async () => ({})],
] as const)('%s: new documents (%s, of %s) are parsed one after another', async (path, name, whose, headersOf) => {
  const headers = await headersOf();
  const keyOf = async () =>
    whose === 'one key' ? app.apiKey : (await app.addKey(app.accountId, ['read'])).apiKey;
  const keys = await Promise.all(Array.from({ length: DOCUMENTS }, keyOf));
  const turns = countTurns();
  const begun: number[] = [];
  const advance = Lexer.prototype.advance;
  const spy = vi.spyOn(Lexer.prototype, 'advance').mockImplementation(function (this: Lexer) {
    if (this.token.kind === TokenKind.SOF) begun.push(turns.now());
    return advance.call(this);
  });
  const answers = keys.map((key, at) => {
    const query = `query New${at} { balances { ${name}${at}: available } }`;
    return app.post(path, { query, extensions: { operationId: `${at}` } }, { key, headers });
  });
  for (const { status } of await Promise.all(answers)) expect([200, 202]).toContain(status);
  spy.mockRestore();
  turns.end();
  expect(begun).toHaveLength(DOCUMENTS);
  expect(new Set(begun).size).toBe(DOCUMENTS);
});
