/**
 * Goal: a gateway that was taken over loses at most what the signer printed at its start, and kill -9 opens no limit. Method: the
 * signer as a process, and somebody who has all that the gateway has: the socket, the client, stored proofs.
 */
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Signed, SignRequest } from '../../src/chains/sign-request.ts';
import { createAuthority, issue } from '../../src/psp/ca.ts';
import {
  type SignerAddress,
  SignerRefused,
  SignerUnavailable,
  signerAt,
} from '../../src/rails/chain/signer.ts';
import { createSigner, readSignerSettings } from '../../src/rails/chain/signer-process.ts';
import { freePort } from '../support/free-port.ts';
import { crossramp } from '../support/process.ts';
import { provingKey } from '../support/proof-by-key.ts';
import {
  newSigner,
  OPEN_POLICY,
  type SignerHome,
  type SignerProcess,
  startSigner,
  startSignerWithLog,
} from '../support/signer.ts';
import { evmTransfer, jsonLines, requested, STRANGERS, tronTransfer } from '../support/signing.ts';

const USDT = 1_000_000n;
const KNOWN = STRANGERS.EVM2;
const { approver, proofOf } = provingKey();
const homes: SignerHome[] = [];
const running: SignerProcess[] = [];

async function made(policy?: object): Promise<SignerHome> {
  const home = await newSigner(policy);
  homes.push(home);
  return home;
}
async function started(home: SignerHome, ...address: string[]): Promise<SignerProcess> {
  const signer = await startSigner(home, ...address);
  running.push(signer);
  return signer;
}
afterEach(() => Promise.all(running.splice(0).map(({ end }) => end('SIGKILL'))));
afterAll(() => {
  for (const { remove } of homes) remove();
});

describe('a compromised gateway', () => {
  /** Everything that it was answered, with what that moves to others. */
  const taken: { readonly usd: number; readonly to: string }[] = [];
  let home: SignerHome;
  let signer: SignerProcess;
  let nonce = 0;
  const refusals = new Set<string>();

  beforeAll(async () => {
    home = await made({ ...OPEN_POLICY, approvers: [approver] });
  });

  const tryIt = async (usd: number, to: string, request: SignRequest): Promise<boolean> => {
    try {
      await signerAt(home).sign(request);
      taken.push({ usd, to });
      return true;
    } catch (error) {
      if (!(error instanceof SignerRefused)) throw error;
      refusals.add(error.reason);
      return false;
    }
  };
  const usdt = (usd: number, to: string, over: Partial<SignRequest> = {}) => {
    nonce += 1;
    const unsigned = evmTransfer('USDT_ETH', to, BigInt(usd) * USDT, { nonce });
    return requested({ network: 'ETH', unsigned, ...over });
  };
  const sumTo = (isWanted: (to: string) => boolean) =>
    taken.filter(({ to }) => isWanted(to)).reduce((sum, { usd }) => sum + usd, 0);

  test('loses at most the hourly limit that the signer printed at its start', async () => {
    signer = await started(home);
    const printed =
      /^hourly limit: USD (\d+) of everything that leaves, fees included\n.* USD (\d+) an hour/m;
    const [all, unproven] = printed.exec(signer.said)?.slice(1).map(Number) ?? [];
    if (!all || !unproven) throw new Error(signer.said);
    const proof = proofOf('ETH', KNOWN);
    // Withdrawals to a new address: without proof, and with that of another address.
    for (const over of [{}, { proof }])
      expect(
        await tryIt(100, STRANGERS.EVM, usdt(100, STRANGERS.EVM, { intent: 'withdrawal', ...over })),
      ).toBe(false);
    // Payouts and refunds to an address of the thief, in ever smaller parts, on each network.
    for (const usd of [100_000, 4_999, 1_990, 1_990, 1_990, 900, 400, 90, 90, 9, 9]) {
      await tryIt(usd, STRANGERS.EVM, usdt(usd, STRANGERS.EVM, { intent: usd % 2 ? 'refund' : 'payout' }));
      const unsigned = tronTransfer(
        'USDT_TRX',
        home.facts.hot.TRX as string,
        STRANGERS.TRX,
        BigInt(usd) * USDT,
      );
      await tryIt(usd, STRANGERS.TRX, requested({ network: 'TRX', unsigned }));
    }
    // Deposit addresses, gas and fees.
    const deposit = { purpose: 'deposit', index: 0 } as const;
    await tryIt(500, STRANGERS.EVM, usdt(500, STRANGERS.EVM, { key: deposit, intent: 'sweep' }));
    await tryIt(500, STRANGERS.EVM, usdt(500, STRANGERS.EVM, { key: deposit }));
    await tryIt(40, STRANGERS.EVM, usdt(40, STRANGERS.EVM, { intent: 'gas', depositIndex: 0 }));
    nonce += 1;
    const burning = evmTransfer('USDT_ETH', home.facts.hot.ETH as string, USDT, {
      nonce,
      maxFeePerGas: 150_000_000_000n,
    });
    const fee = 48.75;
    const sweeps = Array.from({ length: 6 }, (_, index) =>
      tryIt(
        fee,
        'fees',
        requested({ network: 'ETH', unsigned: burning, key: { purpose: 'deposit', index }, intent: 'sweep' }),
      ),
    );
    await Promise.all(sweeps);
    // A nonce that was used for the address of a customer.
    await tryIt(
      9,
      STRANGERS.EVM,
      requested({ network: 'ETH', unsigned: evmTransfer('USDT_ETH', STRANGERS.EVM, 9n, { nonce }) }),
    );
    // What was proven goes where it was proven for, and no further than the limit of everything.
    for (let i = 0; i < 4; i += 1)
      await tryIt(4_900, KNOWN, usdt(4_900, KNOWN, { intent: 'withdrawal', proof }));

    expect(sumTo((to) => to === STRANGERS.EVM || to === STRANGERS.TRX)).toBeGreaterThan(unproven - 1_000);
    expect(sumTo((to) => to === STRANGERS.EVM || to === STRANGERS.TRX)).toBeLessThanOrEqual(unproven);
    expect(sumTo(() => true)).toBeLessThanOrEqual(all);
    expect(refusals).toEqual(
      new Set(['proof_missing', 'proof_wrong', 'transaction_limit', 'limit_hour', 'destination', 'key']),
    );
  });

  test('a refusal is an alarm on standard error; many refusals give two lines with their number', async () => {
    signer = await started(home);
    const before = (await signerAt(home).describe()) as unknown as { refusals: Record<string, number> };
    await tryIt(1, STRANGERS.EVM, usdt(1, STRANGERS.EVM, { intent: 'withdrawal' }));
    const after = (await signerAt(home).describe()) as unknown as { refusals: Record<string, number> };
    expect(after.refusals.proof_missing).toBe((before.refusals.proof_missing ?? 0) + 1);
    for (let i = 0; i < 100; i += 1)
      await tryIt(1, STRANGERS.EVM, usdt(1, STRANGERS.EVM, { intent: 'withdrawal' }));
    const { stderr } = await signer.end('SIGTERM');
    const alarms = jsonLines(stderr).filter(({ level }) => level === 'alarm');
    const times = after.refusals.proof_missing as number;
    expect(alarms).toMatchObject([
      { event: 'refused', reason: 'proof_missing', refusals: 1, times },
      { event: 'refused', reason: 'proof_missing', refusals: 100, times: times + 100 },
    ]);
    expect(stderr).not.toMatch(/000102030405|correct horse/);
  });
});

describe('a log that cannot be written', () => {
  test('a signer whose log is on a full disk still signs, and stops cleanly', async () => {
    const home = await made(OPEN_POLICY);
    const file = openSync('/dev/full', 'w');
    const signer = await startSignerWithLog(file, home).finally(() => closeSync(file));
    running.push(signer);
    for (let at = 0n; at < 3n; at += 1n) {
      const unsigned = tronTransfer('USDT_TRX', home.facts.hot.TRX as string, STRANGERS.TRX, USDT, {
        at,
        feeLimit: 1n,
      });
      expect(await signerAt(home).sign(requested({ network: 'TRX', unsigned }))).toMatchObject({});
    }
    expect((await signer.end('SIGTERM')).code).toBe(143);
  });
});

describe('kill -9', () => {
  test('at any time: answered requests get the same answer, and the limit holds over all restarts', async () => {
    const home = await made({ ...OPEN_POLICY, perMinute: 100_000 });
    const hot = home.facts.hot.TRX as string;
    const requests = Array.from({ length: 60 }, (_, i) =>
      requested({
        network: 'TRX',
        unsigned: tronTransfer('USDT_TRX', hot, STRANGERS.TRX, 100n * USDT, { at: BigInt(i), feeLimit: 1n }),
      }),
    );
    const answers = new Map<string, Signed>();
    const ask = async (request: SignRequest) => {
      const answer = await signerAt(home).sign(request);
      const { id } = request;
      expect(answers.get(id) ?? answer).toEqual(answer);
      answers.set(id, answer);
    };
    for (const dieAfter of [3, 11, 20]) {
      const signer = await started(home);
      let count = 0;
      await Promise.allSettled(
        requests.map(async (request) => {
          await ask(request);
          count += 1;
          if (count === dieAfter) await signer.end('SIGKILL');
        }),
      );
    }
    await started(home);
    const outcomes = await Promise.allSettled(requests.map(ask));
    const reasons = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(new Set(reasons.map(({ reason }) => reason))).toEqual(new Set(['limit_hour']));
    // USD 100, and half a dollar for bandwidth, each.
    expect(answers.size).toBe(Math.floor(5_000 / 100.5));
  });

  test('an unreachable signer is reported differently from a refusal', async () => {
    const home = await made();
    const request = requested({ network: 'ETH', unsigned: evmTransfer('USDT_ETH', STRANGERS.EVM, USDT) });
    await expect(signerAt(home).sign(request)).rejects.toThrow(SignerUnavailable);
    await expect(signerAt(home).describe()).rejects.toThrow(SignerUnavailable);
  });
});

describe('the server', () => {
  test('only the signer’s user can open its socket; a second signer on the folder does not start', async () => {
    const home = await made();
    const signer = await started(home);
    expect(statSync(home.socket).mode & 0o777).toBe(0o600);
    for (const name of ['key.json', 'signed.sqlite', 'signed.sqlite-wal'])
      expect([name, statSync(join(home.folder, name)).mode & 0o777]).toEqual([name, 0o600]);
    const passphrase = ['--passphrase-file', join(home.folder, 'passphrase')];
    const again = (socket: string) =>
      crossramp({}, 'signer', 'run', '--folder', home.folder, ...passphrase, '--socket', socket);
    const second = await again(join(home.folder, 's2'));
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('another signer works with') });
    const { checks } = createSigner(readSignerSettings({ socket: home.socket }, 'live.signer'));
    expect(await checks()).toEqual([
      { check: 'signer', ok: true, detail: expect.stringContaining(`TRX ${home.facts.hot.TRX}`) },
      { check: 'signer policy', ok: true, detail: expect.stringContaining('without proof') },
    ]);
    expect(signer.said).toMatch(
      /without proof of the destination: nothing, as unproven.transaction, unproven.hour, unproven.day of policy.json are 0/,
    );
    const ended = await signer.end('SIGTERM');
    expect(ended.code).toBe(143);
    expect(await checks()).toMatchObject([{ check: 'signer', ok: false }]);
    const facts = await crossramp({}, 'signer', 'init', '--folder', home.folder, ...passphrase);
    expect(facts).toMatchObject({ code: 1, stderr: expect.stringContaining('never overwritten') });
  });

  test('a folder that others can read is refused, with the remedy', async () => {
    const home = await made();
    chmodSync(home.folder, 0o755);
    const given = ['--folder', home.folder, '--passphrase-file', join(home.folder, 'passphrase')];
    const refused = {
      code: 1,
      stderr: `crossramp: ${home.folder} has the mode 0755: no one else may have access to the folder of a signer (chmod 700)\n`,
    };
    expect(await crossramp({}, 'signer', ...given, '--socket', home.socket)).toMatchObject(refused);
    rmSync(join(home.folder, 'key.json'));
    expect(await crossramp({}, 'signer', 'init', ...given)).toMatchObject(refused);
    expect(existsSync(join(home.folder, 'key.json'))).toBe(false);
  });

  test('TLS with certificates on both sides: a caller without one is rejected', async () => {
    const home = await made(OPEN_POLICY);
    const authority = createAuthority('signer test');
    const file = (name: string, text: string) => {
      writeFileSync(join(home.folder, name), text);
      return join(home.folder, name);
    };
    const server = issue(authority, { name: 'signer', hosts: ['127.0.0.1'] });
    const client = issue(authority, { name: 'gateway' });
    const stranger = issue(createAuthority('another'), { name: 'gateway' });
    const caFile = file('ca.pem', authority.certificate);
    const port = await freePort();
    await started(
      home,
      ...['--listen', `127.0.0.1:${port}`, '--certificate', file('server.pem', server.certificate)],
      ...['--key', file('server-key.pem', server.key), '--client-ca', caFile],
    );
    const as = (name: string, { certificate, key }: typeof client): SignerAddress => ({
      url: `https://127.0.0.1:${port}`,
      certificateFile: file(`${name}.pem`, certificate),
      keyFile: file(`${name}-key.pem`, key),
      caFile,
    });
    const request = requested({ network: 'ETH', unsigned: evmTransfer('USDT_ETH', STRANGERS.EVM, USDT) });
    expect(await signerAt(as('client', client)).sign(request)).toHaveProperty('raw');
    expect(await signerAt(as('client', client)).describe()).toMatchObject({ hot: home.facts.hot });
    await expect(signerAt(as('stranger', stranger)).sign(request)).rejects.toThrow(SignerUnavailable);
  });

  test('an address on which it cannot listen is named with the remedy', async () => {
    const home = await made();
    const passphrase = ['--passphrase-file', join(home.folder, 'passphrase')];
    const at = (...address: string[]) =>
      crossramp({}, 'signer', '--folder', home.folder, ...passphrase, ...address);
    const port = await freePort();
    const holder = createServer().listen(port, '127.0.0.1');
    await once(holder, 'listening');
    const missing = join(home.folder, 'no-such-folder', 's');
    expect(await at('--socket', missing)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^crossramp: cannot listen at \S+\/no-such-folder\/s .*its folder must exist/,
      ),
    });
    const long = join(home.folder, 's'.repeat(120));
    expect((await at('--socket', long)).stderr).toContain('at most about 100 characters');
    const { certificate, key } = createAuthority('signer test');
    const [pem, keyFile] = [join(home.folder, 'c.pem'), join(home.folder, 'k.pem')];
    writeFileSync(pem, certificate);
    writeFileSync(keyFile, key);
    const tls = ['--certificate', pem, '--key', keyFile, '--client-ca', pem];
    expect((await at('--listen', `127.0.0.1:${port}`, ...tls)).stderr).toBe(
      `crossramp: cannot listen at 127.0.0.1:${port} (EADDRINUSE): choose another --listen\n`,
    );
    holder.close();
  });

  test.each([
    ['no address', [], /expected --socket, or --listen/],
    ['two addresses', ['--socket', 's', '--listen', '127.0.0.1:1'], /expected --socket, or --listen/],
    ['a passphrase that nobody can be asked for', ['--socket', 's'], /expected --passphrase-file/],
  ])('%s is refused', async (_, options, message) => {
    const { code, stderr } = await crossramp({}, 'signer', '--folder', '/nowhere', ...options);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });
});
