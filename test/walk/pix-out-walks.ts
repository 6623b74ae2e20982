/** Walks of the templates that end with a PIX payout: offramps from the balance and from a deposit. */

import { sum } from '../../src/base/money/money.ts';
import {
  decide,
  depositWrong,
  inTurn,
  LONG_S,
  mutate,
  mutation,
  payee,
  play,
  playRefused,
  post,
  postRefused,
  refused,
  rest,
  spendAll,
  wait,
} from './actions.ts';
import { type JournalUse, scenarioJournals } from './published.ts';
import { expectStatus, newCpf, type Walk, type Walker } from './walker.ts';

const PATH = '/v2/offramp';
const CURRENCY = 'USDT_TRX';
const AVAILABLE = `${CURRENCY} available`;
/** One that an account is not likely to hold much of: where all of it is moved, limits must not be in the way. */
const RARE = 'USDC_POLYGON';
const AMOUNT = '100';
const REFUND_TO = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';

const QUOTED = ['quote/QUOTE', 'quote/ACCEPTED'];
const PAYEE = 'kyc_payee/INITIAL';
const PENDING = 'kyc_payee/PENDING';
const REVIEW = 'kyc_payee/REVIEW';
const DENIED = 'kyc_payee/DENIED';
const HELD = 'compliance/UNCOMPLIANT';
const SWAP = 'swap_transfer/INITIAL';
const SENDING = 'pix_out/SENDING';
const DONE = 'success/DONE';
const CANCELLED = 'quote/CANCELLED';
const PAID_OUT = [SWAP, SENDING, DONE];

const named = (...names: readonly string[]): JournalUse[] => names.map((name) => ({ name }));

type Row = Pick<Walk, 'name' | 'acts' | 'steps'> & Partial<Walk> & { readonly plan?: string };

function walksOf(template: string, usual: Partial<Walk>, from: string, rows: readonly Row[]): Walk[] {
  return rows.map(({ plan, ...row }) => ({
    template,
    path: PATH,
    make: rest((walker) => bodyOf(walker, from, plan)),
    journals: [],
    change: {},
    ...usual,
    ...row,
    name: `${template}: ${row.name}`,
  }));
}

function bodyOf(walker: Walker, from: string, plan?: string) {
  return {
    amount_paid: AMOUNT,
    currency_entry_paid_code: CURRENCY,
    ...payee(walker),
    from,
    ...(plan && { external_code: `sandbox:${plan}` }),
    expires_in: LONG_S,
  };
}

/** Made by mutation: the payee is asked for, or the quote has to be accepted. */
function session(from: 'BALANCE' | 'EXTERNAL', input: object, isNamed = false) {
  return mutation('createOfframp', ({ taxId }) => ({
    amount: { crypto: AMOUNT },
    currency: CURRENCY,
    from,
    expiresIn: LONG_S,
    ...(isNamed && {
      clientName: 'Ana Souza',
      clientTaxId: taxId,
      pixKey: 'ana@example.com',
      pixKeyType: 'EMAIL',
    }),
    ...input,
  }));
}

const SESSION_MUTATIONS = ['createOfframp', 'acceptQuote', 'provideIdentity'];
const identify = mutate('provideIdentity', ({ taxId }) => ({
  clientName: 'Ana Souza',
  clientTaxId: taxId,
  pixKey: taxId,
  pixKeyType: 'CPF',
}));
/** A CPF as PIX key, which is somebody else's. */
const strangersKey = (from: string) =>
  rest((walker) => ({ ...bodyOf(walker, from), pix_key: newCpf(), pix_key_type: 'cpf' }));
/** The payee gets what may be paid out in a day, by another offramp from outside. */
const usedUpDay = async (walker: Walker) => {
  const { amount_paid, ...body } = bodyOf(walker, 'external');
  const other = { ...body, amount_sent: '49999' };
  expectStatus(await walker.client.post(PATH, other), 201);
};

/** Both templates: before anything is converted, without a reservation or with one. */
function payeeRows(
  from: 'BALANCE' | 'EXTERNAL',
  before: readonly string[],
  released: readonly JournalUse[],
): Row[] {
  const asked = [...QUOTED, 'pre_kyc/INFO'];
  const wire = from.toLowerCase();
  return [
    {
      name: 'the closer look at the payee is denied',
      plan: 'step-up-require',
      acts: [[PENDING, play('step-up-deny')]],
      steps: [...before, PAYEE, PENDING, DENIED],
      journals: released,
    },
    {
      name: 'extra verification of the payee, denied by mutation',
      mutations: ['denyStepUp'],
      plan: 'step-up-require',
      acts: [[PENDING, decide('denyStepUp', { reason: 'case 3' })]],
      steps: [...before, PAYEE, PENDING, DENIED],
      journals: released,
    },
    {
      name: 'manual review of the payee, denied',
      plan: 'identity-review',
      acts: [[REVIEW, play('step-up-deny')]],
      steps: [...before, PAYEE, REVIEW, DENIED],
      journals: released,
    },
    {
      name: 'an irregular document of the payee',
      plan: 'identity-irregular',
      acts: [],
      steps: [...before, PAYEE, DENIED],
      journals: released,
    },
    { name: 'no price', plan: 'quote-fail', acts: [], steps: ['quote/ERROR'] },
    {
      name: 'the key of somebody else',
      make: strangersKey(wire),
      acts: [],
      steps: [...before, PAYEE, 'kyc_payee/DIVERGENT'],
      journals: released,
    },
    {
      name: 'cancelled in manual review',
      plan: 'identity-review',
      acts: [[REVIEW, post('cancel')]],
      steps: [...before, PAYEE, REVIEW, CANCELLED],
      journals: released,
    },
    {
      name: 'nobody decides the closer look',
      plan: 'step-up-require',
      acts: [[PENDING, wait('24h')]],
      steps: [...before, PAYEE, PENDING, DENIED],
      journals: released,
      isAlone: true,
    },
    {
      name: 'nobody decides the manual review',
      plan: 'identity-review',
      acts: [[REVIEW, wait('24h')]],
      steps: [...before, PAYEE, REVIEW, DENIED],
      journals: released,
      isAlone: true,
    },
    {
      name: 'the payee is over the limit of the day',
      mutations: SESSION_MUTATIONS,
      make: session(from, {}),
      acts: [['pre_kyc/INFO', inTurn(usedUpDay, identify)]],
      steps: [...asked, 'pre_kyc/LIMIT'],
    },
    {
      name: 'a quote that nobody accepts expires',
      mutations: SESSION_MUTATIONS,
      make: session(from, { accept: false }, true),
      acts: [['quote/QUOTE', play('expire')]],
      steps: ['quote/QUOTE', 'quote/EXPIRED'],
    },
    {
      name: 'nobody names the payee: expired',
      mutations: SESSION_MUTATIONS,
      make: session(from, {}),
      acts: [['pre_kyc/INFO', play('expire')]],
      steps: [...asked, 'quote/EXPIRED'],
    },
    {
      name: 'nobody names the payee: cancelled',
      mutations: SESSION_MUTATIONS,
      make: session(from, {}),
      acts: [['pre_kyc/INFO', post('cancel')]],
      steps: [...asked, CANCELLED],
    },
  ];
}

const RESERVED = [...QUOTED, 'reserve/DONE'];
const TO_PAY = [...RESERVED, PAYEE];
const GIVEN_BACK = named('L20', 'L23');
const SPENT = { journals: named('L20', 'L21', 'L22'), change: { [AVAILABLE]: '-crypto' } };

const OFFRAMP_ROWS: readonly Row[] = [
  {
    name: 'success',
    scenario: 'offramp success',
    acts: [[DONE, inTurn(postRefused('cancel', 409, 'STEP_CONFLICT'), playRefused('release'))]],
    steps: [...TO_PAY, ...PAID_OUT],
    journals: scenarioJournals('offramp success'),
    change: { [AVAILABLE]: '-crypto' },
  },
  {
    name: 'by the amount that is sent, in a currency of 18 decimals',
    currency: 'ETH_ETH',
    funds: { ETH_ETH: '0.1' },
    make: rest((walker) => {
      const { amount_paid, ...body } = bodyOf(walker, 'balance');
      return { ...body, amount_sent: '777.77', currency_entry_paid_code: 'ETH' };
    }),
    acts: [],
    steps: [...TO_PAY, ...PAID_OUT],
    ...SPENT,
    change: { 'ETH_ETH available': '-crypto' },
  },
  {
    name: 'cancelled while the payee is looked at',
    scenario: 'offramp cancelled/expired',
    plan: 'step-up-require',
    acts: [[PENDING, post('cancel')]],
    steps: [...TO_PAY, PENDING, CANCELLED],
    journals: scenarioJournals('offramp cancelled/expired'),
  },
  {
    name: 'the payout is rejected',
    scenario: 'offramp PIX rejected',
    plan: 'pix-out-reject',
    acts: [],
    steps: [...TO_PAY, SWAP, SENDING, 'pix_out/REJECTED'],
    journals: scenarioJournals('offramp PIX rejected'),
  },
  {
    name: 'the payout is returned',
    scenario: 'offramp PIX returned after success',
    acts: [[DONE, play('pix-return')]],
    steps: [...TO_PAY, ...PAID_OUT, 'pix_out/RETURNED'],
    journals: scenarioJournals('offramp PIX returned after success'),
    change: { [AVAILABLE]: '-crypto', 'BRL available': 'brl' },
  },
  {
    name: 'the closer look at the payee is approved',
    plan: 'step-up-require',
    acts: [[PENDING, play('step-up-approve')]],
    steps: [...TO_PAY, PENDING, ...PAID_OUT],
    ...SPENT,
  },
  {
    name: 'manual review of the payee, approved',
    plan: 'identity-review',
    acts: [[REVIEW, play('step-up-approve')]],
    steps: [...TO_PAY, REVIEW, ...PAID_OUT],
    ...SPENT,
  },
  {
    name: 'held and released',
    plan: 'hold',
    acts: [[HELD, play('release')]],
    steps: [...RESERVED, HELD, PAYEE, ...PAID_OUT],
    journals: named('L20', 'L45', 'L46', 'L21', 'L22'),
    change: SPENT.change,
  },
  {
    name: 'held and released by mutation',
    mutations: ['releaseHold'],
    plan: 'hold',
    acts: [[HELD, decide('releaseHold', { reason: 'case 4' })]],
    steps: [...RESERVED, HELD, PAYEE, ...PAID_OUT],
    journals: named('L20', 'L45', 'L46', 'L21', 'L22'),
    change: SPENT.change,
  },
  {
    name: 'held and rejected',
    plan: 'hold',
    acts: [[HELD, play('hold-reject')]],
    steps: [...RESERVED, HELD, CANCELLED],
    journals: named('L20', 'L45', 'L7'),
  },
  {
    name: 'held and cancelled',
    plan: 'hold',
    acts: [[HELD, post('cancel')]],
    steps: [...RESERVED, HELD, CANCELLED],
    journals: named('L20', 'L45', 'L7'),
  },
  {
    name: 'the conversion fails',
    plan: 'swap-fail',
    acts: [],
    steps: [...TO_PAY, SWAP, 'swap_transfer/ERROR'],
    journals: named('L20', 'L21', 'L24', 'L23'),
  },
  {
    name: 'accepted and identified step by step',
    mutations: SESSION_MUTATIONS,
    make: session('BALANCE', { accept: false }),
    acts: [
      ['quote/QUOTE', mutate('acceptQuote')],
      ['pre_kyc/INFO', identify],
    ],
    steps: [...QUOTED, 'pre_kyc/INFO', 'reserve/DONE', PAYEE, ...PAID_OUT],
    ...SPENT,
  },
  {
    name: 'the balance is gone when the quote is accepted',
    mutations: SESSION_MUTATIONS,
    currency: RARE,
    funds: { [RARE]: '1.5' },
    make: session('BALANCE', { amount: { crypto: '1' }, currency: RARE, accept: false }, true),
    acts: [['quote/QUOTE', inTurn(spendAll, mutate('acceptQuote'))]],
    steps: [...QUOTED, 'reserve/ERROR'],
  },
  {
    name: 'more than there is is refused, and nothing is stored',
    currency: RARE,
    funds: { [RARE]: '1.5' },
    make: refused(422, 'INSUFFICIENT_BALANCE', async (walker) => ({
      ...bodyOf(walker, 'balance'),
      currency_entry_paid_code: RARE,
      // A minor unit more than all of it.
      amount_paid: sum([await walker.available(RARE), '0.000001']),
    })),
    acts: [],
    steps: [],
  },
];

const WAITING = 'crypto_deposit/WAITING_DEPOSIT';
const DETECTED = 'crypto_deposit/DETECTED';
const CONFIRMED = 'crypto_deposit/DONE';
const DROPPED = 'crypto_deposit/DROPPED';
const EXPIRED = 'crypto_deposit/EXPIRED';
const UNDER = 'crypto_deposit/UNDERPAID';
const OVER = 'crypto_deposit/OVERPAID';
const LATE = 'crypto_deposit/LATE';
const KEPT = 'partial_success/DONE';
const SENT_BACK = ['refund/INITIAL', 'refund/DONE'];

const ASKED = [...QUOTED, PAYEE];
const OFFERED = [...ASKED, WAITING];
const ARRIVED = [...OFFERED, DETECTED, CONFIRMED];
const TAKEN = named('L30', 'L31', 'L33');
const arrive = [WAITING, inTurn(play('deposit'), play('deposit-confirm'))] as const;
const keep = post('resolve', { action: 'keep' });
const requote = post('resolve', { action: 'requote' });
const sendBack = post('refund');
const KEEPS = { change: { [AVAILABLE]: 'deposit' } };
const REQUOTED = [...TAKEN, ...named('L35', 'L20', 'L21')];
/** Of a late deposit the exact amount arrives when nobody waits for it any more. */
const arriveLate = [
  [WAITING, play('expire')],
  [EXPIRED, inTurn(wait('5s'), play('deposit'), play('deposit-confirm'))],
] as const;
/** Wrong deposits: how each comes about, and the steps up to where it is held. */
const WRONG = [
  ['too little', [[WAITING, depositWrong('-0.000001')]], [...OFFERED, UNDER]],
  ['too much', [[WAITING, depositWrong('0.5')]], [...OFFERED, OVER]],
  ['too late', arriveLate, [...OFFERED, EXPIRED, LATE]],
] as const;

/** Each wrong deposit kept, sent back, converted after all; and each conversion that fails. */
const WRONG_ROWS: readonly Row[] = WRONG.flatMap(([name, actions, steps]): Row[] => {
  const held = steps.at(-1) as string;
  return [
    {
      name: `${name}, kept`,
      scenario: 'offramp_instant wrong/late amount, merchant keeps it',
      acts: [...actions, [held, keep]],
      steps: [...steps, KEPT],
      journals: scenarioJournals('offramp_instant wrong/late amount, merchant keeps it'),
      ...KEEPS,
    },
    {
      name: `${name}, sent back`,
      scenario: 'offramp_instant wrong/late amount, refunded on-chain',
      acts: [...actions, [held, post('resolve', { action: 'refund', address: REFUND_TO })]],
      steps: [...steps, ...SENT_BACK],
      journals: [
        ...scenarioJournals('offramp_instant wrong/late amount, refunded on-chain'),
        ...named('L12'),
      ],
    },
    {
      name: `${name}, converted at a new price`,
      acts: [...actions, [held, requote]],
      steps: [...steps, ...PAID_OUT],
      journals: [...REQUOTED, ...named('L22')],
    },
    {
      name: `${name}, converted at a new price, rejected, kept`,
      plan: 'pix-out-reject',
      acts: [...actions, [held, requote], ['pix_out/REJECTED', keep]],
      steps: [...steps, SWAP, SENDING, 'pix_out/REJECTED', KEPT],
      journals: [...REQUOTED, ...named('L24', 'L45', 'L35')],
      ...KEEPS,
    },
    {
      name: `${name}, not converted at a new price, sent back`,
      plan: 'swap-fail',
      acts: [...actions, [held, requote], ['swap_transfer/ERROR', sendBack]],
      steps: [...steps, SWAP, 'swap_transfer/ERROR', ...SENT_BACK],
      journals: [...REQUOTED, ...named('L24', 'L45', 'L34', 'L12')],
    },
  ];
});

const DEPOSIT_ROWS: readonly Row[] = [
  {
    name: 'success',
    scenario: 'offramp_instant success',
    acts: [
      [WAITING, inTurn(playRefused('deposit-confirm'), playRefused('deposit-reorg'))],
      arrive,
      [
        DONE,
        inTurn(postRefused('cancel', 409, 'STEP_CONFLICT'), postRefused('refund', 409, 'STEP_CONFLICT')),
      ],
    ],
    steps: [...ARRIVED, ...PAID_OUT],
    journals: scenarioJournals('offramp_instant success'),
  },
  {
    name: 'the network confirms after a while',
    acts: [[WAITING, play('deposit')]],
    steps: [...ARRIVED, ...PAID_OUT],
    journals: named('L30', 'L31', 'L32', 'L22'),
  },
  {
    name: 'success in bitcoin',
    currency: 'BTC_BTC',
    make: rest((walker) => ({
      ...bodyOf(walker, 'external'),
      amount_paid: '0.00123457',
      currency_entry_paid_code: 'BTC',
    })),
    acts: [arrive],
    steps: [...ARRIVED, ...PAID_OUT],
    journals: named('L30', 'L31', 'L32', 'L22'),
  },
  {
    name: 'success on Solana, whose addresses are shared',
    currency: 'USDC_SOL',
    make: rest((walker) => ({ ...bodyOf(walker, 'external'), currency_entry_paid_code: 'USDC_SOL' })),
    acts: [arrive],
    steps: [...ARRIVED, ...PAID_OUT],
    journals: named('L30', 'L31', 'L32', 'L22'),
  },
  {
    name: 'too little in a currency of 18 decimals, kept',
    currency: 'USDT_BSC',
    make: rest((walker) => ({
      ...bodyOf(walker, 'external'),
      amount_paid: '20.123456789012345678',
      currency_entry_paid_code: 'USDT_BSC',
    })),
    acts: [
      [WAITING, depositWrong('-0.000000000000000001')],
      [UNDER, keep],
    ],
    steps: [...OFFERED, UNDER, KEPT],
    journals: named('L30', 'L31', 'L33', 'L35'),
    change: { 'USDT_BSC available': 'deposit' },
  },
  {
    name: 'the payout is rejected, sent back',
    scenario: 'offramp_instant PIX rejected, refunded on-chain',
    plan: 'pix-out-reject',
    acts: [arrive, ['pix_out/REJECTED', sendBack]],
    steps: [...ARRIVED, SWAP, SENDING, 'pix_out/REJECTED', ...SENT_BACK],
    journals: [...scenarioJournals('offramp_instant PIX rejected, refunded on-chain'), ...named('L12')],
  },
  {
    name: 'the payout is rejected, kept',
    plan: 'pix-out-reject',
    acts: [
      arrive,
      ['pix_out/REJECTED', inTurn(postRefused('resolve', 409, 'STEP_CONFLICT', { action: 'requote' }), keep)],
    ],
    steps: [...ARRIVED, SWAP, SENDING, 'pix_out/REJECTED', KEPT],
    journals: named('L30', 'L31', 'L32', 'L39', 'L35'),
    ...KEEPS,
  },
  {
    name: 'the conversion fails, kept',
    plan: 'swap-fail',
    acts: [arrive, ['swap_transfer/ERROR', keep]],
    steps: [...ARRIVED, SWAP, 'swap_transfer/ERROR', KEPT],
    journals: named('L30', 'L31', 'L32', 'L39', 'L35'),
    ...KEEPS,
  },
  {
    name: 'the conversion fails, sent back',
    plan: 'swap-fail',
    acts: [arrive, ['swap_transfer/ERROR', sendBack]],
    steps: [...ARRIVED, SWAP, 'swap_transfer/ERROR', ...SENT_BACK],
    journals: named('L30', 'L31', 'L32', 'L39', 'L34', 'L12'),
  },
  {
    name: 'held and released',
    plan: 'hold',
    acts: [arrive, [HELD, play('release')]],
    steps: [...ARRIVED, HELD, KEPT],
    journals: named('L30', 'L31', 'L33', 'L35'),
    ...KEEPS,
  },
  {
    name: 'held and rejected',
    plan: 'hold',
    acts: [arrive, [HELD, play('hold-reject')]],
    steps: [...ARRIVED, HELD, ...SENT_BACK],
    journals: named('L30', 'L31', 'L33', 'L34', 'L12'),
  },
  {
    name: 'held and rejected by mutation',
    mutations: ['rejectHold'],
    plan: 'hold',
    acts: [arrive, [HELD, decide('rejectHold', { reason: 'case 4' })]],
    steps: [...ARRIVED, HELD, ...SENT_BACK],
    journals: named('L30', 'L31', 'L33', 'L34', 'L12'),
  },
  {
    name: 'dropped by the network, then expired',
    scenario: 'offramp_instant deposit dropped by a reorg',
    isAlone: true,
    acts: [
      [WAITING, inTurn(play('deposit'), play('deposit-reorg'))],
      [DROPPED, play('expire')],
    ],
    steps: [...OFFERED, DETECTED, DROPPED, EXPIRED],
    journals: scenarioJournals('offramp_instant deposit dropped by a reorg'),
  },
  {
    name: 'dropped by the network, then deposited again',
    isAlone: true,
    acts: [
      [WAITING, inTurn(play('deposit'), play('deposit-reorg'))],
      [DROPPED, inTurn(play('deposit'), play('deposit-confirm'))],
    ],
    steps: [...OFFERED, DETECTED, DROPPED, DETECTED, CONFIRMED, ...PAID_OUT],
    journals: named('L30', 'L36', 'L30', 'L31', 'L32', 'L22'),
  },
  {
    name: 'dropped by the network, then too little is deposited and kept',
    isAlone: true,
    acts: [
      [WAITING, inTurn(play('deposit'), play('deposit-reorg'))],
      [DROPPED, depositWrong('-1')],
      [UNDER, keep],
    ],
    steps: [...OFFERED, DETECTED, DROPPED, UNDER, KEPT],
    journals: [
      { name: 'L30', of: 'exact' },
      { name: 'L36', of: 'exact' },
      ...named('L30', 'L31', 'L33', 'L35'),
    ],
    ...KEEPS,
  },
  { name: 'cancelled', acts: [[WAITING, post('cancel')]], steps: [...OFFERED, CANCELLED] },
  { name: 'nobody deposits', acts: [[WAITING, play('expire')]], steps: [...OFFERED, EXPIRED] },
  {
    name: 'nobody deposits in time',
    isAlone: true,
    make: rest((walker) => ({ ...bodyOf(walker, 'external'), expires_in: 1_800 })),
    acts: [[WAITING, wait('31m')]],
    steps: [...OFFERED, EXPIRED],
  },
  {
    name: 'the closer look at the payee is approved',
    plan: 'step-up-require',
    acts: [[PENDING, play('step-up-approve')], arrive],
    steps: [...ASKED, PENDING, WAITING, DETECTED, CONFIRMED, ...PAID_OUT],
    journals: named('L30', 'L31', 'L32', 'L22'),
  },
  {
    name: 'accepted and identified step by step',
    mutations: SESSION_MUTATIONS,
    make: session('EXTERNAL', { accept: false }),
    acts: [['quote/QUOTE', mutate('acceptQuote')], ['pre_kyc/INFO', identify], arrive],
    steps: [...QUOTED, 'pre_kyc/INFO', PAYEE, WAITING, DETECTED, CONFIRMED, ...PAID_OUT],
    journals: named('L30', 'L31', 'L32', 'L22'),
  },
];

/** The walks. */
export const PIX_OUT_WALKS: readonly Walk[] = [
  ...walksOf('offramp', { funds: { [CURRENCY]: '150' } }, 'balance', [
    ...OFFRAMP_ROWS,
    ...payeeRows('BALANCE', RESERVED, GIVEN_BACK),
  ]),
  ...walksOf('offramp_instant', {}, 'external', [
    ...DEPOSIT_ROWS,
    ...WRONG_ROWS,
    ...payeeRows('EXTERNAL', QUOTED, []),
  ]),
];
