/**
 * Onramp to Address: the customer pays BRL by PIX; crypto is delivered on-chain to an external wallet.
 *
 * Life of the money: PIX received → converted at the locked quote → sent to the wallet, less the network fee →
 * confirmed. A delivery that fails permanently is credited to the account balance instead.
 * @see `service.md` 2.3, states.json
 */
import { label } from '../base/text/label.ts';
import * as journals from '../ledger/journals.ts';
import { deliveryOf, targetOf } from './amounts.ts';
import { attribute, defineTemplate, type Step, step } from './define.ts';
import { gasJournals } from './gas.ts';
import { ONRAMP_ATTRIBUTES, ONRAMP_ENTERING, ONRAMP_STEPS, ONRAMP_TRANSITIONS } from './onramp.ts';
import { paidTransitions } from './pix-in-machine.ts';
import { DISPUTE_STEPS, PIX_REFUND_STEPS } from './pix-in-steps.ts';
import { ofTarget } from './post-moves.ts';
import { SUCCESS_STEP } from './shared-steps.ts';
import { when } from './transition.ts';

const STEPS: readonly Step[] = [
  ...ONRAMP_STEPS,
  step(
    ['crypto_out', 'INITIAL'],
    'Processing',
    label('Sending Crypto', 'Enviando Cripto'),
    label('The crypto transfer is being prepared', 'A transferência de cripto está sendo preparada'),
  ),
  step(
    ['crypto_out', 'BROADCAST'],
    'Processing',
    label('Awaiting Network Confirmation', 'Aguardando Confirmação da Rede'),
    label(
      'Transfer broadcast; awaiting network confirmation',
      'Transferência enviada; aguardando confirmação da rede',
    ),
  ),
  SUCCESS_STEP,
  step(
    ['partial_success', 'DONE'],
    'Partial Success',
    label('Credited to Account Balance', 'Creditado no Saldo da Conta'),
    label(
      'The on-chain transfer failed; the crypto was credited to the account balance',
      'A transferência on-chain falhou; a cripto foi creditada no saldo da conta',
    ),
    { error: true, ending: 'final' },
  ),
  ...PIX_REFUND_STEPS,
  ...DISPUTE_STEPS,
];

/** The template of onramps to an external wallet. */
export const onrampInstant = defineTemplate({
  name: 'onramp_instant',
  typeName: 'OnrampInstant',
  product: 'Onramp to Address',
  direction: 'Customer pays BRL by PIX; crypto is delivered on-chain to an external wallet',
  family: 'onramps',
  attributes: [
    ...ONRAMP_ATTRIBUTES,
    attribute('wallet', 'text', 'wallet', 'Destination wallet address.'),
    attribute('tx_hash', 'hash', 'txHash', 'On-chain hash of the delivery.'),
    attribute('network_fee', 'exact', 'networkFee', 'Blockchain network fee charged.'),
  ],
  steps: STEPS,
  stepUp: 'after_payment',
  crypto: 'external',
  machine: {
    transitions: [
      ...ONRAMP_TRANSITIONS,
      ...paidTransitions(STEPS),
      when('swap_settled', 'swap_transfer/INITIAL', 'crypto_out/INITIAL', { moneyOut: 'fixed' }),
      when('delivery_broadcast', 'crypto_out/INITIAL', 'crypto_out/BROADCAST', {
        set: ({ trigger: { txHash } }) => ({ facts: { txHash } }),
        post: (view) => [
          journals.deliveryBroadcast(targetOf(view.row).currency, deliveryOf(view.row)),
          ...gasJournals(view),
        ],
      }),
      when('delivery_confirmed', 'crypto_out/BROADCAST', 'success/DONE', {
        post: ofTarget(journals.deliveryConfirmed),
      }),
      when('delivery_failed', 'crypto_out/INITIAL', 'partial_success/DONE', {
        post: ({ row }) => [journals.creditAccount(targetOf(row).currency, deliveryOf(row).amount)],
      }),
      when('delivery_failed', 'crypto_out/BROADCAST', 'partial_success/DONE', {
        post: ({ row }) => [journals.deliveryFailed(targetOf(row).currency, deliveryOf(row))],
      }),
    ],
    entering: { ...ONRAMP_ENTERING, 'crypto_out/INITIAL': ['send_funds'] },
  },
});
