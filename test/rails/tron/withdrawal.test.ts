/**
 * Goal: a withdrawal leaves to a proven destination only (C-22): the proof goes from the whitelist to the signer, and without one the money
 * stays in the account. Method: the gateway with the rail of TRON in place of the sandbox's, a node of the test, the signer behind its socket.
 */
import { beforeAll, expect, test, vi } from 'vitest';
import { graphqlClient } from '../../support/graphql-client.ts';
import { provingKey } from '../../support/proof-by-key.ts';
import { addressOf, ONE, useSandboxTron } from './sandbox-app.ts';

const PROVEN = addressOf(0x61);
const UNPROVEN = addressOf(0x62);
const FORGED = addressOf(0x63);
const FOREIGN = addressOf(0x65);
const { approver, proofOf: proofBy } = provingKey();
/** The proof as the API takes it. */
const proofOf = (address: string, account = String(shop.accountId)) => {
  const { id, expiresAt, signature } = proofBy('TRX', address, { account });
  return { id, expiresAt, signature };
};
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
const ADD = `mutation($input: AddWhitelistEntryInput!) {
  addWhitelistEntry(input: $input) { whitelistEntry { id: entryId isProven } errors { code message path } } }`;
const newGroup = async () =>
  (
    await ask(
      'mutation { createWhitelistGroup(input: { name: "Treasury" }) { whitelistGroup { id: groupId } errors { code message path } } }',
    )
  ).createWhitelistGroup.whitelistGroup.id as string;

/** Withdraws 12 USDT to an address that has this proof. @returns the status that it ends with. */
async function withdraw(address: string, proof?: object): Promise<string> {
  const groupId = await newGroup();
  const input = { target: { wallet: { network: 'TRX', address } }, ...(proof && { proof }) };
  const {
    addWhitelistEntry: { whitelistEntry: entry },
  } = await ask(ADD, { input: { groupId, ...input } });
  expect(entry.isProven).toBe(proof !== undefined);
  const wanted = { currency: 'USDT_TRX', amountReceived: '12', groupId };
  const { transaction: made } = await create('createWithdrawal', wanted);
  return vi.waitFor(
    async () => {
      await tron.rail.cycle();
      tron.node.mine(4);
      const { transaction } = await ask(`{ transaction(end2end: "${made.end2end}") { statusCode } }`);
      if (!ENDS.includes(transaction.statusCode)) throw new Error(`it is ${transaction.statusCode}`);
      return transaction.statusCode as string;
    },
    { timeout: 30_000, interval: 20 },
  );
}

test('a withdrawal with proof is delivered', async () => {
  expect(await withdraw(PROVEN, proofOf(PROVEN))).toBe('SUCCESS');
  expect(tron.node.balance(PROVEN, 'USDT')).toBe(10n * ONE);
});

test('a withdrawal without proof, or with that of another address or account, is not sent', async () => {
  for (const [address, proof] of [
    [UNPROVEN, undefined],
    [FORGED, proofOf(PROVEN)],
    [FOREIGN, proofOf(FOREIGN, '999')],
  ] as const) {
    expect(await withdraw(address, proof)).not.toBe('SUCCESS');
    expect(tron.node.balance(address, 'USDT')).toBe(0n);
  }
  expect(tron.record.refusals()).toEqual({ proof_missing: 1, proof_wrong: 2 });
});

test('a proof with a wrong form is refused by name', async () => {
  const groupId = await newGroup();
  const named = async (input: object) => {
    const { code, violations } = await refusal(ADD, { input: { groupId, ...input } });
    return [code, ...violations.map(({ parameter }: { parameter: string }) => parameter)];
  };
  const address = { target: { wallet: { network: 'TRX', address: PROVEN } } };
  const expiresAt = '2027-01-01T00:00:00Z';
  expect(await named({ ...address, proof: { id: 'loja', expiresAt, signature: '!' } })).toEqual([
    'INVALID_PARAMETER',
    'input.proof.signature',
  ]);
  expect(await named({ ...address, proof: { id: '', expiresAt, signature: 'AA' } })).toEqual([
    'INVALID_PARAMETER',
    'input.proof.id',
  ]);
  const key = { target: { pixKey: { type: 'CPF', key: '52998224725' } } };
  expect(await named({ ...key, proof: { id: 'x', expiresAt, signature: 'AA' } })).toEqual([
    'INVALID_PARAMETER',
    'input.proof',
  ]);
});

test('after its proof is withdrawn, an address gets no withdrawal (C-22)', async () => {
  const address = addressOf(0x64);
  expect(await withdraw(address, proofOf(address))).toBe('SUCCESS');
  const { viewer } = await ask(
    '{ viewer { account { whitelistGroups { entries { id: entryId target isProven } } } } }',
  );
  const entries: { id: string; target: string; isProven: boolean }[] = viewer.account.whitelistGroups.flatMap(
    ({ entries: some }: { entries: object[] }) => some,
  );
  const [proven] = entries.filter(({ target }) => target === address);
  const WITHDRAW =
    'mutation($id: String!) { withdrawWhitelistProof(input: { entryId: $id }) { whitelistEntry { id: entryId isProven } errors { code message path } } }';
  for (let turn = 0; turn < 2; turn++)
    expect((await ask(WITHDRAW, { id: proven?.id })).withdrawWhitelistProof.whitelistEntry).toEqual({
      id: proven?.id,
      isProven: false,
    });
  const { rows } = await app.owner.query(
    `select object_id, before, after from audit_entry where act = 'whitelist.withdraw_proof'`,
  );
  const provenUntil = expect.stringMatching(/T[\d:]+Z$/);
  const before = { proof: 'loja', provenUntil, provenEntries: [proven?.id] };
  const after = { proof: null, provenUntil: null, provenEntries: [] };
  expect(rows).toEqual([{ object_id: proven?.id, before, after }]);
  expect(await withdraw(address)).not.toBe('SUCCESS');
  expect(tron.record.refusals()).toMatchObject({ proof_missing: 2 });
  expect(await refusal(WITHDRAW, { id: 'wle_0000000000000000' })).toMatchObject({ code: 'NOT_FOUND' });
});
