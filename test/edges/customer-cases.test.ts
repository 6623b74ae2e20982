/**
 * Goal: a customer of a live account is identified once: transactions ask for the case, and people decide about it, each time with a
 * reason (C-40). Method: customers over the limit of 30 days on live rails that answer at once, people as the only deciders; acts over
 * HTTP by keys of the platform and of accounts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { newCustomer, newShop, type Shop } from '../support/limits.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';

const cases = { provider: null, levels: [], validMs: 365 * 24 * 3_600_000 };
const app = useApp({ liveRails: { ...LIVE_RAILS, identity: { ...LIVE_RAILS.identity, cases } } });
let shop: Shop;
let desk: string;
let second: string;
const { ask, refusal } = graphqlClient(app, () => desk);

beforeAll(async () => {
  shop = await newShop(app, { mode: 'live' });
  await shop.limit({ daily: '500000', stepUp: '10000' });
  const platform = await platformAccount(app.database, 'live');
  desk = (await app.addKey(platform, ['read', 'platform:risk'])).apiKey;
  second = (await app.addKey(platform, ['read', 'platform:risk'])).apiKey;
  await app.owner.query(
    `insert into account_setting (account_id, whitelist_cooling_seconds) values ($1, 0)
       on conflict (account_id) do update set whitelist_cooling_seconds = 0`,
    [String(platform)],
  );
});

/** @returns a checkout above the limit of 30 days, at this step. */
async function checkout(taxId: string, step = 'valida_id_v2/PENDING', brl = '10000.01'): Promise<string> {
  const { json, text } = await shop.checkout(taxId, brl);
  expect(json?.end2end, text).toBeDefined();
  await shop.reach(json.end2end, step);
  return json.end2end;
}

const FIELDS = 'id: caseId state level attempts isLateDenial unfreezeRequestedBy validUntil decidedBy';
async function caseOf(taxId: string) {
  const { customerCases } = await ask(
    `{ customerCases(taxId: "${taxId}") { totalCount nodes { ${FIELDS} evidence { event actor reason } } } }`,
  );
  return customerCases.nodes[0];
}
const action = (name: string, id: string, reason = 'ticket 4713') =>
  `mutation { ${name}(input: { caseId: "${id}", reason: "${reason}" }) { customerCase { ${FIELDS} } errors { code message path } } }`;
/** The actions of the platform on the transaction of a review case. */
const possible = async (kind: 'HOLD' | 'STEP_UP', end2end: string) =>
  (
    await ask(
      `{ reviewCase(caseKey: "${kind}:${shop.accountId}:${end2end}") { transaction { possibleActions { action } } } }`,
    )
  ).reviewCase.transaction.possibleActions.map((each: { action: string }) => each.action);
const levelOf = async (taxId: string) =>
  (await app.owner.query<{ level: string }>(`select level from customer where tax_id = $1`, [taxId])).rows[0]
    ?.level;

describe('a customer with a case', () => {
  test('C-40: is approved once, and all waiting transactions continue', async () => {
    const taxId = newCustomer();
    const waiting = [await checkout(taxId), await checkout(taxId)];
    const { id } = await caseOf(taxId);
    await ask(action('approveCase', id));
    for (const end2end of waiting) await shop.reach(end2end, 'depositpix_v2/QRCODE');
    expect(await levelOf(taxId)).toBe('VERIFIED');
    // No check at the next purchase.
    await checkout(taxId, 'depositpix_v2/QRCODE');
    expect(await caseOf(taxId)).toMatchObject({ state: 'APPROVED', attempts: 1 });
    const { rows } = await app.owner.query(
      `select act, object_id, after ->> 'reason' as reason from audit_entry where object_kind = 'customer_case' and object_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ act: 'case.approve', object_id: id, reason: 'ticket 4713' }]);
  });

  test('is approved by the step-up of one transaction, and the others continue as well', async () => {
    const taxId = newCustomer();
    const [one, other] = [await checkout(taxId), await checkout(taxId)];
    await ask(
      `mutation { approveStepUp(input: { account: "${shop.accountId}", end2end: "${one}", reason: "case 1" }) { transaction { end2end } errors { code } } }`,
    );
    await shop.reach(one, 'depositpix_v2/QRCODE');
    await shop.reach(other, 'depositpix_v2/QRCODE');
    expect(await caseOf(taxId)).toMatchObject({ state: 'APPROVED' });
  });

  test('a late denial lowers the level and stops open transactions; finished ones stay', async () => {
    const taxId = newCustomer();
    const done = await checkout(taxId);
    const { id } = await caseOf(taxId);
    await ask(action('approveCase', id));
    await shop.reach(done, 'depositpix_v2/QRCODE');
    await shop.pay(done, await app.services.forMode('live').clock.nowMs());
    await shop.reach(done, 'success/DONE');
    const open = await checkout(taxId, 'depositpix_v2/QRCODE');
    await ask(action('denyCase', id, 'forged document'));
    await shop.reach(open, 'valida_id_v2/DENIED');
    await shop.reach(done, 'success/DONE');
    expect(await levelOf(taxId)).toBe('BASIC');
    await checkout(taxId, 'valida_id_v2/IRREGULAR');
    await ask(action('retryCase', id, 'new document'));
    await checkout(taxId);
    expect(await caseOf(taxId)).toMatchObject({ state: 'OPEN', attempts: 2 });
  });

  test('C-40: is unfrozen by two people; until then money is held, and none is returned', async () => {
    const taxId = newCustomer();
    const charge = await checkout(taxId, 'depositpix_v2/QRCODE', '100.00');
    const { freezeCustomer } = await ask(
      `mutation { freezeCustomer(input: { account: "${shop.accountId}", taxId: "${taxId}", reason: "court order" }) { customerCase { ${FIELDS} } errors { code } } }`,
    );
    const { id } = freezeCustomer.customerCase;
    await shop.pay(charge, await app.services.forMode('live').clock.nowMs());
    await shop.reach(charge, 'compliance/UNCOMPLIANT');
    const release = `mutation { releaseHold(input: { account: "${shop.accountId}", end2end: "${charge}", reason: "checked" }) { transaction { end2end } errors { code message path } } }`;
    const refused = await refusal(release, {}, desk);
    expect(refused, JSON.stringify(refused)).toMatchObject({ code: 'STEP_CONFLICT' });
    expect(refused.message).toContain('frozen');
    expect(await possible('HOLD', charge)).toEqual([]);
    expect(await refusal(action('approveCase', id))).toMatchObject({ code: 'STEP_CONFLICT' });
    const { unfreezeCase } = await ask(action('unfreezeCase', id, 'order lifted'));
    expect(unfreezeCase.customerCase).toMatchObject({ state: 'FROZEN' });
    expect(unfreezeCase.customerCase.unfreezeRequestedBy).not.toBeNull();
    expect(await refusal(action('unfreezeCase', id))).toMatchObject({ code: 'FORBIDDEN' });
    await ask(action('unfreezeCase', id, 'order lifted'), {}, second);
    expect(await caseOf(taxId)).toMatchObject({ state: 'OPEN', unfreezeRequestedBy: null });
    expect(await possible('HOLD', charge)).toEqual(['RELEASE_HOLD', 'REJECT_HOLD']);
    await ask(release, {}, desk);
    await shop.reach(charge, 'success/DONE');
    const { evidence } = await caseOf(taxId);
    expect(evidence.map(({ event }: { event: string }) => event)).toEqual([
      'unfrozen',
      'unfreeze_asked',
      'frozen',
      'opened',
    ]);
  });

  test('C-40: is not waited for after a freeze by tax id alone, and is from the next transaction on', async () => {
    const taxId = newCustomer();
    const freeze = `mutation { freezeCustomer(input: { account: "${shop.accountId}", taxId: "${taxId}", reason: "court order" }) { customerCase { ${FIELDS} } errors { code } } }`;
    const { id } = (await ask(freeze)).freezeCustomer.customerCase;
    const waiting = async () =>
      (await ask(`{ customerCases(taxId: "${taxId}", waitsForPerson: true) { nodes { state } } }`))
        .customerCases.nodes;
    expect(await waiting()).toEqual([{ state: 'FROZEN' }]);
    await ask(action('unfreezeCase', id));
    await ask(action('unfreezeCase', id), {}, second);
    expect(await waiting()).toEqual([]);
    const end2end = await checkout(taxId);
    expect(await waiting()).toEqual([{ state: 'OPEN' }]);
    expect(await caseOf(taxId)).toMatchObject({ id, attempts: 2 });
    await ask(action('approveCase', id));
    await shop.reach(end2end, 'depositpix_v2/QRCODE');
  });

  test('a frozen customer who waits is not refunded when the time of the step-up ends', async () => {
    const taxId = newCustomer();
    const { json } = await shop.onramp(taxId, '10000.01');
    await shop.reach(json.end2end, 'depositpix/QRCODE');
    await shop.pay(json.end2end, await app.services.forMode('live').clock.nowMs());
    await shop.reach(json.end2end, 'valida_id/PENDING');
    const { id } = await caseOf(taxId);
    expect(await possible('STEP_UP', json.end2end)).toEqual(['APPROVE_STEP_UP', 'DENY_STEP_UP']);
    await ask(action('freezeCase', id));
    await shop.reach(json.end2end, 'valida_id/REVIEW');
    expect(await possible('STEP_UP', json.end2end)).toEqual([]);
    const { id: transactionId } = await shop.row(json.end2end);
    await app.owner.query(
      `update job set due_at = now() - interval '1 second' where kind = 'deny_step_up' and account_id = $1 and transaction_id = $2`,
      [String(shop.accountId), String(transactionId)],
    );
    await expect
      .poll(async () => {
        const { rows } = await app.owner.query(
          `select from job where kind = 'deny_step_up' and account_id = $1 and transaction_id = $2`,
          [String(shop.accountId), String(transactionId)],
        );
        return rows.length;
      })
      .toBe(0);
    expect((await shop.row(json.end2end)).state).toBe('REVIEW');
  });

  test('C-15: is seen by its account without evidence, and by no other', async () => {
    const taxId = newCustomer();
    await checkout(taxId);
    const { id } = await caseOf(taxId);
    const query = `{ customerCase(caseId: "${id}") { id: caseId reasons evidence { n } } }`;
    expect(await ask(query, {}, shop.apiKey)).toEqual({
      customerCase: { id, reasons: null, evidence: null },
    });
    const stranger = await newShop(app, { mode: 'live' });
    expect(await ask(query, {}, stranger.apiKey)).toEqual({ customerCase: null });
    const listed = await ask('{ customerCases { nodes { id: caseId } } }', {}, stranger.apiKey);
    expect(listed.customerCases.nodes).toEqual([]);
    const { customerCases } = await ask(
      '{ customerCases(waitsForPerson: true) { totalCount nodes { id: caseId } } }',
    );
    expect(customerCases.nodes.map((each: { id: string }) => each.id)).toContain(id);
    expect(await refusal(action('approveCase', id), {}, shop.apiKey)).toMatchObject({ code: 'FORBIDDEN' });
  });

  test.each([
    '',
    ' ',
    'x'.repeat(201),
  ])('C-50: a reason of “%.3s…” is refused by its name', async (reason) => {
    const taxId = newCustomer();
    await checkout(taxId);
    const refused = await refusal(action('denyCase', (await caseOf(taxId)).id, reason));
    expect(refused.violations[0].parameter).toBe('input.reason');
  });
});
