/**
 * Onramp to Account: the customer pays BRL by PIX; crypto is credited to the account balance.
 *
 * Life of the money: PIX received → converted at the locked quote → available on the account. A payment that must not
 * be converted is refunded to the payer; a dispute (MED) blocks the amount until it is decided.
 * @see `service.md` 2.3, states.json
 */
import { label } from '../base/text/label.ts';
import * as journals from '../ledger/journals.ts';
import { type Attribute, attribute, defineTemplate, type Step } from './define.ts';
import { paidTransitions, pixInEntering, pixInTransitions } from './pix-in-machine.ts';
import { DISPUTE_STEPS, PIX_REFUND_STEPS, pixInSteps } from './pix-in-steps.ts';
import { ofTarget } from './post-moves.ts';
import { PIX_IN_ATTRIBUTES } from './shared-attributes.ts';
import { SUCCESS_STEP } from './shared-steps.ts';
import { type Entering, type Transition, when } from './transition.ts';

/** Attributes of both onramps (`service.md` 2.3, first block). */
export const ONRAMP_ATTRIBUTES: readonly Attribute[] = [
  ...PIX_IN_ATTRIBUTES,
  attribute('template', 'text', 'template', 'Which of the onramps this is.'),
];

const COMPONENTS = { identity: 'valida_id', deposit: 'depositpix', swap: 'swap_transfer' };

/** Transitions of both onramps up to the conversion. */
export const ONRAMP_TRANSITIONS: readonly Transition[] = pixInTransitions(COMPONENTS);

/** Effects of reaching steps of both onramps. */
export const ONRAMP_ENTERING: Entering = pixInEntering(COMPONENTS);

/** Steps of both onramps up to the conversion. */
export const ONRAMP_STEPS: readonly Step[] = pixInSteps({
  ...COMPONENTS,
  quoteReady: label('Quote Available', 'Cotação Disponível'),
  awaitingPayment: label('Awaiting PIX Deposit', 'Aguardando Depósito PIX'),
});

const STEPS: readonly Step[] = [...ONRAMP_STEPS, SUCCESS_STEP, ...PIX_REFUND_STEPS, ...DISPUTE_STEPS];

/** The template of onramps to the account balance. */
export const onramp = defineTemplate({
  name: 'onramp',
  typeName: 'Onramp',
  product: 'Onramp to Account',
  direction: 'Customer pays BRL by PIX; crypto is credited to the account balance',
  family: 'onramps',
  attributes: ONRAMP_ATTRIBUTES,
  steps: STEPS,
  stepUp: 'after_payment',
  crypto: 'balance',
  machine: {
    transitions: [
      ...ONRAMP_TRANSITIONS,
      ...paidTransitions(STEPS),
      when('swap_settled', 'swap_transfer/INITIAL', 'success/DONE', {
        post: ofTarget(journals.creditAccount),
      }),
    ],
    entering: ONRAMP_ENTERING,
  },
});
