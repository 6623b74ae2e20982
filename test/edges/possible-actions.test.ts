/**
 * Goal: `possibleActions` lists exactly the actions that then succeed, and moves what it says, at every step of every template,
 * for a key and for a person. Method: transactions on the real ledger, put to each place that the machines can come to; there each
 * action that is not listed is tried and refused; each that is listed is performed on a transaction of its own, with the
 * input that it names, and the balances before and after are compared with its effects.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS } from '../../src/base/access/actions.ts';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { sum } from '../../src/base/money/money.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { findProcess } from '../../src/store/engine/processes.ts';
import { setAheadMs } from '../../src/store/rails/sandbox.ts';
import { CALLER_ACTIONS, callerActions } from '../../src/templates/caller-actions.ts';
import type { Template } from '../../src/templates/define.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { stand } from '../resolvers/inbound/harness.ts';
import { type Answer, useApp } from '../support/app.ts';
import { fundAccount } from '../support/fund-account.ts';
import { DURING_MS } from '../support/machine.ts';
import { signInAs } from '../support/people.ts';
import { type Position, placesOf } from '../support/places.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp({ role: 'serve' });
/** Places side by side. */
const ABREAST = 6;

/** A caller, by the operations that it sends. */
type Caller = (query: string, variables?: Record<string, unknown>) => Promise<Answer>;
interface Argument {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly value: string | null;
  readonly max: string | null;
}
interface Effect {
  readonly kind: string;
  readonly subAccount: string | null;
  readonly money: { readonly amount: string; readonly currency: { readonly code: string } } | null;
}
interface Listed {
  readonly action: string;
  readonly mutation: string;
  readonly arguments: readonly Argument[];
  readonly effects: readonly Effect[];
}

const POSSIBLE = `query($end2end: String!) { transaction(end2end: $end2end) { possibleActions {
  action mutation arguments { name type isRequired value max } effects { kind subAccount money { amount currency { code } } } } } }`;
const BALANCES = '{ balances { currency { code } available inTransit toReceive blocked } }';
const SUB_ACCOUNTS = {
  available: 'available',
  in_transit: 'inTransit',
  to_receive: 'toReceive',
  blocked: 'blocked',
};

/** What a caller fills in, by the name of the argument. */
const FILLED: Readonly<Record<string, string>> = {
  amountPayment: '60',
  clientName: 'Ana Souza',
  clientTaxId: '52998224725',
  pixKey: 'ana@example.com',
  pixKeyType: 'EMAIL',
  reason: 'case 1',
  reference: 'paid at the bank',
};
const DEPOSIT = (resolution: string) => [['end2end'], ['resolution', resolution]] as const;
const IDENTITY = [['end2end'], ['clientName'], ['clientTaxId']] as const;
const OF_ACCOUNT = [['account'], ['end2end']] as const;
/** How each action is asked for where it is not listed. */
const UNLISTED: Readonly<Record<string, readonly [mutation: string, args: readonly (readonly string[])[]]>> =
  {
    ENTER_AMOUNT: ['enterAmount', [['end2end'], ['amountPayment']]],
    ACCEPT_QUOTE: ['acceptQuote', [['end2end']]],
    PROVIDE_IDENTITY: ['provideIdentity', IDENTITY],
    CONFIRM_IDENTITY: ['confirmIdentity', [['end2end']]],
    APPROVE_MONEY_OUT: ['approveMoneyOut', [['end2end']]],
    REJECT_MONEY_OUT: ['rejectMoneyOut', [['end2end']]],
    REQUOTE_DEPOSIT: ['resolveDeposit', DEPOSIT('REQUOTE')],
    KEEP_DEPOSIT: ['resolveDeposit', DEPOSIT('KEEP')],
    REFUND_DEPOSIT: ['resolveDeposit', DEPOSIT('REFUND')],
    REFUND_PAYMENT: ['refundPayment', [['end2end']]],
    CANCEL: ['cancelTransaction', [['end2end']]],
    RELEASE_HOLD: ['releaseHold', [...OF_ACCOUNT, ['reason']]],
    REJECT_HOLD: ['rejectHold', [...OF_ACCOUNT, ['reason']]],
    APPROVE_STEP_UP: ['approveStepUp', [...OF_ACCOUNT, ['reason']]],
    DENY_STEP_UP: ['denyStepUp', [...OF_ACCOUNT, ['reason']]],
    RETRY_REFUND: ['retryRefund', [...OF_ACCOUNT, ['reason']]],
    SETTLE_REFUND_BY_HAND: ['settleRefundByHand', [...OF_ACCOUNT, ['reference']]],
  };
const TYPES: Readonly<Record<string, string>> = {
  amountPayment: 'Decimal!',
  resolution: 'DepositResolution!',
};

/** Sends a mutation whose arguments are variables of the types that are said. */
async function send(
  caller: Caller,
  mutation: string,
  given: readonly { readonly name: string; readonly type: string; readonly value: string }[],
): Promise<Answer> {
  const variables = given.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  return caller(
    `mutation(${variables}) { ${mutation}(input: { ${passed} }) { transaction { end2end } errors { code message path } } }`,
    Object.fromEntries(given.map(({ name, value }) => [name, value])),
  );
}

function perform(caller: Caller, { mutation, arguments: taken }: Listed): Promise<Answer> {
  const given = taken.flatMap(({ name, type, isRequired, value, max }) => {
    const filled = value ?? (isRequired ? (FILLED[name] ?? max) : null);
    return filled === null ? [] : [{ name, type, value: filled }];
  });
  return send(caller, mutation, given);
}

/** Attempts the actions one after the other, in one document. @returns the errors of each. */
async function attempt(
  caller: Caller,
  actions: readonly string[],
  { accountId, end2end }: ProcessRow,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const own: Readonly<Record<string, string>> = { end2end, account: String(accountId) };
  const given = actions.map((action) => {
    const [mutation, args] = UNLISTED[action] ?? ['', []];
    const members = args.map(([name = '', value]) => ({
      ...{ name, type: TYPES[name] ?? 'String!', variable: `${action}_${name}` },
      value: value ?? own[name] ?? FILLED[name] ?? '',
    }));
    return { action, mutation, members };
  });
  const all = given.flatMap(({ members }) => members);
  const fields = given.map(({ action, mutation, members }) => {
    const passed = members.map(({ name, variable }) => `${name}: $${variable}`).join(', ');
    return `${action}: ${mutation}(input: { ${passed} }) { transaction { end2end } errors { code message path } }`;
  });
  const variables = all.map(({ variable, type }) => `$${variable}: ${type}`).join(', ');
  const { json } = await caller(
    `mutation(${variables}) { ${fields.join(' ')} }`,
    Object.fromEntries(all.map(({ variable, value }) => [variable, value])),
  );
  const errors: readonly { readonly path?: readonly unknown[] }[] = errorsIn(json) ?? [];
  return new Map(actions.map((action) => [action, errors.filter(({ path }) => path?.[0] === action)]));
}

async function listedFor(caller: Caller, { end2end }: ProcessRow): Promise<readonly Listed[]> {
  const { json, text } = await caller(POSSIBLE, { end2end });
  expect(errorsIn(json), text).toBeUndefined();
  return json.data.transaction.possibleActions;
}

async function balancesOf(caller: Caller): Promise<ReadonlyMap<string, string>> {
  const { json } = await caller(BALANCES);
  const balances: Record<string, string & { code: string }>[] = json.data.balances;
  return new Map(
    balances.flatMap((each) =>
      Object.entries(SUB_ACCOUNTS).map(
        ([name, field]) => [`${name} ${each.currency?.code}`, each[field] as string] as const,
      ),
    ),
  );
}

/** What was booked, as effects say it. */
function booked(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].flatMap(([name, amount]) => {
    const delta = sum([amount, negative(before.get(name) ?? '0')]);
    return Number(delta) === 0 ? [] : [`${name} ${Number(delta)}`];
  });
}

const negative = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

function message(effects: readonly Effect[]): string[] {
  return effects.flatMap(({ kind, subAccount, money }) => {
    if (subAccount === null || money === null) return [];
    return [`${subAccount} ${money.currency.code} ${kind === 'CREDIT' ? '' : '-'}${Number(money.amount)}`];
  });
}

/** Places that differ in their step or in what the machine takes there. */
function differing(template: Template): readonly Position[] {
  const places = new Map<string, Position>();
  for (const place of placesOf(template)) {
    const actions = callerActions(template, place.run.row, DURING_MS);
    const key = JSON.stringify([place.step, actions.map(({ name, mutation }) => [name, mutation])]);
    if (!places.has(key)) places.set(key, place);
  }
  return [...places.values()];
}

interface Stage {
  readonly accountId: bigint;
  readonly place: Position;
  readonly at: string;
}

async function standAt({ accountId, place }: Stage): Promise<ProcessRow> {
  // The sessions of the places end soon after it.
  await setAheadMs(app.database, DURING_MS - Date.now());
  const row = await stand(app.services, accountId, place);
  // The refund of a payment needs the balance that it was credited to; other money of the account may cover it.
  if (Object.keys(place.means).length > 0)
    await fundAccount(app.database, accountId, { currency: 'USDT_TRX', amount: '500' });
  return (await findProcess(app.database, accountId, row.end2end)) as ProcessRow;
}

async function refusesOthers(stage: Stage, caller: Caller, row: ProcessRow, names: readonly string[]) {
  const others = Object.keys(UNLISTED).filter((action) => !names.includes(action));
  for (const [action, errors] of await attempt(caller, others, row))
    expect(errors.length, `${stage.at}: ${action} ${JSON.stringify(errors)}`).toBe(1);
  const after = await findProcess(app.database, row.accountId, row.end2end);
  expect([after?.component, after?.state, after?.process?.sequence], stage.at).toEqual([
    row.component,
    row.state,
    row.process?.sequence,
  ]);
}

/** Actions that were performed somewhere. */
const performed = new Set<string>();

async function performsListed(stage: Stage, caller: Caller, listed: readonly Listed[]) {
  for (const { action } of listed) {
    const row = await standAt(stage);
    const again = (await listedFor(caller, row)).find((each) => each.action === action);
    expect(again, `${stage.at}: ${action}`).toBeDefined();
    if (!again) continue;
    const before = await balancesOf(caller);
    const { json, text } = await perform(caller, again);
    expect(errorsIn(json), `${stage.at}: ${action} ${text}`).toBeUndefined();
    performed.add(action);
    const effects = booked(before, await balancesOf(caller));
    // Money out that the balance does not cover ends the transaction instead.
    const isShort = Object.keys(stage.place.means).length === 0 && effects.length === 0;
    if (!isShort) expect(effects.sort(), `${stage.at}: ${action}`).toEqual(message(again.effects).sort());
  }
}

const PLATFORM = new Set([
  'RELEASE_HOLD',
  'REJECT_HOLD',
  'APPROVE_STEP_UP',
  'DENY_STEP_UP',
  'RETRY_REFUND',
  'SETTLE_REFUND_BY_HAND',
]);

async function examine({ name }: Template, place: Position): Promise<void> {
  const accountId = await createAccount(app.database, 'Actions', { templates: [name], mode: 'sandbox' });
  const { apiKey } = await app.addKey(accountId, SCOPES);
  const person = await signInAs(app, accountId, { email: `a${accountId}@example.com`, role: 'owner' });
  // Both were there before the clock of the places.
  await app.owner.query(
    `update api_key set created_at = '2026-01-01' where account_id = ${accountId};
     update membership set joined_at = '2026-01-01' where account_id = ${accountId}`,
  );
  const stage = { accountId, place, at: `${name} ${place.step} (${place.way.join(' ')})` };
  const key: Caller = (query, variables) => app.graphql(query, variables, { key: apiKey });
  const row = await standAt(stage);
  const listed = await listedFor(key, row);
  const own = await listedFor(person.graphql, row);
  const names = listed.map(({ action }) => action);
  expect(
    own.map(({ action }) => action),
    stage.at,
  ).toEqual(names.filter((action) => !PLATFORM.has(action)));
  await refusesOthers(stage, key, row, names);
  await refusesOthers(
    stage,
    person.graphql,
    row,
    own.map(({ action }) => action),
  );
  await performsListed(stage, key, listed);
  await performsListed(stage, person.graphql, own);
}

beforeAll(() => setAheadMs(app.database, DURING_MS - Date.now()));

test('every action has a test function', () => {
  expect(Object.keys(UNLISTED).sort()).toEqual(
    Object.keys(CALLER_ACTIONS)
      .map((name) => name.toUpperCase())
      .sort(),
  );
  const known = new Set<string>(
    Object.values(ACTIONS).flatMap(({ mutations }) => mutations as readonly string[]),
  );
  expect(Object.values(UNLISTED).filter(([mutation]) => !known.has(mutation))).toEqual([]);
});

describe.each(REGISTRY.templates)('$name', (template) => {
  test('lists exactly the actions that then succeed, at every step', { timeout: 900_000 }, async () => {
    const places = differing(template);
    for (let from = 0; from < places.length; from += ABREAST)
      await Promise.all(places.slice(from, from + ABREAST).map((place) => examine(template, place)));
  });
});

// Those of the operator are on nobody's list here; test/edges/step-ups.test.ts and its like perform them.
test('every action of an account holder was performed at some step', () => {
  const own = Object.keys(UNLISTED).filter((action) => !PLATFORM.has(action));
  expect([...performed].sort()).toEqual(own.sort());
});
