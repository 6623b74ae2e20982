/**
 * Offramp from Account: crypto is debited from the account balance; BRL is sent to a payee by PIX.
 *
 * Life of the money: reserved from the available balance → converted at the locked quote → paid out by PIX. A failure
 * before the payout releases the reservation; a PIX that the payee's bank returns is credited in BRL.
 * @see `service.md` 2.4, states.json
 */
import { label } from '../base/text/label.ts';
import * as journals from '../ledger/journals.ts';
import { paidNow } from './admission.ts';
import { cents, conversionOut } from './amounts.ts';
import { attribute, defineTemplate, step } from './define.ts';
import { firstRelease, freeze, mayRelease, thaw } from './freezing.ts';
import {
  cameBackWhole,
  PAYEE_STEPS,
  PIX_OUT_ENTERING,
  payeePassed,
  payeeTransitions,
} from './pix-out-machine.ts';
import { PIX_SENDING_STEP, QUOTE_AND_PAYEE_STEPS, SWAP_OUT_STEP } from './pix-out-steps.ts';
import { ofSource } from './post-moves.ts';
import { PIX_OUT_ATTRIBUTES, ROUNDED_QUOTE_ATTRIBUTES } from './shared-attributes.ts';
import { SUCCESS_STEP } from './shared-steps.ts';
import { type Transition, type View, when } from './transition.ts';

const reserve = ofSource(journals.reserve);
const release = ofSource(journals.releaseReservation);
const releaseHeld = ofSource(journals.releaseHold);
/** The locked conversion is reversed exactly, then the reservation is released. */
const unwind = (view: View) => [journals.swapOutReversed(conversionOut(view.row)), ...release(view)];

const TRANSITIONS: readonly Transition[] = [
  ...payeeTransitions({ afterPayee: 'reserve/DONE', shortfall: 'reserve/ERROR', reserve, release }),
  ...payeePassed('swap_transfer/INITIAL', {
    set: paidNow,
    post: ({ row }) => [journals.swapOut(conversionOut(row))],
  }),
  when('limit_exceeded', PAYEE_STEPS, 'kyc_payee/DENIED', { post: release }),
  when('cleared', 'reserve/DONE', 'kyc_payee/INITIAL'),
  when('held', 'reserve/DONE', 'compliance/UNCOMPLIANT', { post: ofSource(journals.reservationHeld) }),
  when('frozen', 'reserve/DONE', 'compliance/UNCOMPLIANT', {
    set: freeze,
    post: ofSource(journals.reservationHeld),
  }),
  firstRelease('compliance/UNCOMPLIANT'),
  when('released', 'compliance/UNCOMPLIANT', 'kyc_payee/INITIAL', {
    when: mayRelease,
    set: thaw,
    post: ofSource(journals.reservationResumed),
  }),
  when('hold_rejected', 'compliance/UNCOMPLIANT', 'quote/CANCELLED', { post: releaseHeld }),
  when('cancelled', 'compliance/UNCOMPLIANT', 'quote/CANCELLED', { post: releaseHeld }),
  when('cancelled', 'reserve/DONE', 'quote/CANCELLED', { post: release }),
  when('swap_settled', 'swap_transfer/INITIAL', 'pix_out/SENDING', { moneyOut: 'reserved' }),
  when('swap_failed', 'swap_transfer/INITIAL', 'swap_transfer/ERROR', { post: unwind }),
  when('payout_settled', 'pix_out/SENDING', 'success/DONE', {
    set: ({ trigger }) => ({ facts: { pixE2e: trigger.endToEndId } }),
    post: ({ row }) => [journals.payoutSettled(cents(row.targetAmount))],
  }),
  when('payout_rejected', 'pix_out/SENDING', 'pix_out/REJECTED', { post: unwind }),
  when('payout_returned', 'success/DONE', 'pix_out/RETURNED', {
    when: cameBackWhole,
    post: ({ row }) => [journals.payoutReturned(cents(row.targetAmount))],
  }),
];

/** The template of offramps from the account balance. */
export const offramp = defineTemplate({
  name: 'offramp',
  typeName: 'Offramp',
  product: 'Offramp from Account',
  direction: 'Crypto is debited from the account balance; BRL is sent to a payee by PIX',
  family: 'offramps',
  attributes: [
    ...ROUNDED_QUOTE_ATTRIBUTES,
    attribute('currency_exit', 'currency_name', 'targetCurrency', 'Fiat payout currency, always BRL.'),
    attribute('currency_entry_paid', 'currency_name', 'sourceCurrency', 'Display name of the crypto asset.'),
    attribute('currency_entry_paid_code', 'currency_asset', 'sourceCurrency', 'Code of the crypto asset.'),
    attribute('amount_paid', 'amount', 'sourceAmount', 'Crypto debited from the balance.'),
    attribute('amount_sent', 'amount', 'targetAmount', 'BRL that the payee receives.'),
    ...PIX_OUT_ATTRIBUTES,
  ],
  steps: [
    ...QUOTE_AND_PAYEE_STEPS,
    step(
      ['reserve', 'DONE'],
      'Pending',
      label('Balance Reserved', 'Saldo Reservado'),
      label('The crypto amount was reserved from the balance', 'O valor em cripto foi reservado do saldo'),
    ),
    step(
      ['reserve', 'ERROR'],
      'Failed',
      label('Insufficient Balance', 'Saldo Insuficiente'),
      label(
        'The available balance does not cover this transaction',
        'O saldo disponível não cobre esta transação',
      ),
      { error: true, ending: 'final' },
    ),
    step(
      ['compliance', 'UNCOMPLIANT'],
      'Pending',
      label('Compliance Review', 'Análise de Conformidade'),
      label('Transaction held for compliance review', 'Transação retida para análise de conformidade'),
    ),
    SWAP_OUT_STEP,
    step(
      ['swap_transfer', 'ERROR'],
      'Failed',
      label('Swap Crypto → Fiat Failed', 'Falha na Conversão de Cripto para Reais'),
      label(
        'The conversion from crypto to BRL failed; the balance was restored',
        'A conversão de cripto para reais falhou; o saldo foi restaurado',
      ),
      { error: true, ending: 'final' },
    ),
    PIX_SENDING_STEP,
    step(
      ['pix_out', 'REJECTED'],
      'Failed',
      label('PIX Transfer Rejected', 'Transferência PIX Rejeitada'),
      label(
        'The PIX transfer was rejected; the balance was restored',
        'A transferência PIX foi rejeitada; o saldo foi restaurado',
      ),
      { error: true, ending: 'final' },
    ),
    SUCCESS_STEP,
    step(
      ['pix_out', 'RETURNED'],
      'Refunded',
      label('PIX Returned', 'PIX Devolvido'),
      label(
        'The payee bank returned the PIX; BRL was credited to the balance',
        'O banco do recebedor devolveu o PIX; o valor em BRL foi creditado no saldo',
      ),
      { error: true, ending: 'final' },
    ),
  ],
  stepUp: 'before_payment',
  crypto: 'balance',
  machine: { transitions: TRANSITIONS, entering: { ...PIX_OUT_ENTERING, 'reserve/DONE': ['screen'] } },
});
