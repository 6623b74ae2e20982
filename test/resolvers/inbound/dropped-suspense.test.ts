/**
 * C-34: a deposit in suspense that its network drops after it was final is booked out again, whatever was decided about it: nobody's,
 * a receivable, or a loss of the house. Method: over GraphQL, with the real ledger; the books of all accounts concerned.
 */

import { expect, test } from 'vitest';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { clearingDefects } from '../../../src/store/ledger/verify.ts';
import { useApp } from '../../support/app.ts';
import { errorsIn } from '../../support/refusals.ts';
import { depositFor, inboundOf, type Merchant, SILENT } from './support.ts';

const app = useApp();
const {
  offrampInstant,
  reach,
  rowOf,
  eventsOf: eventOf,
  suspenseOf,
  bookOf,
  journalsOf,
  verified,
} = inboundOf(app);

/** A final deposit of another token, in suspense. */
async function stray() {
  const own = await app.addAccount();
  const made = await offrampInstant(own);
  await reach(made, 'crypto_deposit/WAITING_DEPOSIT');
  const deposit = depositFor(await rowOf(made.end2end), { currency: 'TRX_TRX', amount: '9' });
  expect(await told(deposit)).toBe('suspense');
  const [{ id }] = await suspenseOf(own.accountId);
  return { own, deposit, dropped: { ...deposit, kind: 'deposit_dropped' } as const, id: id as string };
}

const told = async (event: Parameters<typeof app.services.receive>[0]) =>
  (await app.services.receive(event)).outcome;
const stateOf = async ({ accountId }: Merchant) =>
  (await suspenseOf(accountId)).map(({ state }: { state: string }) => state).join(' ');
async function decide(mutation: string, key = app.platformKey): Promise<void> {
  const { json } = await app.graphql(
    `mutation { ${mutation} { suspenseEntry { state } errors { code message path } } }`,
    {},
    { key },
  );
  expect(errorsIn(json)).toBeUndefined();
}

test('L54: waiting for a decision: it is gone, once; reported as final again, it is back', async () => {
  const { own, deposit, dropped } = await stray();
  const outcomes = await Promise.all([told(dropped), told(dropped)]);
  expect(outcomes.sort()).toEqual(['duplicate', 'suspense']);
  expect(await told(dropped)).toBe('duplicate');
  expect(await stateOf(own)).toBe('dropped');
  expect(await journalsOf(own.accountId)).toBe('L37 L54');
  expect(await bookOf(own.accountId)).toEqual({});
  expect([await told(deposit), await told(deposit)]).toEqual(['suspense', 'duplicate']);
  expect(await stateOf(own)).toBe('dropped open');
  expect([await told(dropped), await told(dropped)]).toEqual(['suspense', 'duplicate']);
  expect(await told(deposit)).toBe('suspense');
  expect(await stateOf(own)).toBe('dropped dropped open');
  await verified(own.accountId);
});

test('L55: assigned to the account that it was booked for: owed to the house', async () => {
  const { own, dropped, id } = await stray();
  await decide(
    `assignSuspense(input: { suspenseId: "${id}", account: "${own.accountId}", reason: "checked" })`,
  );
  expect(await told(dropped)).toBe('suspense');
  expect(await stateOf(own)).toBe('dropped');
  expect(await journalsOf(own.accountId)).toBe('L37 L38 L35 L55');
  expect(await bookOf(own.accountId)).toEqual({
    'A.recv TRX_TRX': '-9000000',
    'M.available TRX_TRX': '9000000',
  });
  await verified(own.accountId);
});

test('L56, L57: assigned to another account: that one owes it, over clearing', async () => {
  const { own, dropped, id } = await stray();
  const other = await app.addAccount();
  await decide(
    `assignSuspense(input: { suspenseId: "${id}", account: "${other.accountId}", reason: "checked" })`,
  );
  const { apiKey } = await app.addKey(await platformAccount(app.database, 'sandbox'), ['platform:risk']);
  await decide(
    `approveSuspense(input: { suspenseId: "${id}", account: "${other.accountId}", reason: "checked" })`,
    apiKey,
  );
  expect([await told(dropped), await told(dropped)]).toEqual(['suspense', 'duplicate']);
  expect(await journalsOf(own.accountId)).toBe('L37 L52 L56');
  expect(await bookOf(own.accountId)).toEqual({});
  expect(await journalsOf(other.accountId)).toBe('L53 L35 L57');
  expect(await bookOf(other.accountId)).toEqual({
    'A.recv TRX_TRX': '-9000000',
    'M.available TRX_TRX': '9000000',
  });
  expect(await clearingDefects(app.database)).toEqual([]);
  await Promise.all([verified(own.accountId), verified(other.accountId)]);
});

test('L58: sent back: waits until that has ended, and then the house bears it', async () => {
  const { own, dropped, id } = await stray();
  await decide(`returnSuspense(input: { suspenseId: "${id}", reason: "checked" })`);
  expect(await told(dropped)).toBe('pending');
  await app.services.sandbox?.advanceClock(2_000);
  await settle(app.services, SILENT);
  expect(await stateOf(own)).toBe('returned');
  expect(await told(dropped)).toBe('suspense');
  expect(await stateOf(own)).toBe('dropped');
  expect(await journalsOf(own.accountId)).toBe('L37 L51 L12 L58');
  expect(await bookOf(own.accountId)).toEqual({
    'A.custody TRX_TRX': '21300000',
    'E.capital TRX_TRX': '-9000000',
    'R.netfee TRX_TRX': '1100000',
    'X.gas TRX_TRX': '-13400000',
  });
  expect(
    (await eventOf(`chain:TRX:${dropped.txHash}:0`)).map(({ kind, outcome }) => `${kind} ${outcome}`),
  ).toContain('deposit_dropped suspense');
  await verified(own.accountId);
});
