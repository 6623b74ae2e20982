/**
 * Goal: frozen money is released by two people of the platform, and a key that the first one made is no second person (C-25).
 * Method: a held payment that is frozen, and keys of the platform over HTTP.
 */
import { beforeAll, expect, test } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const { ask, create, refusal, trigger, until } = graphqlClient(app, () => app.apiKey);
let other: string;

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  other = (await app.addKey(platform, ['read', 'platform:risk'])).apiKey;
});

test('C-25: frozen money is not released by a key that the first person made, but by another person', async () => {
  const customer = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };
  const order = { amount: { brl: '150.00' }, currency: 'USDT_TRX', ...customer };
  const { end2end } = (await create('createOnramp', order)).transaction;
  await trigger(end2end, 'hold');
  await trigger(end2end, 'pay');
  await until(end2end, 'compliance/UNCOMPLIANT');
  await app.owner.query(
    `update transaction set process = jsonb_set(process::jsonb, '{isFrozen}', 'true') where end2end = $1`,
    [end2end],
  );
  const release = (reason: string) =>
    `mutation { releaseHold(input: { account: "${app.accountId}", end2end: "${end2end}", reason: "${reason}" }) { transaction { component } errors { code message path } } }`;
  const making =
    'mutation { createApiKey(input: { name: "own", scopes: ["platform:risk", "read"] }) { issuedApiKey { apiKey } errors { code message path } } }';
  const { apiKey } = (await ask(making, {}, app.platformKey)).createApiKey.issuedApiKey;
  await ask(release('not the listed one'), {}, app.platformKey);
  const listed = async (key: string) => {
    const { reviewCase } = await ask(
      `{ reviewCase(caseKey: "HOLD:${app.accountId}:${end2end}") { transaction { possibleActions(only: [RELEASE_HOLD]) { action } } } }`,
      {},
      key,
    );
    return reviewCase.transaction.possibleActions.length;
  };
  expect([await listed(app.platformKey), await listed(apiKey), await listed(other)]).toEqual([0, 0, 1]);
  expect((await refusal(release('me again'), {}, apiKey)).code).toBe('FORBIDDEN');
  await ask(release('I agree'), {}, other);
  await until(end2end, 'success/DONE');
});
