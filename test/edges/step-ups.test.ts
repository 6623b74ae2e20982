/**
 * Goal: a step-up of a live account is decided by a person of the platform, once, with a reason (C-22, C-40). Method: customers
 * over the limit of 30 days on live rails that answer at once; decisions over HTTP by keys of the platform and of accounts,
 * alone, again and fifty at once.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { PLATFORM_SCOPES } from '../../src/base/access/api-key.ts';
import { readConfig } from '../../src/config.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { newCustomer, newShop, type Shop } from '../support/limits.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { errorsIn } from '../support/refusals.ts';

const HOURS = 3;
const app = useApp({ liveRails: LIVE_RAILS, stepUpMs: readConfig({ STEP_UP_HOURS: `${HOURS}` }).stepUpMs });
let shop: Shop;
let desk: string;
const { ask, refusal } = graphqlClient(app, () => desk);

beforeAll(async () => {
  shop = await newShop(app, { mode: 'live' });
  await shop.limit({ daily: '500000', stepUp: '10000' });
  const platform = await platformAccount(app.database, 'live');
  desk = (await app.addKey(platform, ['read', 'platform:risk'])).apiKey;
});

/** @returns the id of a checkout above the limit of 30 days, which waits for its decision. */
async function waiting(): Promise<string> {
  const { json, text } = await shop.checkout(newCustomer(), '10000.01');
  expect(json?.end2end, text).toBeDefined();
  await shop.reach(json.end2end, 'valida_id_v2/PENDING');
  return json.end2end;
}

const decision = (name: string, end2end: string, { reason = 'case 4713', key = '' } = {}) =>
  `mutation { ${name}(input: { account: "${shop.accountId}", end2end: "${end2end}", reason: "${reason}"${key && `, idempotencyKey: "${key}"`} }) { transaction { end2end component state } errors { code message path } } }`;
const listed = async () => {
  const { stepUps } = await ask('{ stepUps { account since transaction { end2end } } }');
  return stepUps.map((each: { transaction: { end2end: string } }) => each.transaction.end2end);
};

/** @returns the entries of the audit log about a transaction, the creation aside. */
async function audited(end2end: string) {
  const { rows } = await app.owner.query<{ act: string; scope: string; after: object }>(
    `select act, scope, after from audit_entry where object_id = $1 and act like 'step_up.%' order by seq`,
    [end2end],
  );
  return rows.map(({ after, ...row }) => ({ ...row, ...after }));
}

describe('a step-up of a live account', () => {
  test('C-21: is listed, approved with a reason, and the customer can pay', async () => {
    const end2end = await waiting();
    expect(await listed()).toContain(end2end);
    await ask(decision('approveStepUp', end2end, { reason: 'identity checked, case 4713' }));
    await shop.reach(end2end, 'depositpix_v2/QRCODE');
    expect(await audited(end2end)).toEqual([
      {
        act: 'step_up.approve',
        scope: 'platform:risk',
        step: 'valida_id_v2/PENDING',
        reason: 'identity checked, case 4713',
      },
    ]);
    expect(await listed()).not.toContain(end2end);
    // Approved once is approved also when it is paid.
    await shop.pay(end2end, await app.services.forMode('live').clock.nowMs());
    await shop.reach(end2end, 'success/DONE');
  });

  test('C-21: is denied with a reason', async () => {
    const end2end = await waiting();
    await ask(decision('denyStepUp', end2end, { reason: 'no proof of income' }));
    await shop.reach(end2end, 'valida_id_v2/DENIED');
    expect(await audited(end2end)).toMatchObject([{ act: 'step_up.deny', reason: 'no proof of income' }]);
    expect(await refusal(decision('approveStepUp', end2end))).toMatchObject({ code: 'STEP_CONFLICT' });
  });

  test('C-52: is decided once under a key, and again only by its answer', async () => {
    const end2end = await waiting();
    const first = await ask(decision('denyStepUp', end2end, { key: 'd-1' }));
    expect(await ask(decision('denyStepUp', end2end, { key: 'd-1' }))).toEqual(first);
    expect(await audited(end2end)).toHaveLength(1);
  });

  test('C-40: of fifty parallel decisions one wins', async () => {
    const end2end = await waiting();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        app.graphql(decision(n % 2 ? 'approveStepUp' : 'denyStepUp', end2end), {}, { key: desk }),
      ),
    );
    const codes = answers.map(({ json }) => errorsIn(json)?.[0].extensions.code ?? 'done');
    expect(codes.filter((code) => code === 'done')).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(['done', 'STEP_CONFLICT']));
    const [entry, ...more] = await audited(end2end);
    expect(more).toEqual([]);
    const isApproved = entry?.act === 'step_up.approve';
    await shop.reach(end2end, isApproved ? 'depositpix_v2/QRCODE' : 'valida_id_v2/DENIED');
  });

  test('C-22: is denied after the hours of the setting', async () => {
    const end2end = await waiting();
    const { id, updatedAt } = await shop.row(end2end);
    const { rows } = await app.owner.query<{ due: Date }>(
      `select due_at as due from job where account_id = $1 and transaction_id = $2 and kind = 'deny_step_up'`,
      [String(shop.accountId), String(id)],
    );
    const since = new Date(String(updatedAt)).getTime();
    expect(rows.map(({ due }) => due.getTime() - since)).toEqual([HOURS * 3_600_000]);
  });

  test.each(['approveStepUp', 'denyStepUp'])('C-40: %s is the platform’s alone', async (name) => {
    const end2end = await waiting();
    const refused = await refusal(decision(name, end2end), {}, shop.apiKey);
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
    expect(refused.message).toContain('"platform:risk"');
    const platform = await platformAccount(app.database, 'live');
    const others = PLATFORM_SCOPES.filter((scope) => scope !== 'platform:risk');
    const { apiKey } = await app.addKey(platform, ['read', ...others]);
    expect(await refusal(decision(name, end2end), {}, apiKey)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await audited(end2end)).toEqual([]);
  });

  test.each([
    '',
    ' ',
    'x'.repeat(201),
  ])('C-50: a reason of “%.3s…” is refused by its name', async (reason) => {
    const end2end = await waiting();
    const refused = await refusal(decision('denyStepUp', end2end, { reason }));
    expect(refused.code).toBe('INVALID_PARAMETER');
    expect(refused.violations[0].parameter).toBe('input.reason');
  });
});
