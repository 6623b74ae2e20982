/** Goal: keys are looked up as seldom as C-40 lets them be. Method: the statements of the look-up are counted. */
import { expect, test } from 'vitest';
import { SCOPES } from '../../../src/base/access/api-key.ts';
import { authenticators } from '../../../src/server/sign-in/authenticate.ts';
import { useApp } from '../../support/app.ts';

const app = useApp();

test('C-40: parallel requests with a key that has to be looked up share one look-up', async () => {
  let lookUps = 0;
  const database = {
    ...app.database,
    query: ((statement, values) => {
      if (statement.name === 'api_key_by_hash') lookUps += 1;
      return app.database.query(statement, values);
    }) as typeof app.database.query,
  };
  const { authenticate } = authenticators({ ...app.services, database }, {} as never, null);
  const ask = (token: string) =>
    authenticate({
      request: { rawHeaders: ['authorization', `Bearer ${token}`], socket: {} } as never,
      address: '127.0.0.1',
    });
  const { apiKey, keyId } = await app.addKey(app.accountId, SCOPES);
  const found = await Promise.all(Array.from({ length: 24 }, () => ask(apiKey)));
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set([keyId]));
  expect(lookUps).toBe(1);
});
