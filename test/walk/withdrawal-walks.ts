/** Walks of withdrawals, to wallets and to PIX keys. */

import { sum } from '../../src/base/money/money.ts';
import { decide, inTurn, play, post, postBySecond, postRefused, refused, rest, wait } from './actions.ts';
import { type JournalUse, scenarioJournals } from './published.ts';
import type { Destination, Make, Walk, Walker } from './walker.ts';

const PATH = '/v2/withdrawal';
const CURRENCY = 'USDT_TRX';
const WALLET: Destination = {
  wallet: { network: 'TRX', address: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD' },
};
const EVM_ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const RARE_WALLET: Destination = { wallet: { network: 'POLYGON', address: EVM_ADDRESS } };
const PIX_KEY: Destination = { pixKey: { type: 'EMAIL', key: 'ana@example.com' } };

const REQUESTED = 'request_withdrawl_dash/INITIAL';
const APPROVING = 'approval_withdrawl_dash/PENDING';
const REFUSED = 'approval_withdrawl_dash/REJECTED';
const CANCELLED = 'approval_withdrawl_dash/CANCELLED';
const HELD = 'compliance/UNCOMPLIANT';
const SENDING = 'send_withdrawl_dash/SENDING';
const BROADCAST = 'send_withdrawl_dash/BROADCAST';
const FAILED = 'send_withdrawl_dash/ERROR';
const DONE = 'success_withdrawl_dash/DONE';
const ON_CHAIN = [SENDING, BROADCAST, DONE];

const named = (...names: readonly string[]): JournalUse[] => names.map((name) => ({ name }));

/** A withdrawal of an amount to the one destination of a group. */
function bodyOf(to: Destination, amount: string | ((walker: Walker) => Promise<string>), notes?: string) {
  return async (walker: Walker) => ({
    amount_received: typeof amount === 'string' ? amount : await amount(walker),
    currency_receive_code: walker.currency,
    group_id: await walker.whitelist([to]),
    ...(notes && { notes }),
  });
}

/** A currency that an account is not likely to hold much of: limits must not be in the way of moving all of it. */
const ALL_OF_IT = { currency: 'USDC_POLYGON', funds: { USDC_POLYGON: '1.5' } };

const crypto = (plan?: string) => rest(bodyOf(WALLET, '100', plan && `sandbox:${plan}`));
const brl = (plan?: string) => rest(bodyOf(PIX_KEY, '1000', plan && `rent sandbox:${plan}`));

/** As `make`, for an account in which so much needs a second approver. */
function needsApproval(make: Make): Make {
  return async (walker) => {
    await walker.means.approveAbove?.('100');
    try {
      return await make(walker);
    } finally {
      await walker.means.approveAbove?.(null);
    }
  };
}

type Row = Pick<Walk, 'name' | 'acts' | 'steps'> & Partial<Walk>;

const CRYPTO_ROWS: readonly Row[] = [
  {
    name: 'success',
    scenario: 'withdrawal (crypto) success',
    acts: [],
    steps: [REQUESTED, ...ON_CHAIN],
    journals: scenarioJournals('withdrawal (crypto) success'),
    change: { [`${CURRENCY} available`]: '-crypto' },
  },
  {
    name: 'success in ether, all of it',
    currency: 'ETH_ETH',
    funds: { ETH_ETH: '0.123456789012345678' },
    make: rest(bodyOf({ wallet: { network: 'ETH', address: EVM_ADDRESS } }, '0.123456789012345678')),
    acts: [],
    steps: [REQUESTED, ...ON_CHAIN],
    journals: named('L40', 'L41', 'L12', 'L42'),
    change: { 'ETH_ETH available': '-crypto' },
  },
  {
    name: 'success on a network without its coin',
    currency: 'USDC_BASE',
    funds: { USDC_BASE: '12.345678' },
    make: rest(bodyOf({ wallet: { network: 'BASE', address: EVM_ADDRESS } }, '12.345678')),
    acts: [],
    steps: [REQUESTED, ...ON_CHAIN],
    journals: named('L40', 'L41', 'L42'),
    change: { 'USDC_BASE available': '-crypto' },
  },
  {
    name: 'fails before it is broadcast',
    scenario: 'withdrawal rejected/failed before broadcast',
    make: crypto('broadcast-fail'),
    acts: [],
    steps: [REQUESTED, SENDING, FAILED],
    journals: scenarioJournals('withdrawal rejected/failed before broadcast'),
  },
  {
    name: 'reverted by the network',
    scenario: 'withdrawal reverted on-chain',
    make: crypto('delivery-fail'),
    acts: [],
    steps: [REQUESTED, SENDING, BROADCAST, FAILED],
    journals: scenarioJournals('withdrawal reverted on-chain'),
    change: { [`${CURRENCY} available`]: '-networkFee' },
  },
  {
    name: 'held and released',
    scenario: 'withdrawal held by compliance then resumed',
    make: crypto('hold'),
    acts: [[HELD, play('release')]],
    steps: [REQUESTED, HELD, ...ON_CHAIN],
    journals: scenarioJournals('withdrawal held by compliance then resumed'),
    change: { [`${CURRENCY} available`]: '-crypto' },
  },
  {
    name: 'held and released by mutation',
    mutations: ['releaseHold'],
    make: crypto('hold'),
    acts: [[HELD, decide('releaseHold', { reason: 'case 4' })]],
    steps: [REQUESTED, HELD, ...ON_CHAIN],
    journals: named('L40', 'L45', 'L46', 'L41', 'L42'),
    change: { [`${CURRENCY} available`]: '-crypto' },
  },
  {
    name: 'held, released, and it fails before it is broadcast',
    make: crypto('hold,broadcast-fail'),
    acts: [[HELD, play('release')]],
    steps: [REQUESTED, HELD, SENDING, FAILED],
    journals: named('L40', 'L45', 'L46', 'L43'),
  },
  {
    name: 'held and rejected',
    make: crypto('hold'),
    acts: [[HELD, play('hold-reject')]],
    steps: [REQUESTED, HELD, REFUSED],
    journals: named('L40', 'L45', 'L7'),
  },
  {
    name: 'held and cancelled',
    make: crypto('hold'),
    acts: [[HELD, post('cancel')]],
    steps: [REQUESTED, HELD, CANCELLED],
    journals: named('L40', 'L45', 'L7'),
  },
  {
    name: 'more than there is is refused, and nothing is stored',
    ...ALL_OF_IT,
    make: refused(
      422,
      'INSUFFICIENT_BALANCE',
      bodyOf(RARE_WALLET, async (walker) => sum([await walker.available(walker.currency), '0.000001'])),
    ),
    acts: [],
    steps: [],
  },
];

const APPROVAL_ROWS: readonly Row[] = [
  {
    name: 'approved by a second key',
    acts: [[APPROVING, inTurn(postRefused('approve', 403, 'FORBIDDEN'), postBySecond('approve'))]],
    steps: [REQUESTED, APPROVING, ...ON_CHAIN],
    journals: named('L40', 'L41', 'L42'),
    change: { [`${CURRENCY} available`]: '-crypto' },
    needs: ['whitelist', 'approveAbove', 'second'],
  },
  {
    name: 'approved, then held and rejected',
    make: needsApproval(crypto('hold')),
    acts: [
      [APPROVING, postBySecond('approve')],
      [HELD, play('hold-reject')],
    ],
    steps: [REQUESTED, APPROVING, HELD, REFUSED],
    journals: named('L40', 'L45', 'L7'),
    needs: ['whitelist', 'approveAbove', 'second'],
  },
  {
    name: 'the approval is refused',
    scenario: 'withdrawal rejected/failed before broadcast',
    acts: [[APPROVING, post('reject')]],
    steps: [REQUESTED, APPROVING, REFUSED],
    journals: scenarioJournals('withdrawal rejected/failed before broadcast'),
  },
  {
    name: 'cancelled while it needs approval',
    acts: [[APPROVING, post('cancel')]],
    steps: [REQUESTED, APPROVING, CANCELLED],
    journals: named('L40', 'L43'),
  },
  {
    name: 'nobody approves',
    isAlone: true,
    acts: [[APPROVING, wait('72h')]],
    steps: [REQUESTED, APPROVING, REFUSED],
    journals: named('L40', 'L43'),
  },
];

const BRL_ROWS: readonly Row[] = [
  {
    name: 'success by PIX',
    scenario: 'withdrawal (BRL/PIX) success',
    acts: [],
    steps: [REQUESTED, SENDING, DONE],
    journals: scenarioJournals('withdrawal (BRL/PIX) success'),
    change: { 'BRL available': '-brl' },
  },
  {
    name: 'returned by the bank of the payee',
    scenario: 'withdrawal (BRL/PIX) returned',
    acts: [[DONE, play('pix-return')]],
    steps: [REQUESTED, SENDING, DONE, 'success_withdrawl_dash/RETURNED'],
    journals: scenarioJournals('withdrawal (BRL/PIX) returned'),
  },
  {
    name: 'rejected by the bank of the payee',
    make: brl('pix-out-reject'),
    acts: [],
    steps: [REQUESTED, SENDING, FAILED],
    journals: named('L47', 'L43'),
  },
  {
    name: 'by PIX, held and released',
    make: brl('hold'),
    acts: [[HELD, play('release')]],
    steps: [REQUESTED, HELD, SENDING, DONE],
    journals: named('L47', 'L45', 'L46', 'L48'),
    change: { 'BRL available': '-brl' },
  },
];

function walksOf(usual: Pick<Walk, 'make'> & Partial<Walk>, rows: readonly Row[]): Walk[] {
  return rows.map((row) => ({
    template: 'withdraw_dash_same_curr',
    path: PATH,
    journals: [],
    change: {},
    needs: ['whitelist'],
    ...usual,
    ...row,
    name: `withdrawal: ${row.name}`,
  }));
}

/** The walks. */
export const WITHDRAWAL_WALKS: readonly Walk[] = [
  ...walksOf({ make: crypto(), funds: { [CURRENCY]: '150' } }, CRYPTO_ROWS),
  ...walksOf(
    { make: needsApproval(crypto()), funds: { [CURRENCY]: '150' }, needs: ['whitelist', 'approveAbove'] },
    APPROVAL_ROWS,
  ),
  ...walksOf({ make: brl(), funds: { BRL: '1500' }, currency: 'BRL' }, BRL_ROWS),
];
