/** Goal: a step says what it waits for. Method: the steps of every template, judged by their machines. */
import { expect, test } from 'vitest';
import { awaitedOf } from '../../src/templates/awaited.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const awaiting = (template: string, awaited: string) =>
  REGISTRY.of(template)
    .steps.filter((step) => awaitedOf(REGISTRY.of(template), step) === awaited)
    .map(({ component, state }) => `${component}/${state}`);

test('the payer is awaited while something can be entered or paid', () => {
  expect(awaiting('crossramp_checkout', 'payer')).toEqual([
    'static_entry/AMOUNT',
    'quote/QUOTE',
    'pre_kyc/INFO',
    'pre_kyc/CONFIRM',
    'depositpix_v2/QRCODE',
  ]);
  expect(awaiting('offramp_instant', 'payer')).toEqual([
    'quote/QUOTE',
    'pre_kyc/INFO',
    'crypto_deposit/WAITING_DEPOSIT',
    'crypto_deposit/DROPPED',
  ]);
  expect(awaiting('withdraw_dash_same_curr', 'payer')).toEqual([]);
});

test('a decision is awaited where a person, compliance or a bank decides', () => {
  expect(awaiting('onramp', 'decision')).toEqual([
    'valida_id/PENDING',
    'valida_id/REVIEW',
    'compliance/UNCOMPLIANT',
    'dispute/OPEN',
  ]);
  expect(awaiting('offramp_instant', 'decision')).toEqual([
    'kyc_payee/PENDING',
    'kyc_payee/REVIEW',
    'crypto_deposit/UNDERPAID',
    'crypto_deposit/OVERPAID',
    'crypto_deposit/LATE',
    'compliance/UNCOMPLIANT',
    'swap_transfer/ERROR',
    'pix_out/REJECTED',
  ]);
  expect(awaiting('offramp', 'decision')).toEqual([
    'quote/QUOTE',
    'pre_kyc/INFO',
    'kyc_payee/PENDING',
    'kyc_payee/REVIEW',
    'compliance/UNCOMPLIANT',
  ]);
  expect(awaiting('offramp', 'payer')).toEqual([]);
  expect(awaiting('withdraw_dash_same_curr', 'decision')).toEqual([
    'approval_withdrawl_dash/PENDING',
    'compliance/UNCOMPLIANT',
  ]);
});

test('a step that only imported history has waits for nothing', () => {
  expect(awaitedOf(REGISTRY.of('onramp'), { component: 'of_history', state: 'PENDING' })).toBeNull();
});
