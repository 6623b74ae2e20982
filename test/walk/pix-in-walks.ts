/** Walks of the templates that begin with a PIX payment: checkout sessions and both onramps. */
import {
  customer,
  decide,
  disputeOpen,
  inTurn,
  LONG_S,
  mutate,
  mutation,
  play,
  playRefused,
  post,
  postRefused,
  rest,
  spend,
  wait,
} from './actions.ts';
import { type JournalUse, scenarioJournals } from './published.ts';
import { expectStatus, type Walk, type Walker } from './walker.ts';

const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PRICE = '550.00';
const CURRENCY = 'USDT_TRX';
const AVAILABLE = `${CURRENCY} available`;

/** What differs between the templates. */
interface PixIn {
  readonly template: string;
  readonly path: string;
  readonly mutation: string;
  readonly identity: string;
  readonly deposit: string;
  readonly swap: string;
  /** Steps and journals after the conversion, and what is left on the account. */
  readonly tail: readonly string[];
  readonly tailJournals: readonly JournalUse[];
  readonly change: Walk['change'];
  readonly wallet?: string;
}

const BALANCE_TAIL = { tail: ['success/DONE'], tailJournals: named('L3'), change: { [AVAILABLE]: 'crypto' } };
const ONRAMP = {
  path: '/v2/onramp',
  mutation: 'createOnramp',
  identity: 'valida_id',
  deposit: 'depositpix',
  swap: 'swap_transfer',
};
const CHECKOUT: PixIn = {
  template: 'crossramp_checkout',
  path: '/v2/crossramp_checkout',
  mutation: 'createCheckout',
  identity: 'valida_id_v2',
  deposit: 'depositpix_v2',
  swap: 'swap_transfer_v2',
  ...BALANCE_TAIL,
};
const TEMPLATES: readonly PixIn[] = [
  CHECKOUT,
  { ...ONRAMP, ...BALANCE_TAIL, template: 'onramp' },
  {
    ...ONRAMP,
    template: 'onramp_instant',
    tail: ['crypto_out/INITIAL', 'crypto_out/BROADCAST', 'success/DONE'],
    tailJournals: named('L10', 'L12', 'L11'),
    change: {},
    wallet: WALLET,
  },
];

function named(...names: readonly string[]): JournalUse[] {
  return names.map((name) => ({ name }));
}
const held = (name: string): JournalUse => ({ name, of: 'held' });

const REFUND = ['refund/INITIAL', 'refund/DONE'];
const QUOTED = ['quote/QUOTE', 'quote/ACCEPTED'];
const COLLECTED = [...QUOTED, 'pre_kyc/INFO'];

/** A walk of a template; what is usual is not said. */
type Row = Pick<Walk, 'name' | 'acts' | 'steps'> & Partial<Walk> & { readonly plan?: string };

function walksOf(pix: PixIn, rows: readonly Row[]): Walk[] {
  return rows.map(({ plan, ...row }) => ({
    template: pix.template,
    path: pix.path,
    make: rest((walker) => bodyOf(pix, walker, plan)),
    journals: [],
    change: {},
    ...row,
    name: `${pix.template}: ${row.name}`,
  }));
}

function bodyOf({ wallet }: PixIn, walker: Walker, plan?: string) {
  return {
    amount_payment: PRICE,
    currency_exit_received_code: CURRENCY,
    ...customer(walker),
    ...(wallet && { wallet }),
    ...(plan && { external_code: `order 7 sandbox:${plan}` }),
    expires_in: LONG_S,
  };
}

/** The steps of a template by what they mean. */
function stepsOf({ identity, deposit, swap, tail }: PixIn) {
  const begun = [...QUOTED, `${identity}/INITIAL`];
  const qrcode = `${deposit}/QRCODE`;
  const charged = [...begun, qrcode];
  const paid = [...charged, `${deposit}/PAID`];
  return {
    begun,
    qrcode,
    charged,
    paid,
    pending: `${identity}/PENDING`,
    review: `${identity}/REVIEW`,
    denied: `${identity}/DENIED`,
    swapped: [`${swap}/INITIAL`, ...tail],
    done: [...paid, `${swap}/INITIAL`, ...tail],
    of: (state: string) => `${deposit}/${state}`,
  };
}

const HELD = 'compliance/UNCOMPLIANT';
const DONE = 'success/DONE';

function payments(pix: PixIn): Row[] {
  const { charged, done, of, qrcode, swapped } = stepsOf(pix);
  const { change, tailJournals } = pix;
  const converted = [...named('L1', 'L2'), ...tailJournals];
  const refunded = { journals: named('L1', 'L4') };
  return [
    {
      name: 'success',
      scenario: pix.wallet ? 'onramp_instant success' : 'crossramp_checkout / onramp success',
      acts: [
        [qrcode, inTurn(playRefused('dispute-open'), playRefused('deposit'), play('pay'))],
        [
          DONE,
          inTurn(playRefused('release'), playRefused('expire'), postRefused('cancel', 409, 'STEP_CONFLICT')),
        ],
      ],
      steps: done,
      journals: scenarioJournals(
        pix.wallet ? 'onramp_instant success' : 'crossramp_checkout / onramp success',
      ),
      change,
    },
    {
      name: 'a payment that is told twice acts once',
      acts: [[qrcode, play('pay-twice')]],
      steps: done,
      journals: converted,
      change,
    },
    {
      name: 'somebody else paid',
      scenario: 'paid, KYC step-up denied / divergent titularity -> refund',
      acts: [[qrcode, play('pay-other-payer')]],
      steps: [...charged, of('DIVERGENT'), ...REFUND],
      ...refunded,
    },
    {
      name: 'paid after the end',
      acts: [[qrcode, play('pay-late')]],
      steps: [...charged, of('EXPIRED'), of('LATE'), ...REFUND],
      ...refunded,
    },
    {
      name: 'expired, then paid',
      acts: [
        [qrcode, play('expire')],
        [of('EXPIRED'), inTurn(wait('5s'), play('pay'))],
      ],
      steps: [...charged, of('EXPIRED'), of('LATE'), ...REFUND],
      ...refunded,
    },
    {
      name: 'paid too much',
      scenario: 'overpaid PIX, excess returned, rest converted',
      acts: [[qrcode, play('pay-over')]],
      steps: [...charged, of('OVERPAID'), ...swapped],
      journals: [...named('L1b', 'L9', 'L2'), ...tailJournals],
      change,
    },
    {
      name: 'paid a cent too much',
      acts: [[qrcode, play('pay-over', () => '550.01')]],
      steps: [...charged, of('OVERPAID'), ...swapped],
      journals: converted,
      change,
    },
    {
      name: 'paid too little',
      acts: [[qrcode, play('pay-under')]],
      steps: [...charged, of('UNDERPAID'), ...REFUND],
      ...refunded,
    },
    {
      name: 'the return fails',
      plan: 'refund-fail',
      acts: [[qrcode, play('pay-under', () => '0.01')]],
      steps: [...charged, of('UNDERPAID'), 'refund/INITIAL', 'refund/ERROR'],
      journals: named('L1'),
    },
    { name: 'cancelled', acts: [[qrcode, post('cancel')]], steps: [...charged, 'quote/CANCELLED'] },
    { name: 'expired', acts: [[qrcode, play('expire')]], steps: [...charged, of('EXPIRED')] },
  ];
}

function reviews(pix: PixIn): Row[] {
  const { begun, charged, denied, of, paid, pending, qrcode, review, swapped } = stepsOf(pix);
  const { change, identity, swap, tailJournals } = pix;
  const afterwards = [qrcode, of('PAID'), ...swapped];
  const converted = [...named('L1', 'L2'), ...tailJournals];
  const success = { journals: converted, change };
  return [
    {
      name: 'a closer look before the payment, approved',
      plan: 'step-up-require',
      acts: [
        [pending, play('step-up-approve')],
        [qrcode, play('pay')],
      ],
      steps: [...begun, pending, ...afterwards],
      ...success,
    },
    {
      name: 'extra verification before the payment, approved by mutation',
      mutations: ['approveStepUp'],
      plan: 'step-up-require',
      acts: [
        [pending, decide('approveStepUp', { reason: 'case 1' })],
        [qrcode, play('pay')],
      ],
      steps: [...begun, pending, ...afterwards],
      ...success,
    },
    {
      name: 'extra verification before the payment, denied by mutation',
      mutations: ['denyStepUp'],
      plan: 'step-up-require',
      acts: [[pending, decide('denyStepUp', { reason: 'case 2' })]],
      steps: [...begun, pending, denied],
    },
    {
      name: 'a closer look before the payment, denied',
      plan: 'step-up-require',
      acts: [[pending, play('step-up-deny')]],
      steps: [...begun, pending, denied],
    },
    {
      name: 'manual review, approved',
      plan: 'identity-review',
      acts: [
        [review, play('step-up-approve')],
        [qrcode, play('pay')],
      ],
      steps: [...begun, review, ...afterwards],
      ...success,
    },
    {
      name: 'manual review, denied',
      plan: 'identity-review',
      acts: [[review, play('step-up-deny')]],
      steps: [...begun, review, denied],
    },
    {
      name: 'manual review, cancelled',
      plan: 'identity-review',
      acts: [[review, post('cancel')]],
      steps: [...begun, review, 'quote/CANCELLED'],
    },
    {
      name: 'an irregular document',
      plan: 'identity-irregular',
      acts: [],
      steps: [...begun, `${identity}/IRREGULAR`],
    },
    { name: 'no price', plan: 'quote-fail', acts: [], steps: ['quote/ERROR'] },
    {
      name: 'no charge can be made',
      plan: 'charge-fail',
      acts: [],
      steps: [...begun, qrcode.replace('QRCODE', 'ERROR')],
    },
    {
      name: 'a closer look after the payment, approved',
      acts: [
        [qrcode, inTurn(play('step-up-require'), play('pay'))],
        [pending, play('step-up-approve')],
      ],
      steps: [...paid, pending, ...swapped],
      ...success,
    },
    {
      name: 'a closer look after the payment, denied',
      scenario: 'paid, KYC step-up denied / divergent titularity -> refund',
      acts: [
        [qrcode, inTurn(play('step-up-require'), play('pay'))],
        [pending, play('step-up-deny')],
      ],
      steps: [...paid, pending, denied, ...REFUND],
      journals: scenarioJournals('paid, KYC step-up denied / divergent titularity -> refund'),
    },
    {
      name: 'held and released',
      plan: 'hold',
      acts: [
        [qrcode, play('pay')],
        [HELD, play('release')],
      ],
      steps: [...paid, HELD, ...swapped],
      ...success,
    },
    {
      name: 'held and rejected',
      plan: 'hold',
      acts: [
        [qrcode, play('pay')],
        [HELD, play('hold-reject')],
      ],
      steps: [...paid, HELD, ...REFUND],
      journals: named('L1', 'L4'),
    },
    {
      name: 'paid too much, held, released, and the conversion fails',
      plan: 'hold,swap-fail',
      acts: [
        [qrcode, play('pay-over')],
        [HELD, play('release')],
      ],
      steps: [...charged, of('OVERPAID'), HELD, `${swap}/INITIAL`, `${swap}/ERROR`, ...REFUND],
      journals: named('L1', 'L9', 'L2', 'L5', 'L4'),
    },
    {
      name: 'the conversion fails',
      scenario: 'paid, swap failed -> refund',
      plan: 'swap-fail',
      acts: [[qrcode, play('pay')]],
      steps: [...paid, `${swap}/INITIAL`, `${swap}/ERROR`, ...REFUND],
      journals: scenarioJournals('paid, swap failed -> refund'),
    },
    {
      name: 'held by hand: released by mutation',
      mutations: ['releaseHold'],
      plan: 'hold',
      acts: [
        [qrcode, play('pay')],
        [HELD, decide('releaseHold', { reason: 'case 4' })],
      ],
      steps: [...paid, HELD, ...swapped],
      ...success,
    },
    {
      name: 'held by hand: rejected by mutation',
      mutations: ['rejectHold'],
      plan: 'hold',
      acts: [
        [qrcode, play('pay')],
        [HELD, decide('rejectHold', { reason: 'case 4' })],
      ],
      steps: [...paid, HELD, ...REFUND],
      journals: named('L1', 'L4'),
    },
  ];
}

function disputes(pix: PixIn): Row[] {
  const { done, qrcode } = stepsOf(pix);
  const converted = [...named('L1', 'L2'), ...pix.tailJournals];
  const paidFor = [qrcode, play('pay')] as const;
  const opened = [...done, 'dispute/OPEN'];
  const isDelivered = pix.wallet !== undefined;
  const rejected: Row = {
    name: 'a dispute, rejected',
    acts: [paidFor, [DONE, disputeOpen], ['dispute/OPEN', play('dispute-reject')]],
    steps: [...opened, 'dispute/REJECTED'],
    journals: [...converted, held('L6'), held('L7')],
    change: pix.change,
  };
  const accepted: Row = {
    name: 'a dispute, accepted',
    acts: [paidFor, [DONE, disputeOpen], ['dispute/OPEN', play('dispute-accept')]],
    steps: [...opened, 'dispute/ACCEPTED'],
    journals: [...converted, held('L6'), held('L8')],
    change: { [AVAILABLE]: isDelivered ? '-held' : 'rest' },
  };
  const name = 'a dispute, accepted, when';
  if (isDelivered)
    return [
      { ...rejected, funds: { [CURRENCY]: '1000' } },
      { ...accepted, name: `${name} other funds are there`, funds: { [CURRENCY]: '1000' } },
      { ...accepted, name: `${name} a part of it is there`, funds: { [CURRENCY]: '0.000001' } },
      { ...accepted, name: `${name} nothing is there` },
      { ...rejected, name: 'a dispute, rejected, when nothing is there' },
    ];
  return [
    { ...rejected, scenario: 'completed, MED opened, rejected' },
    { ...accepted, scenario: 'completed, MED opened, accepted' },
    {
      ...accepted,
      name: `${name} all of it is spent`,
      scenario: 'completed and already withdrawn, MED accepted',
      acts: [paidFor, [DONE, inTurn(spend('all'), disputeOpen)], ['dispute/OPEN', play('dispute-accept')]],
    },
    {
      ...accepted,
      name: `${name} half of it is spent`,
      acts: [paidFor, [DONE, inTurn(spend('half'), disputeOpen)], ['dispute/OPEN', play('dispute-accept')]],
    },
    {
      ...rejected,
      name: 'a dispute, rejected, when half of it is spent',
      acts: [paidFor, [DONE, inTurn(spend('half'), disputeOpen)], ['dispute/OPEN', play('dispute-reject')]],
    },
  ];
}

/** Sessions that are made without a customer, or without accepting the quote: not on `/v2` but for checkouts. */
function sessions(pix: PixIn): Row[] {
  const { begun, charged, done, qrcode } = stepsOf(pix);
  const make = (input: object, named: boolean) =>
    mutation(pix.mutation, (walker) => ({
      amount: { brl: PRICE },
      currency: CURRENCY,
      expiresIn: LONG_S,
      ...(pix.wallet && { wallet: pix.wallet }),
      ...(named && { clientName: 'Ana Souza', clientTaxId: walker.taxId }),
      ...input,
    }));
  const mutations = [pix.mutation, 'acceptQuote', 'provideIdentity', 'confirmIdentity'];
  const identify = mutate('provideIdentity', ({ taxId }) => ({
    clientName: 'Ana Souza',
    clientTaxId: taxId,
  }));
  return [
    {
      name: 'accepted and identified step by step',
      mutations,
      make: make({ accept: false }, false),
      acts: [
        ['quote/QUOTE', mutate('acceptQuote')],
        ['pre_kyc/INFO', identify],
        ['pre_kyc/CONFIRM', inTurn(identify, mutate('confirmIdentity'))],
        [qrcode, play('pay')],
      ],
      steps: [...COLLECTED, 'pre_kyc/CONFIRM', ...done.slice(QUOTED.length)],
      journals: [...named('L1', 'L2'), ...pix.tailJournals],
      change: pix.change,
    },
    {
      name: 'over the limit of the customer',
      mutations,
      make: make({}, false),
      acts: [['pre_kyc/INFO', inTurn(usedUpDay(pix), identify)]],
      steps: [...COLLECTED, 'pre_kyc/LIMIT'],
    },
    {
      name: 'a quote that nobody accepts expires',
      mutations,
      make: make({ accept: false }, true),
      acts: [['quote/QUOTE', play('expire')]],
      steps: ['quote/QUOTE', 'quote/EXPIRED'],
    },
    {
      name: 'a quote is cancelled',
      mutations: [...mutations, 'cancelTransaction'],
      make: make({ accept: false }, true),
      acts: [['quote/QUOTE', mutate('cancelTransaction')]],
      steps: ['quote/QUOTE', 'quote/CANCELLED'],
    },
    {
      name: 'nobody identifies: cancelled',
      mutations,
      make: make({}, false),
      acts: [['pre_kyc/INFO', post('cancel')]],
      steps: [...COLLECTED, 'quote/CANCELLED'],
    },
    {
      name: 'so much that a closer look is due',
      make: rest((walker) => ({ ...bodyOf(pix, walker), amount_payment: '10000.01' })),
      ...(pix === CHECKOUT
        ? {
            acts: [
              [`${pix.identity}/PENDING`, play('step-up-approve')] as const,
              [qrcode, play('pay')] as const,
            ],
            steps: [...begun, `${pix.identity}/PENDING`, ...done.slice(begun.length)],
          }
        : {
            acts: [
              [qrcode, play('pay')] as const,
              [`${pix.identity}/PENDING`, play('step-up-approve')] as const,
            ],
            steps: [
              ...charged,
              `${pix.deposit}/PAID`,
              `${pix.identity}/PENDING`,
              ...done.slice(charged.length + 1),
            ],
          }),
      journals: [...named('L1', 'L2'), ...pix.tailJournals],
      change: pix.change,
    },
  ];
}

/** The customer moves what may be moved in a day, by another session. */
function usedUpDay(pix: PixIn) {
  return async (walker: Walker) => {
    const body = { ...bodyOf(pix, walker), amount_payment: '49999' };
    expectStatus(await walker.client.post(pix.path, body), 201);
  };
}

/** Timers that act when nobody does anything. */
function timers(pix: PixIn): Row[] {
  const { begun, charged, denied, of, paid, pending, qrcode, review } = stepsOf(pix);
  const soon = rest((walker) => ({ ...bodyOf(pix, walker), expires_in: 1_800 }));
  const rows: Row[] = [
    {
      name: 'nobody pays in time',
      make: soon,
      acts: [[qrcode, wait('31m')]],
      steps: [...charged, of('EXPIRED')],
    },
    {
      name: 'paid when the time was over',
      make: soon,
      acts: [
        [qrcode, wait('31m')],
        [of('EXPIRED'), play('pay-late')],
      ],
      steps: [...charged, of('EXPIRED'), of('LATE'), ...REFUND],
      journals: named('L1', 'L4'),
    },
    {
      name: 'nobody decides the closer look before the payment',
      plan: 'step-up-require',
      acts: [[pending, wait('24h')]],
      steps: [...begun, pending, denied],
    },
    {
      name: 'nobody decides the manual review',
      plan: 'identity-review',
      acts: [[review, wait('24h')]],
      steps: [...begun, review, denied],
    },
    {
      name: 'nobody decides the closer look after the payment',
      acts: [
        [qrcode, inTurn(play('step-up-require'), play('pay'))],
        [pending, wait('24h')],
      ],
      steps: [...paid, pending, denied, ...REFUND],
      journals: named('L1', 'L4'),
    },
  ];
  return rows.map((row) => ({ ...row, isAlone: true }));
}

/** What only a delivery to a wallet can meet. */
function deliveries(pix: PixIn): Row[] {
  const { paid, qrcode } = stepsOf(pix);
  const sending = [...paid, `${pix.swap}/INITIAL`, 'crypto_out/INITIAL'];
  return [
    {
      name: 'the delivery fails after it was broadcast',
      scenario: 'onramp_instant delivery failed -> Partial Success',
      plan: 'delivery-fail',
      acts: [[qrcode, play('pay')]],
      steps: [...sending, 'crypto_out/BROADCAST', 'partial_success/DONE'],
      journals: scenarioJournals('onramp_instant delivery failed -> Partial Success'),
      change: { [AVAILABLE]: 'crypto' },
    },
    {
      name: 'the delivery fails before it is broadcast',
      plan: 'broadcast-fail',
      acts: [[qrcode, play('pay')]],
      steps: [...sending, 'partial_success/DONE'],
      journals: named('L1', 'L2', 'L3'),
      change: { [AVAILABLE]: 'crypto' },
    },
    {
      name: 'delivered in a currency of 18 decimals',
      currency: 'ETH_ETH',
      make: rest((walker) => ({
        ...customer(walker),
        amount_received: '0.051234567890123456',
        currency_exit_received_code: 'ETH_ETH',
        wallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        expires_in: LONG_S,
      })),
      acts: [[qrcode, play('pay')]],
      steps: [...sending, 'crypto_out/BROADCAST', DONE],
      journals: named('L1', 'L2', 'L10', 'L12', 'L11'),
    },
  ];
}

/** What only a hosted session can meet. */
function openSessions(pix: PixIn): Row[] {
  const { done, qrcode } = stepsOf(pix);
  const open = (named: boolean) =>
    rest((walker) => ({
      currency_exit_received_code: CURRENCY,
      ...(named && customer(walker)),
      expires_in: LONG_S,
    }));
  const amount = 'static_entry/AMOUNT';
  const enter = (amountPayment: string) => mutate('enterAmount', { amountPayment });
  const identify = mutate('provideIdentity', ({ taxId }) => ({
    clientName: 'Ana Souza',
    clientTaxId: taxId,
  }));
  return [
    {
      name: 'an open amount, cancelled',
      make: open(true),
      acts: [[amount, post('cancel')]],
      steps: [amount, 'quote/CANCELLED'],
    },
    {
      name: 'an open amount, expired',
      make: open(false),
      acts: [[amount, play('expire')]],
      steps: [amount, 'quote/EXPIRED'],
    },
    {
      name: 'an open amount that cannot be priced',
      mutations: ['enterAmount'],
      make: open(true),
      acts: [[amount, enter('50000.01')]],
      steps: [amount, 'quote/ERROR'],
    },
    {
      name: 'an open amount, and an identity that is asked for',
      mutations: ['enterAmount', 'provideIdentity', 'confirmIdentity'],
      make: open(false),
      acts: [
        [amount, enter('123.45')],
        ['pre_kyc/INFO', identify],
        ['pre_kyc/CONFIRM', mutate('confirmIdentity')],
        [qrcode, play('pay')],
      ],
      steps: [amount, ...COLLECTED, 'pre_kyc/CONFIRM', ...done.slice(QUOTED.length)],
      journals: named('L1', 'L2', 'L3'),
      change: pix.change,
    },
    {
      name: 'an identity that is asked for: expired',
      make: rest({ amount_payment: PRICE, currency_exit_received_code: CURRENCY, expires_in: LONG_S }),
      acts: [['pre_kyc/INFO', play('expire')]],
      steps: [...COLLECTED, 'quote/EXPIRED'],
    },
  ];
}

/** The walks. */
export const PIX_IN_WALKS: readonly Walk[] = TEMPLATES.flatMap((pix) =>
  walksOf(pix, [
    ...payments(pix),
    ...reviews(pix),
    ...disputes(pix),
    ...sessions(pix),
    ...(pix.wallet ? deliveries(pix) : []),
    ...(pix === CHECKOUT ? openSessions(pix) : []),
    ...timers(pix),
  ]),
);
