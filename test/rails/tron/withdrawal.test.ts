/**
 * Goal: a withdrawal leaves to a proven destination only (C-22): the proof goes from the whitelist to the signer, and without one the money
 * stays in the account. Method: the gateway with the rail of TRON in place of the sandbox's, a node of the test, the signer behind its socket.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { whitelistStatement } from '../../../src/chains/whitelist-proof.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { addressOf, ONE, useSandboxTron } from './sandbox-app.ts';

const PROVEN = addressOf(0x61);
const UNPROVEN = addressOf(0x62);
const FORGED = addressOf(0x63);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const proofOf = (address: string) => ({
  id: 'loja',
  signature: sign(null, Buffer.from(whitelistStatement('TRX', address)), privateKey).toString('base64url'),
});
const approver = { kind: 'key', id: 'loja', publicKey: publicKey.export({ type: 'spki', format: 'pem' }) };
const tron = useSandboxTron({}, { approvers: [approver] });
const { app } = tron;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, fund } = graphqlClient(app, () => shop.apiKey);
beforeAll(async () => {
  shop = await app.addAccount();
  await fund('USDT_TRX', '100');
});

/** How a transaction ends. */
const ENDS = ['CANCELLED', 'EXPIRED', 'FAILED', 'REFUNDED', 'SUCCESS'];
const ADD = `mutation($groupId: String!, $input: WhitelistEntryInput!) {
  addWhitelistEntry(groupId: $groupId, input: $input) { id isProven } }`;
const newGroup = async () =>
  (await ask('mutation { createWhitelistGroup(name: "Treasury") { id } }')).createWhitelistGroup.id as string;

/** Withdraws 12 USDT to an address that has this proof. @returns the status that it ends with. */
async function withdraw(address: string, proof?: object): Promise<string> {
  const groupId = await newGroup();
  const input = { network: 'TRX', address, ...(proof && { proof }) };
  const { addWhitelistEntry: entry } = await ask(ADD, { groupId, input });
  expect(entry.isProven).toBe(proof !== undefined);
  const wanted = { currency: 'USDT_TRX', amountReceived: '12', groupId };
  const { transaction: made } = await create('createWithdrawal', wanted);
  return vi.waitFor(
    async () => {
      await tron.rail.turn();
      tron.node.mine(4);
      const { transaction } = await ask(`{ transaction(end2end: "${made.end2end}") { statusCode } }`);
      if (!ENDS.includes(transaction.statusCode)) throw new Error(`it is ${transaction.statusCode}`);
      return transaction.statusCode as string;
    },
    { timeout: 30_000, interval: 20 },
  );
}

test('with proof it is delivered', async () => {
  expect(await withdraw(PROVEN, proofOf(PROVEN))).toBe('SUCCESS');
  expect(tron.node.balance(PROVEN, 'USDT')).toBe(10n * ONE);
});

test('without proof, and with that of another address, nothing leaves', async () => {
  for (const [address, proof] of [
    [UNPROVEN, undefined],
    [FORGED, proofOf(PROVEN)],
  ] as const) {
    expect(await withdraw(address, proof)).not.toBe('SUCCESS');
    expect(tron.node.balance(address, 'USDT')).toBe(0n);
  }
  expect(tron.record.refusals()).toEqual({ proof_missing: 1, proof_wrong: 1 });
});

test('a proof whose form is wrong is refused by name', async () => {
  const groupId = await newGroup();
  const named = async (input: object) => {
    const { code, violations } = await refusal(ADD, { groupId, input });
    return [code, ...violations.map(({ parameter }: { parameter: string }) => parameter)];
  };
  const address = { network: 'TRX', address: PROVEN };
  expect(await named({ ...address, proof: { id: 'loja', signature: '!' } })).toEqual([
    'INVALID_PARAMETER',
    'input.proof.signature',
  ]);
  expect(await named({ ...address, proof: { id: '', signature: 'AA' } })).toEqual([
    'INVALID_PARAMETER',
    'input.proof.id',
  ]);
  expect(await named({ ...address, proof: { id: 'x', signature: 'AA', clientDataJSON: 'AA' } })).toEqual([
    'INVALID_PARAMETER',
    'input.proof.authenticatorData',
  ]);
  const key = { pixKeyType: 'CPF', pixKey: '52998224725' };
  expect(await named({ ...key, proof: { id: 'x', signature: 'AA' } })).toEqual([
    'INVALID_PARAMETER',
    'input.proof',
  ]);
});

test('once its proof is withdrawn, nothing leaves to an address that was proven before (C-22)', async () => {
  const address = addressOf(0x64);
  expect(await withdraw(address, proofOf(address))).toBe('SUCCESS');
  const { viewer } = await ask(
    '{ viewer { account { whitelistGroups { entries { id target isProven } } } } }',
  );
  const entries: { id: string; target: string; isProven: boolean }[] = viewer.account.whitelistGroups.flatMap(
    ({ entries: some }: { entries: object[] }) => some,
  );
  const [proven] = entries.filter(({ target }) => target === address);
  const WITHDRAW = 'mutation($id: String!) { withdrawWhitelistProof(id: $id) { id isProven } }';
  for (let turn = 0; turn < 2; turn++)
    expect((await ask(WITHDRAW, { id: proven?.id })).withdrawWhitelistProof).toEqual({
      id: proven?.id,
      isProven: false,
    });
  const { rows } = await app.owner.query(
    `select object_id, before, after from audit_entry where act = 'whitelist.withdraw_proof'`,
  );
  expect(rows).toEqual([{ object_id: proven?.id, before: { isProven: true }, after: { isProven: false } }]);
  expect(await withdraw(address)).not.toBe('SUCCESS');
  expect(tron.record.refusals()).toMatchObject({ proof_missing: 2 });
  expect(await refusal(WITHDRAW, { id: 'wle_0000000000000000' })).toMatchObject({ code: 'NOT_FOUND' });
});
