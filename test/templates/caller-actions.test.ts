/** Goal: the machines say which actions are possible, and what each moves. Method: rows at steps, planned without a database. */
import { getNamedType, isInputObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { callerActions } from '../../src/templates/caller-actions.ts';
import { NO_FACTS, type ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const NOW = Date.parse('2026-07-01T12:00:00Z');
const MUTATIONS = buildSchema(REGISTRY).getMutationType()?.getFields() ?? {};

/** A converted payment of 100 BRL with a fee of 1 BRL for 18 USDT. */
const rowAt = (template: string, step: string, given: Partial<ProcessRow> = {}): ProcessRow => {
  const [component = '', state = ''] = step.split('/');
  const facts = { ...NO_FACTS, sourceCurrency: 'BRL', sourceAmount: '100.00', fees: '1.00' };
  const times = { createdAt: '2026-07-01 11:00:00.000000+00', updatedAt: '2026-07-01 11:00:00.000000+00' };
  const process = { sequence: 3, createdBy: 'key', paid: '100.00' };
  const target = { targetCurrency: 'USDT_TRX', targetAmount: '18' };
  const row = { ...facts, ...target, ...times, template, component, state, process, depositFrom: null };
  return { ...row, accountId: 7n, end2end: 'CRX1', errorEn: '', errorPt: '', ...given } as ProcessRow;
};

const actionsAt = (row: ProcessRow, nowMs = NOW) => callerActions(REGISTRY.of(row.template), row, nowMs);
const shown = (row: ProcessRow, nowMs?: number) =>
  actionsAt(row, nowMs).map(({ name, effects }) => [
    name,
    ...effects.map(({ kind, subAccount, amount, currency }) =>
      [kind, subAccount, amount, currency.code].filter((each) => each !== null).join(' '),
    ),
  ]);

test('every action is a mutation of the schema, whose input has the members of the action', () => {
  for (const { name, steps } of REGISTRY.templates)
    for (const { component, state } of steps) {
      const deposit = { txHash: '0x', logIndex: 0, amount: '20', isLate: false, from: 'T' };
      const row = rowAt(name, `${component}/${state}`, { depositFrom: 'T' });
      const process = { ...row.process, deposit, disputed: '1' } as ProcessRow['process'];
      for (const { mutation, rules } of actionsAt({ ...row, process })) {
        const input = getNamedType(MUTATIONS[mutation]?.args[0]?.type);
        const known = isInputObjectType(input) ? Object.keys(input.getFields()) : [];
        expect([mutation, Object.keys(rules).filter((rule) => !known.includes(rule))]).toEqual([
          mutation,
          [],
        ]);
      }
    }
});

test('a refund takes the crypto from the balance and returns BRL', () => {
  expect(shown(rowAt('onramp', 'success/DONE'))).toEqual([
    ['refund_payment', 'debit available 18 USDT_TRX', 'refund 100 BRL'],
  ]);
});

test('while a part is on its way back, only a part of the rest can be refunded', () => {
  const returns = [
    {
      returnId: 'D1',
      kind: 'part',
      state: 'requested',
      amount: '40.00',
      requestedAt: '2026-07-01T11:30:00Z',
      part: { brl: '4000', fee: '40', crypto: '7200000' },
    },
  ] as const;
  const row = rowAt('onramp', 'success/DONE', {
    process: { sequence: 4, createdBy: 'key', paid: '100.00', returns },
  });
  const [action] = actionsAt(row);
  expect(action?.rules.amount).toEqual({ isRequired: true, max: '59.99' });
  expect(action?.effects.at(-1)).toMatchObject({ kind: 'refund', amount: '59.99' });
});

test('a payment of more than 90 days ago cannot be refunded', () => {
  expect(shown(rowAt('onramp', 'success/DONE'), NOW + 91 * 86_400_000)).toEqual([]);
});

test('a held payment is converted, or returned', () => {
  expect(shown(rowAt('onramp', 'compliance/UNCOMPLIANT'))).toEqual([
    ['release_hold', 'credit to_receive 18 USDT_TRX'],
    ['reject_hold', 'refund 100 BRL'],
  ]);
});

test('cancelling a charge moves nothing', () => {
  expect(shown(rowAt('onramp', 'depositpix/QRCODE'))).toEqual([['cancel']]);
});

test('cancelling a withdrawal releases its reservation; its approval sends the amount without the network fee', () => {
  const process = { sequence: 2, createdBy: 'key', needsApproval: true, worth: '60.00' };
  const row = rowAt('withdraw_dash_same_curr', 'approval_withdrawl_dash/PENDING', {
    process,
    sourceCurrency: 'USDT_TRX',
    sourceAmount: '10',
    targetAmount: '9',
    networkFee: '1',
  });
  expect(shown(row)).toEqual([
    ['approve_money_out', 'payout 9 USDT_TRX'],
    ['reject_money_out', 'credit available 10 USDT_TRX', 'debit in_transit 10 USDT_TRX'],
    ['cancel', 'credit available 10 USDT_TRX', 'debit in_transit 10 USDT_TRX'],
  ]);
});

test('a held deposit is converted at the price of that time, kept whole, or sent back whole', () => {
  const deposit = { txHash: '0x', logIndex: 0, amount: '20', isLate: false, from: 'T1' };
  const row = rowAt('offramp_instant', 'crypto_deposit/OVERPAID', {
    process: { sequence: 5, createdBy: 'key', deposit },
    depositFrom: 'T1',
    sourceCurrency: 'USDT_TRX',
    sourceAmount: '18',
    targetCurrency: 'BRL',
    targetAmount: '95.00',
  });
  expect(shown(row)).toEqual([
    ['requote_deposit', 'debit blocked 20 USDT_TRX', 'payout BRL'],
    ['keep_deposit', 'credit available 20 USDT_TRX', 'debit blocked 20 USDT_TRX'],
    ['refund_deposit', 'refund 20 USDT_TRX'],
  ]);
  const lost = { ...row, process: { ...row.process, deposit: { ...deposit, isLost: true } } } as ProcessRow;
  expect(shown(lost).map(([name]) => name)).toEqual(['keep_deposit']);
});

test('a quote is accepted as long as its price holds; out of the balance that reserves the amount', () => {
  const row = rowAt('offramp', 'quote/QUOTE', {
    process: { sequence: 1, createdBy: 'key', pricedAt: new Date(NOW).toISOString() },
    sourceCurrency: 'USDT_TRX',
    sourceAmount: '18',
    targetCurrency: 'BRL',
    targetAmount: '95.00',
    pixKey: 'a@b.example',
    pixKeyType: 'email',
  });
  expect(shown(row)).toEqual([
    ['accept_quote', 'debit available 18 USDT_TRX', 'credit in_transit 18 USDT_TRX', 'payout 95 BRL'],
    ['cancel'],
  ]);
  expect(actionsAt(row)[0]?.permission).toBe('balance.pay_out');
  expect(shown(row, NOW + 86_400_000).map(([name]) => name)).toEqual(['cancel']);
});

test('while money out waits for approval, nothing else leaves', () => {
  const approval = {
    maker: 'key',
    reason: 'threshold',
    needed: 1,
    by: [],
    askedAt: new Date(NOW).toISOString(),
    trigger: { on: 'payment_refunded', amount: '50.00' },
  } as const;
  const row = rowAt('onramp', 'success/DONE', {
    process: { sequence: 3, createdBy: 'key', paid: '100.00', approval },
  });
  expect(shown(row)).toEqual([
    ['approve_money_out', 'debit available 9 USDT_TRX', 'refund 50 BRL'],
    ['reject_money_out'],
  ]);
  expect(actionsAt(row)[0]?.rules.requestedAt).toEqual({ value: approval.askedAt });
  const two = rowAt('onramp', 'success/DONE', {
    process: { sequence: 3, createdBy: 'key', paid: '100.00', approval: { ...approval, needed: 2 } },
  });
  expect(shown(two)).toEqual([['approve_money_out'], ['reject_money_out']]);
});

test('imported history accepts no action', () => {
  expect(shown(rowAt('onramp', 'success/DONE', { process: null }))).toEqual([]);
});
