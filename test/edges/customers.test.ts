/** Goal: the customers of an account can be read, with what they moved, and limited one by one (C-21, C-40). */

import { beforeAll, expect, test } from 'vitest';
import { brasiliaDay } from '../../src/base/time/brasilia-day.ts';
import { useApp } from '../support/app.ts';
import { newCustomer, newShop, type Shop } from '../support/limits.ts';
import { useOneDay } from '../support/one-day.ts';
import { errorsIn } from '../support/refusals.ts';

useOneDay();
const app = useApp({ rateLimit: null });
let shop: Shop;
beforeAll(async () => {
  shop = await newShop(app);
  await shop.limit({ daily: '50000', stepUp: '10000' });
});

const ask = (query: string, variables = {}, key = shop.apiKey) => app.graphql(query, variables, { key });
const FIELDS = 'taxId names level limitDaily stepUp30d grantedLimitDaily volumes { day open paid }';
const customer = async (taxId: string, key = shop.apiKey) =>
  (await ask(`query ($taxId: String!) { customer(taxId: $taxId) { ${FIELDS} } }`, { taxId }, key)).json.data
    .customer;
const update = (taxId: string, input: object, key = shop.apiKey) =>
  ask(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { ${FIELDS} } errors { code message path } } }`,
    { input: { taxId, ...input } },
    key,
  );

test('C-21: a customer is identified by tax id, with the given names, and the moved amounts', async () => {
  const taxId = newCustomer();
  expect(await customer(taxId)).toBeNull();
  const made = await shop.onramp(taxId, '100');
  await shop.reach(made.json.end2end, 'depositpix/QRCODE');
  await shop.checkout(taxId, '50', { client_name: 'Ana S. Souza' });
  await shop.pay(made.json.end2end);
  const formatted = taxId.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4');
  expect(await customer(formatted)).toEqual({
    taxId,
    names: ['Ana Souza', 'Ana S. Souza'],
    level: 'BASIC',
    limitDaily: null,
    stepUp30d: null,
    grantedLimitDaily: null,
    volumes: [{ day: brasiliaDay(Date.now()), open: '50', paid: '100' }],
  });
});

test('C-21: a customer who passed extra verification is verified', async () => {
  const taxId = newCustomer();
  const { json } = await shop.checkout(taxId, '10001');
  await shop.reach(json.end2end, 'valida_id_v2/PENDING');
  await shop.tell(json.end2end, { on: 'step_up_approved' });
  expect(await customer(taxId)).toMatchObject({ level: 'VERIFIED', names: ['Ana Souza'] });
});

test('C-21: a limit of a customer below that of the templates replaces it', async () => {
  const taxId = newCustomer();
  const answer = await update(taxId, { limitDaily: '100', stepUp30d: '60' });
  expect(answer.json.data.updateCustomer.customer).toMatchObject({
    limitDaily: '100',
    stepUp30d: '60',
    names: [],
  });
  expect((await shop.onramp(taxId, '100.01')).json.code).toBe('LIMIT_EXCEEDED');
  const made = await shop.checkout(taxId, '61');
  await shop.reach(made.json.end2end, 'valida_id_v2/PENDING');
  expect((await update(taxId, { limitDaily: null })).json.data.updateCustomer.customer).toMatchObject({
    limitDaily: null,
    stepUp30d: '60',
    names: ['Ana Souza'],
  });
  expect((await shop.onramp(taxId, '100.01')).status).toBe(201);
});

test.each([
  [
    'a limit above the platform’s',
    { limitDaily: '50000.01' },
    'input.limitDaily',
    /must not exceed .* 50000/,
  ],
  ['a negative limit', { stepUp30d: '-1' }, 'input.stepUp30d', /must be a decimal number/],
])('C-40: %s is refused, naming it', async (_what, input, parameter, message) => {
  const errors = errorsIn((await update(newCustomer(), input)).json);
  expect(errors[0].extensions).toMatchObject({ code: 'INVALID_PARAMETER', violations: [{ parameter }] });
  expect(errors[0].extensions.violations[0].message).toMatch(message);
});

test('C-40: without a tax id, without the scope, and for customers of other accounts', async () => {
  expect(errorsIn((await update('123', {})).json)[0].extensions).toMatchObject({
    violations: [{ parameter: 'input.taxId' }],
  });
  const reader = await app.addKey(shop.accountId, ['read', 'create', 'move']);
  expect(errorsIn((await update(newCustomer(), {}, reader.apiKey)).json)[0].extensions.code).toBe(
    'FORBIDDEN',
  );
  const taxId = newCustomer();
  await shop.onramp(taxId, '100');
  const other = await app.addAccount();
  expect(await customer(taxId, other.apiKey)).toBeNull();
});

test('customers are a connection by tax id, in both directions', async () => {
  const { apiKey } = await newShop(app);
  const ids = [newCustomer(), newCustomer(), newCustomer()].sort();
  for (const id of ids) await update(id, {}, apiKey);
  const page = async (args: string) =>
    (
      await ask(
        `{ customers(${args}) { totalCount nodes { taxId } pageInfo { hasNextPage hasPreviousPage endCursor } } }`,
        {},
        apiKey,
      )
    ).json.data.customers;
  const first = await page('first: 2');
  expect(first).toMatchObject({
    totalCount: 3,
    nodes: [{ taxId: ids[0] }, { taxId: ids[1] }],
    pageInfo: { hasNextPage: true, hasPreviousPage: false },
  });
  expect(await page(`first: 2, after: "${first.pageInfo.endCursor}"`)).toMatchObject({
    nodes: [{ taxId: ids[2] }],
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  });
  expect(await page('last: 1')).toMatchObject({
    nodes: [{ taxId: ids[2] }],
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  });
});
