/**
 * Goal: the audit log says what an act changed, to everybody whom it concerns, and in the database transaction of the act
 * (C-40). Method: acts over HTTP; what is in the log, and which database transaction wrote it.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { known } from '../../src/base/errors/assert.ts';
import { operatorContext } from '../../src/cli/with-store.ts';
import { noteScenario } from '../../src/resolvers/sandbox/note-scenario.ts';
import { playScenario } from '../../src/resolvers/sandbox/play-sandbox.ts';
import type { Sandbox } from '../../src/resolvers/services/sandbox.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { verifyAudit } from '../../src/store/engine/verify-audit.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { newCustomer } from '../support/limits.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, create, trigger, fund, until } = graphqlClient(app, () => shop.apiKey);
const ANA = { clientName: 'Ana Souza', clientTaxId: '52998224725' };

beforeAll(async () => {
  shop = await app.addAccount();
});

const last = async (action: string, accountId = shop.accountId) => {
  const { rows } = await app.owner.query(
    `select object_id, before, after, actor_id from audit_entry where account_id = $1 and act = $2 order by seq desc limit 1`,
    [String(accountId), action],
  );
  return rows[0];
};
const onramp = async (brl: string, ...scenarios: string[]) => {
  const { transaction } = await create('createOnramp', { amount: { brl }, currency: 'USDT_TRX', ...ANA });
  for (const scenario of scenarios) await trigger(transaction.end2end, scenario);
  return transaction.end2end as string;
};

describe('contains the change of an action', () => {
  test('C-35: a partial refund has its amount', async () => {
    const end2end = await onramp('550.00', 'pay');
    await until(end2end, 'success/DONE');
    await ask(
      `mutation { refundPayment(input: { end2end: "${end2end}", amount: "50" }) { transaction { end2end } errors { code message path } } }`,
    );
    expect(await last('payment.refund')).toMatchObject({
      object_id: end2end,
      before: { step: 'success/DONE' },
      after: {
        step: 'success/DONE',
        returns: [{ returnId: expect.stringMatching(/^D/), kind: 'part', amount: '50', state: 'requested' }],
      },
    });
  });

  test('C-35: a return that is paid by hand names itself and its payment', async () => {
    const end2end = await onramp('550.00', 'refund-fail', 'pay-under');
    await until(end2end, 'refund/ERROR');
    const reference = 'E12345678202611211205abcdef12345';
    await ask(
      `mutation { settleRefundByHand(input: { account: "${shop.accountId}", end2end: "${end2end}", reference: "${reference}" }) { transaction { end2end } errors { code message path } } }`,
      {},
      app.platformKey,
    );
    const { before, after } = await last('refund.settle_by_hand');
    expect(before).toMatchObject({ step: 'refund/ERROR', returns: [{ state: 'failed' }] });
    expect(after).toMatchObject({ step: 'refund/DONE', returns: [{ state: 'paid_by_hand', reference }] });
    expect(after.returns[0].returnId).toBe(before.returns[0].returnId);
  });

  test('C-40: another query of the URL of an endpoint is a change, without the query', async () => {
    const url = 'https://shop.invalid/hook?to=';
    const made = await ask(
      `mutation { createWebhookEndpoint(input: { url: "${url}one" }) { webhookEndpoint { endpointId } errors { code message path } } }`,
    );
    const { endpointId } = made.createWebhookEndpoint.webhookEndpoint;
    await ask(
      `mutation { updateWebhookEndpoint(input: { endpointId: "${endpointId}", url: "${url}two" }) { errors { code message path } } }`,
    );
    const { object_id, before, after } = await last('webhook.update');
    const hash = { urlHash: expect.stringMatching(/^[0-9a-f]{8}$/) };
    expect([object_id, before, after]).toEqual([endpointId, hash, hash]);
    expect(before).not.toEqual(after);
  });

  test('C-40: a proof that another entry of the address has is named where it is withdrawn', async () => {
    const entries: string[] = [];
    for (const name of ['first', 'second']) {
      const made = await ask(
        `mutation { createWhitelistGroup(input: { name: "${name}" }) { whitelistGroup { groupId } errors { code message path } } }`,
      );
      const wallet = '{ wallet: { network: "TRX", address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" } }';
      const target = `groupId: "${made.createWhitelistGroup.whitelistGroup.groupId}", target: ${wallet}`;
      const added = await ask(
        `mutation { addWhitelistEntry(input: { ${target} }) { whitelistEntry { entryId } errors { code message path } } }`,
      );
      entries.push(added.addWhitelistEntry.whitelistEntry.entryId);
    }
    const [proven, other] = entries;
    const proof = '{ id: "made-at-the-signer", expiresAt: "2030-01-02T03:04:05Z" }';
    await ask(
      `mutation { addWhitelistProof(input: { entryId: "${proven}", proof: ${proof} }) { errors { code message path } } }`,
    );
    await ask(
      `mutation { withdrawWhitelistProof(input: { entryId: "${other}" }) { errors { code message path } } }`,
    );
    expect(await last('whitelist.withdraw_proof')).toMatchObject({
      object_id: other,
      before: { provenEntries: [proven] },
      after: { provenEntries: [] },
    });
  });

  test.each([
    ['KEEP', { resolution: 'keep' }],
    ['REFUND', { resolution: 'refund', address: expect.stringMatching(/^T/) }],
    ['REQUOTE', { resolution: 'requote', targetCurrency: 'BRL', targetAmount: expect.any(String) }],
  ])('a held deposit: %s', async (resolution, told) => {
    const input = {
      currency: 'USDT_TRX',
      amount: { crypto: '30' },
      ...ANA,
      pixKey: 'ana@example.com',
      pixKeyType: 'EMAIL',
    };
    const { transaction } = await create('createOfframp', { ...input, from: 'EXTERNAL' });
    const { end2end } = transaction;
    await trigger(end2end, 'deposit-wrong');
    await until(end2end, 'crypto_deposit/UNDERPAID');
    await ask(
      `mutation { resolveDeposit(input: { end2end: "${end2end}", resolution: ${resolution} }) { transaction { end2end } errors { code message path } } }`,
    );
    expect(await last('deposit.resolve')).toMatchObject({ object_id: end2end, after: told });
  });
});

test('C-34: money in suspense that is assigned to another account is in the logs of both', async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  const end2end = await onramp('60.00', 'pay');
  await until(end2end, 'success/DONE');
  await trigger(end2end, 'pay');
  const { suspense } = await ask('{ suspense { nodes { id: suspenseId } } }');
  const [{ id }] = suspense.nodes;
  const other = await app.addAccount();
  await ask(
    `mutation { assignSuspense(input: { suspenseId: "${id}", account: "${other.accountId}", reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`,
    {},
    app.platformKey,
  );
  const second = await app.addKey(platform, ['platform:risk']);
  await ask(
    `mutation { approveSuspense(input: { suspenseId: "${id}", account: "${other.accountId}", reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`,
    {},
    second.apiKey,
  );
  const [from, to] = [await last('suspense.approve'), await last('suspense.approve', other.accountId)];
  expect(from).toMatchObject({ object_id: id, before: { account: String(shop.accountId) } });
  expect(to).toMatchObject({ object_id: id, after: { account: String(other.accountId) } });
  expect(JSON.stringify(to.before)).not.toContain('account');
  for (const account of [shop.accountId, other.accountId, platform])
    expect((await verifyAudit(app.database, account)).defects).toEqual([]);
});

describe('the sandbox', () => {
  test('the clock is set and recorded in one database transaction', async () => {
    await ask('mutation { sandboxAdvanceClock(input: { by: "1s" }) { now errors { code message path } } }');
    const { rows } = await app.owner.query(
      `select e.xmin = c.xmin as "isOne" from audit_entry e, sandbox_clock c where e.act = 'sandbox.advance_clock' order by e.at desc, e.seq desc limit 1`,
    );
    expect(rows).toEqual([{ isOne: true }]);
  });

  const scenarios = async (end2end: string) => {
    const { rows } = await app.owner.query(
      `select before, after from audit_entry where account_id = $1 and act = 'sandbox.trigger' and object_id = $2 order by seq`,
      [String(shop.accountId), end2end],
    );
    return rows;
  };
  const before = { step: 'depositpix/QRCODE' };

  test('C-40: a scenario that does not fit writes nothing; one that fits is recorded before it happens, and its outcome after', async () => {
    const end2end = await onramp('60.00');
    const wrong = `mutation { sandboxTrigger(input: { end2end: "${end2end}", scenario: DISPUTE_ACCEPT }) { transaction { end2end } errors { code message path } } }`;
    expect(errorsIn((await app.graphql(wrong, {}, { key: shop.apiKey })).json)[0].extensions.code).toBe(
      'STEP_CONFLICT',
    );
    expect(await scenarios(end2end)).toEqual([]);
    await trigger(end2end, 'pay-under', '20.00');
    const asked = { scenario: 'pay-under', amount: '20.00' };
    expect(await scenarios(end2end)).toEqual([
      { before, after: asked },
      // The worker may have been there by then.
      { before, after: { ...asked, step: expect.stringMatching(/^(depositpix.UNDERPAID|refund.\w+)$/) } },
    ]);
  });

  test('C-40: scenarios of several accounts that are played in parallel share commits, each in its own log', async () => {
    const other = await app.addAccount();
    const accounts = [shop.accountId, other.accountId];
    const contexts = await Promise.all(accounts.map((account) => operatorContext(app.services, account)));
    const ids = Array.from({ length: 20 }, (_, n) => `together-${n}`);
    const note = (id: string, n: number) =>
      noteScenario(
        known(contexts[n % 2], 'a context'),
        { kind: 'transaction', id },
        { after: { n } },
        { isRequest: true },
      );
    await Promise.all(ids.map(note));
    const { rows } = await app.owner.query<{ account_id: string; object_id: string; xmin: string }>(
      `select account_id::text, object_id, xmin::text from audit_entry where object_id like 'together-%' order by account_id, seq`,
    );
    expect(rows.map(({ account_id, object_id }) => `${account_id} ${object_id}`).sort()).toEqual(
      ids.map((id, n) => `${accounts[n % 2]} ${id}`).sort(),
    );
    expect(new Set(rows.map(({ xmin }) => xmin)).size).toBeLessThanOrEqual(3);
    for (const account of accounts) expect((await verifyAudit(app.database, account)).defects).toEqual([]);
  });

  test('C-40: a scenario that another event prevents is in the log with the reason', async () => {
    const end2end = await onramp('60.00');
    const context = await operatorContext(app.services, shop.accountId);
    const sandbox = known(context.sandbox, 'a sandbox');
    const overtaken: Sandbox = {
      ...sandbox,
      play: (row, scenario, { beforehand }) =>
        sandbox.play(row, scenario, {
          beforehand: async () => {
            await beforehand?.();
            await sandbox.play(row, scenario, {});
          },
        }),
    };
    const played = playScenario({ ...context, sandbox: overtaken }, { scenario: 'expire', end2end });
    await expect(played).rejects.toMatchObject({ code: 'STEP_CONFLICT' });
    expect(await scenarios(end2end)).toEqual([
      { before, after: { scenario: 'expire' } },
      { before, after: { scenario: 'expire', refused: 'STEP_CONFLICT' } },
    ]);
  });

  test('an entry has the machine’s time if the clock of the account is far from it', async () => {
    shop = await app.addAccount();
    const newest = async () =>
      (await ask('{ auditLog(first: 1) { nodes { at machineAt } } }')).auditLog.nodes[0];
    await ask('mutation { sandboxAdvanceClock(input: { by: "2h" }) { now errors { code message path } } }');
    await fund('BRL', '1');
    const { at, machineAt } = await newest();
    expect(Date.parse(at) - Date.parse(machineAt)).toBeGreaterThan(7_000_000);
    expect((await verifyAudit(app.database, shop.accountId)).defects).toEqual([]);
  });
});

describe('totals', () => {
  test('of the log and of customers are positions, and exact', async () => {
    shop = await app.addAccount();
    for (const taxId of [newCustomer(), newCustomer()])
      for (const limit of ['1', '2'])
        await ask(
          `mutation { updateCustomer(input: { taxId: "${taxId}", limitDaily: "${limit}" }) { customer { taxId } errors { code message path } } }`,
        );
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        create('createOnramp', {
          amount: { brl: '60' },
          currency: 'USDT_TRX',
          clientName: 'Ana',
          clientTaxId: n < 2 ? ANA.clientTaxId : newCustomer(),
        }),
      ),
    );
    expect(made).toHaveLength(6);
    const { rows } = await app.owner.query(
      `select count(*)::int as counted, (select customers::int from account_head where account_id = $1) as held
        from customer where account_id = $1`,
      [String(shop.accountId)],
    );
    expect(rows).toEqual([{ counted: 7, held: 7 }]);
    expect(await ask('{ customers(first: 1) { totalCount } auditLog(first: 1) { totalCount } }')).toEqual({
      customers: { totalCount: 7 },
      auditLog: { totalCount: 10 },
    });
  });
});
