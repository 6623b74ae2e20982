/**
 * Goal: withdrawals go to whitelisted destinations only, and to new ones after the cooling time (C-22). Method: groups and
 * entries by GraphQL, withdrawals by both edges, the clock of the sandbox set ahead.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { creation, graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const TRON = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const EVM = '0x8C8d35429F74ec245F8Ef2f4Fd1e551cFF97d650';
const ENTRY = 'id: entryId groupId label network pixKeyType target createdAt usableAt removedAt';

let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, fund, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
  await fund('USDT_TRX', '1000');
  await fund('BRL', '1000');
});

const ADD = `mutation($input: AddWhitelistEntryInput!) { addWhitelistEntry(input: $input) { whitelistEntry { ${ENTRY} } errors { code message path } } }`;
const newGroup = async (): Promise<string> =>
  (
    await ask(
      'mutation { createWhitelistGroup(input: { name: "Treasury" }) { whitelistGroup { id: groupId } errors { code message path } } }',
    )
  ).createWhitelistGroup.whitelistGroup.id;
const add = async (groupId: string, input: Readonly<Record<string, unknown>>) =>
  (await ask(ADD, { input: { groupId, ...input } })).addWhitelistEntry.whitelistEntry;
const remove = (id: string) =>
  ask(
    'mutation($id: String!) { removeWhitelistEntry(input: { entryId: $id }) { whitelistEntry { id: entryId removedAt } errors { code message path } } }',
    { id },
  );
const groups = async (key?: string) =>
  (await ask(`{ viewer { account { whitelistGroups { id: groupId name entries { ${ENTRY} } } } } }`, {}, key))
    .viewer.account.whitelistGroups;
const setCooling = (seconds: number) =>
  ask(
    `mutation { updateAccountSettings(input: { whitelistCoolingSeconds: ${seconds} }) { accountSettings { whitelistCoolingSeconds } errors { code message path } } }`,
  );

describe('groups and entries', () => {
  test('a group holds addresses and PIX keys in their canonical forms', async () => {
    const {
      createWhitelistGroup: { whitelistGroup: group },
    } = await ask(
      'mutation { createWhitelistGroup(input: { name: " Treasury " }) { whitelistGroup { id: groupId name createdAt entries { id: entryId } } errors { code message path } } }',
    );
    expect(group).toMatchObject({
      id: expect.stringMatching(/^grp_[\w-]{16}$/),
      name: 'Treasury',
      entries: [],
    });
    const wallet = await add(group.id, {
      target: { wallet: { network: 'BASE', address: EVM.toLowerCase() } },
      label: 'cold',
    });
    expect(wallet).toMatchObject({
      id: expect.stringMatching(/^wle_[\w-]{16}$/),
      groupId: group.id,
      label: 'cold',
      network: 'BASE',
      pixKeyType: null,
      target: EVM,
      removedAt: null,
    });
    // A sandbox has no cooling time of its own (C-22).
    expect(wallet.usableAt).toBe(wallet.createdAt);
    const phone = await add(group.id, { target: { pixKey: { type: 'PHONE', key: '(11) 98765-4321' } } });
    expect(phone).toMatchObject({
      network: null,
      pixKeyType: 'PHONE',
      target: '+5511987654321',
      label: null,
    });
    const { entries } = (await groups()).find(({ id }: { id: string }) => id === group.id);
    expect(entries).toEqual([wallet, phone]);
  });

  test('a target is in a group once; on another network, or after its removal, again', async () => {
    const group = await newGroup();
    const { id } = await add(group, { target: { wallet: { network: 'ETH', address: EVM } } });
    const again = { target: { wallet: { network: 'ETH', address: EVM.toLowerCase() } } };
    const refused = await refusal(ADD, { input: { groupId: group, ...again } });
    expect([refused.code, ...parametersOf(refused)]).toEqual([
      'INVALID_PARAMETER',
      'input.target.wallet.address',
    ]);
    await add(group, { target: { wallet: { network: 'BSC', address: EVM } } });
    const {
      removeWhitelistEntry: { whitelistEntry: removed },
    } = await remove(id);
    expect(removed).toEqual({ id, removedAt: expect.any(String) });
    expect((await remove(id)).removeWhitelistEntry.whitelistEntry).toEqual(removed);
    expect((await add(group, again)).id).not.toBe(id);
    await add(group, { target: { pixKey: { type: 'CPF', key: '52998224725' } } });
    const key = { target: { pixKey: { type: 'CPF', key: '529.982.247-25' } } };
    expect(parametersOf(await refusal(ADD, { input: { groupId: group, ...key } }))).toEqual([
      'input.target.pixKey.key',
    ]);
  });

  test('of two parallel additions one succeeds', async () => {
    const groupId = await newGroup();
    const input = { target: { wallet: { network: 'TRX', address: TRON } } };
    const answers = await Promise.all(
      [1, 2, 3].map(() => app.graphql(ADD, { input: { groupId, ...input } }, { key: shop.apiKey })),
    );
    expect(answers.filter(({ json }) => errorsIn(json) === undefined)).toHaveLength(1);
  });

  test.each([
    [{ target: { wallet: { network: 'XRP', address: TRON } } }, ['input.target.wallet.network']],
    [{ target: { wallet: { network: 'TRX', address: EVM } } }, ['input.target.wallet.address']],
    [{ target: { wallet: { network: 'TRX', address: ` ${TRON}` } } }, ['input.target.wallet.address']],
    [
      { target: { wallet: { network: 'ETH', address: '0x000000000000000000000000000000000000dEaD' } } },
      ['input.target.wallet.address'],
    ],
    [
      { target: { wallet: { network: 'TRX', address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' } } },
      ['input.target.wallet.address'],
    ],
    [
      { target: { pixKey: { type: 'CPF', key: '52998224726' } }, label: '' },
      ['input.target.pixKey.key', 'input.label'],
    ],
  ])('an entry of %j is refused and names %j', async (input, parameters) => {
    const refused = await refusal(ADD, { input: { groupId: await newGroup(), ...input } });
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', ...parameters]);
  });

  test.each(['', ' ', 'x'.repeat(201), 'a\u0000b'])('a group of the name %j is refused', async (name) => {
    const refused = await refusal(
      'mutation($name: String!) { createWhitelistGroup(input: { name: $name }) { whitelistGroup { id: groupId } errors { code message path } } }',
      {
        name,
      },
    );
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.name']);
  });

  test('another account sees none of it', async () => {
    const other = await app.addAccount();
    await add(await newGroup(), { target: { wallet: { network: 'TRX', address: TRON } } });
    expect(await groups(other.apiKey)).toEqual([]);
  });
});

describe('withdrawals', () => {
  test('C-22: a new entry can be used after the cooling time, and no longer once it is removed', async () => {
    const groupId = await newGroup();
    await setCooling(3_600);
    const { id, usableAt } = await add(groupId, { target: { wallet: { network: 'TRX', address: TRON } } });
    const input = { currency: 'USDT_TRX', amountReceived: '10', groupId };
    const early = await refusal(creation('createWithdrawal'), { input });
    expect(early.code).toBe('ADDRESS_NOT_WHITELISTED');
    expect(early.message).toContain(usableAt.slice(0, 10));
    await ask('mutation { sandboxAdvanceClock(input: { by: "59m" }) { now errors { code message path } } }');
    expect((await refusal(creation('createWithdrawal'), { input })).code).toBe('ADDRESS_NOT_WHITELISTED');
    await ask('mutation { sandboxAdvanceClock(input: { by: "61s" }) { now errors { code message path } } }');
    const { transaction } = await create('createWithdrawal', input);
    await until(transaction.end2end, 'success_withdrawl_dash/DONE');
    await remove(id);
    expect((await refusal(creation('createWithdrawal'), { input })).code).toBe('ADDRESS_NOT_WHITELISTED');
    const rest = await app.post(
      '/v2/withdrawal',
      { currency_receive_code: 'USDT_TRX', amount_received: 10, group_id: groupId },
      { key: shop.apiKey },
    );
    expect([rest.status, rest.json.code]).toEqual([422, 'ADDRESS_NOT_WHITELISTED']);
  });

  test('a shorter cooling time applies to entries added from then on', async () => {
    const groupId = await newGroup();
    await setCooling(7_200);
    await setCooling(0);
    await ask('mutation { sandboxAdvanceClock(input: { by: "1h" }) { now errors { code message path } } }');
    await add(groupId, { target: { wallet: { network: 'TRX', address: TRON } } });
    await ask('mutation { sandboxAdvanceClock(input: { by: "61m" }) { now errors { code message path } } }');
    await add(groupId, { target: { pixKey: { type: 'EMAIL', key: 'Ana@Example.com' } } });
    const onChain = { currency: 'USDT_TRX', amountReceived: '10', groupId };
    expect((await refusal(creation('createWithdrawal'), { input: onChain })).code).toBe(
      'ADDRESS_NOT_WHITELISTED',
    );
    const { transaction } = await create('createWithdrawal', {
      currency: 'BRL',
      amountReceived: '10',
      groupId,
    });
    await until(transaction.end2end, 'success_withdrawl_dash/DONE');
    const { transaction: paid } = await ask(
      `{ transaction(end2end: "${transaction.end2end}") { ... on Withdrawal { groupId } } }`,
    );
    expect(paid.groupId).toBe(groupId);
  });

  test('the address selects one of several entries', async () => {
    await setCooling(0);
    const groupId = await newGroup();
    const other = 'TCjow1qG4ZvDNj5ZRCF2RSuS2kMCGKK1JJ';
    for (const address of [TRON, other])
      await add(groupId, { target: { wallet: { network: 'TRX', address } } });
    const input = { currency: 'USDT_TRX', amountReceived: '10', groupId };
    const refused = await refusal(creation('createWithdrawal'), { input });
    expect([refused.code, parametersOf(refused)]).toEqual(['INVALID_PARAMETER', ['input.address']]);
    const { transaction } = await create('createWithdrawal', { ...input, address: other });
    await until(transaction.end2end, 'success_withdrawl_dash/DONE');
  });

  test('in the sandbox account an entry is usable immediately', async () => {
    const { viewer } = await ask(
      '{ viewer { account { accountSettings { whitelistCoolingSeconds } } } }',
      {},
      app.apiKey,
    );
    expect(viewer.account.accountSettings.whitelistCoolingSeconds).toBe(0);
  });
});

describe('a destination that is removed', () => {
  test('C-22: a withdrawal that waits is not approved once its destination was removed', async () => {
    shop = await app.addAccount();
    await fund('USDT_TRX', '1000');
    const groupId = await newGroup();
    const { id } = await add(groupId, { target: { wallet: { network: 'TRX', address: TRON } } });
    await ask(
      'mutation { updateAccountSettings(input: { approvalAbove: "0" }) { accountSettings { approvalAbove } errors { code message path } } }',
    );
    const input = { amountReceived: '10', currency: 'USDT_TRX', groupId };
    const { end2end } = (await create('createWithdrawal', input)).transaction;
    const { apiKey } = await app.addKey(shop.accountId, ['move', 'read']);
    await remove(id);
    const approve =
      'mutation($end2end: String!) { approveWithdrawal(input: { end2end: $end2end }) { transaction { end2end } errors { code message path } } }';
    expect((await refusal(approve, { end2end }, apiKey)).code).toBe('ADDRESS_NOT_WHITELISTED');
    await setCooling(3_600);
    await add(groupId, { target: { wallet: { network: 'TRX', address: TRON } } });
    expect((await refusal(approve, { end2end }, apiKey)).code).toBe('ADDRESS_NOT_WHITELISTED');
    await ask(
      'mutation($end2end: String!) { rejectWithdrawal(input: { end2end: $end2end }) { transaction { end2end } errors { code message path } } }',
      { end2end },
    );
  });
});
