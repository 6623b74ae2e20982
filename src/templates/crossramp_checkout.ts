/**
 * Crossramp Checkout: the customer pays BRL by PIX on a hosted page; crypto is credited to the account.
 *
 * Life of the money: PIX received → converted at the locked quote → available on the account. A payment that must not
 * be converted is refunded to the payer; a dispute (MED) blocks the amount until it is decided.
 * @see `service.md` 2.2, states.json
 */
import { label } from '../base/text/label.ts';
import * as journals from '../ledger/journals.ts';
import { attribute, defineTemplate, type Step, step } from './define.ts';
import { nameCharge, paidTransitions, pixInEntering, pixInTransitions } from './pix-in-machine.ts';
import { DISPUTE_STEPS, PIX_REFUND_STEPS, pixInSteps } from './pix-in-steps.ts';
import { ofTarget } from './post-moves.ts';
import { PIX_IN_ATTRIBUTES } from './shared-attributes.ts';
import { SUCCESS_STEP } from './shared-steps.ts';
import { when } from './transition.ts';

const COMPONENTS = { identity: 'valida_id_v2', deposit: 'depositpix_v2', swap: 'swap_transfer_v2' };

const STEPS: readonly Step[] = [
  step(
    ['static_entry', 'AMOUNT'],
    'Created',
    label('Collecting Amount', 'Informando Valor'),
    label('Customer is entering the amount', 'Cliente informando o valor'),
  ),
  ...pixInSteps({
    ...COMPONENTS,
    quoteReady: label('Quote Ready', 'Cotação Pronta'),
    awaitingPayment: label('Awaiting Payment', 'Aguardando Pagamento'),
  }),
  SUCCESS_STEP,
  ...PIX_REFUND_STEPS,
  ...DISPUTE_STEPS,
];

/** The template of hosted checkout sessions. */
export const crossrampCheckout = defineTemplate({
  name: 'crossramp_checkout',
  typeName: 'CrossrampCheckout',
  product: 'Crossramp Checkout',
  direction: 'Customer pays BRL by PIX on a hosted session; crypto is credited to the account',
  family: 'checkouts',
  attributes: [
    ...PIX_IN_ATTRIBUTES,
    {
      ...attribute(
        'fixed_link',
        'text',
        'fixedLink',
        'Path of the static link that the session was made from.',
      ),
      optional: true,
    },
  ],
  steps: STEPS,
  stepUp: 'before_payment',
  crypto: 'balance',
  machine: {
    transitions: [
      ...pixInTransitions(COMPONENTS),
      ...paidTransitions(STEPS),
      when('created', 'start', 'static_entry/AMOUNT', { set: nameCharge }),
      when('amount_given', 'static_entry/AMOUNT', 'quote/QUOTE', {
        set: ({ trigger: { price, pricedAt, expiresAt } }) => ({
          facts: { ...price, expiresAt },
          process: { pricedAt },
        }),
      }),
      when('quote_failed', 'static_entry/AMOUNT', 'quote/ERROR'),
      when('limit_exceeded', 'static_entry/AMOUNT', 'quote/ERROR'),
      when('expired', 'static_entry/AMOUNT', 'quote/EXPIRED'),
      when('cancelled', 'static_entry/AMOUNT', 'quote/CANCELLED'),
      when('swap_settled', `${COMPONENTS.swap}/INITIAL`, 'success/DONE', {
        post: ofTarget(journals.creditAccount),
      }),
    ],
    entering: { 'static_entry/AMOUNT': ['expire'], ...pixInEntering(COMPONENTS) },
  },
});
