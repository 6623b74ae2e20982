/**
 * Goal: a withdrawal leaves to a proven destination only (C-22): the proof goes from the whitelist to the signer, and without one the money
 * stays in the account. Method: the gateway with the rail of TRON in place of the sandbox's, a node of the test, the signer behind its socket.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { tronAddress } from '../../../src/base/address.ts';
import { whitelistStatement } from '../../../src/chains/whitelist-proof.ts';
import type { RailPlan, RailsFile } from '../../../src/compose/rails-file.ts';
import type { NetworkRail } from '../../../src/rails/chain/rail.ts';
import { createSigner } from '../../../src/rails/chain/signer-process.ts';
import { createTron, readTronSettings } from '../../../src/rails/tron/index.ts';
import { readPolicy } from '../../../src/signer/policy.ts';
import { openRecord, type SignedRecord } from '../../../src/signer/record.ts';
import { openServer } from '../../../src/signer/serve.ts';
import { createSignerService } from '../../../src/signer/signer.ts';
import { openWallet } from '../../../src/signer/wallet.ts';
import { useApp } from '../../support/app.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { startTronNode, type TronNode } from '../../support/tron-node.ts';

const wallet = openWallet(hex.decode('000102030405060708090a0b0c0d0e0f'));
const HOT = wallet.hot.TRX as string;
const [PROVEN, UNPROVEN, FORGED] = [0x61, 0x62, 0x63].map((byte) =>
  tronAddress(new Uint8Array(20).fill(byte)),
) as [string, string, string];
const ONE = 1_000_000n;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const proofOf = (address: string) => ({
  id: 'loja',
  signature: sign(null, Buffer.from(whitelistStatement('TRX', address)), privateKey).toString('base64url'),
});

let folder: string;
let node: TronNode;
let record: SignedRecord;
let server: Server;
let rail: NetworkRail;
let shop: Awaited<ReturnType<typeof app.addAccount>>;

const overrides: { railsFile?: RailsFile } = {};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crossramp-withdrawal-'));
  const approver = { kind: 'key', id: 'loja', publicKey: publicKey.export({ type: 'spki', format: 'pem' }) };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify({ approvers: [approver] }));
  record = openRecord(join(folder, 'signed.sqlite'));
  const service = createSignerService(wallet, readPolicy(join(folder, 'policy.json')), record);
  const log = { signed: () => {}, alarm: () => {} };
  server = await openServer(service, { socket: join(folder, 's') }, log, record.refused);
  node = await startTronNode();
  node.give(HOT, 'TRX', 1_000n * ONE);
  node.give(HOT, 'USDT', 1_000n * ONE);
  node.mine(25);
  const given = { kind: 'tron', providers: [node.url], hotAddress: HOT, xpub: wallet.xpub.TRX };
  const settings = readTronSettings(
    { ...given, networkFees: { USDT_TRX: '2' } },
    'sandbox.networks.TRX',
    'TRX',
  );
  const plan: RailPlan = {
    pix: undefined,
    rates: undefined,
    liquidity: undefined,
    identity: undefined,
    screening: undefined,
    signer: () => createSigner({ socket: join(folder, 's') }),
    networks: new Map([
      [
        'TRX',
        (tools) => {
          rail = createTron({ ...settings, pollMs: 1 }, tools);
          return rail;
        },
      ],
    ]),
  };
  overrides.railsFile = { sandbox: plan };
});
const app = useApp(overrides);
const { ask, refusal, create, fund } = graphqlClient(app, () => shop.apiKey);
beforeAll(async () => {
  shop = await app.addAccount();
  await fund('USDT_TRX', '100');
  await rail.turn();
});
afterAll(async () => {
  await node.close();
  await new Promise((resolve) => server.close(resolve));
  record.close();
  rmSync(folder, { recursive: true, force: true });
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
      await rail.turn();
      node.mine(4);
      const { transaction } = await ask(`{ transaction(end2end: "${made.end2end}") { statusCode } }`);
      if (!ENDS.includes(transaction.statusCode)) throw new Error(`it is ${transaction.statusCode}`);
      return transaction.statusCode as string;
    },
    { timeout: 30_000, interval: 20 },
  );
}

test('with proof it is delivered', async () => {
  expect(await withdraw(PROVEN, proofOf(PROVEN))).toBe('SUCCESS');
  expect(node.balance(PROVEN, 'USDT')).toBe(10n * ONE);
});

test('without proof, and with that of another address, nothing leaves', async () => {
  for (const [address, proof] of [
    [UNPROVEN, undefined],
    [FORGED, proofOf(PROVEN)],
  ] as const) {
    expect(await withdraw(address, proof)).not.toBe('SUCCESS');
    expect(node.balance(address, 'USDT')).toBe(0n);
  }
  expect(record.refusals()).toEqual({ proof_missing: 1, proof_wrong: 1 });
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
  const address = tronAddress(new Uint8Array(20).fill(0x64));
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
  expect(record.refusals()).toMatchObject({ proof_missing: 2 });
  expect(await refusal(WITHDRAW, { id: 'wle_0000000000000000' })).toMatchObject({ code: 'NOT_FOUND' });
});
