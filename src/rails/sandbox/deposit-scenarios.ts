/** Scenarios of on-chain deposits: events caused by payers and by the network. */
import { randomUUID } from 'node:crypto';
import { known } from '../../base/errors/assert.ts';
import { type Currency, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import type { DepositEvent } from '../../resolvers/services/rail-event.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { newTransfer, txHashOf } from './chain.ts';
import type { Playable, Stage } from './stage.ts';

/** Time until the network has confirmed a deposit. Unit: ms. */
const CONFIRM_MS = 15_000;

/** The scenarios, by name. */
export const DEPOSIT_SCENARIOS: readonly Playable[] = [
  {
    name: 'deposit',
    on: 'deposit_seen',
    comesTo: hasAddress,
    play: async (stage) => {
      const transfer = transferOf(stage, exactAmountOf(stage.row));
      await stage.receiveLater({ ...transfer, kind: 'deposit_confirmed' }, stage.nowMs + CONFIRM_MS);
      return stage.receive({ ...transfer, kind: 'deposit_seen' });
    },
  },
  {
    name: 'deposit-confirm',
    on: 'deposit_confirmed',
    isAbout: hasDeposit,
    play: (stage) => decide(stage, 'deposit_confirmed'),
  },
  {
    name: 'deposit-reorg',
    on: 'deposit_dropped',
    isAbout: hasDeposit,
    play: (stage) => decide(stage, 'deposit_dropped'),
  },
  {
    name: 'deposit-wrong',
    on: 'deposit_seen',
    comesTo: hasAddress,
    amountOf: 'deposit',
    play: async (stage) => {
      const transfer = transferOf(stage, stage.amount ?? lessThanExact(stage.row));
      const confirmed = { ...transfer, kind: 'deposit_confirmed' } as const;
      await stage.receiveLater(confirmed, stage.nowMs + CONFIRM_MS);
      await stage.receive({ ...transfer, kind: 'deposit_seen' });
      return stage.receive(confirmed, [confirmed]);
    },
  },
];

/** Requires a deposit address, since anyone who knows it can send to it. */
function hasAddress({ process, depositAddress }: ProcessRow): boolean {
  return process !== null && depositAddress !== null;
}

function hasDeposit({ process }: ProcessRow): boolean {
  return Boolean(process?.deposit);
}

/** @returns a new transfer to the deposit address, with a new hash. */
function transferOf({ row, nowMs }: Stage, amount: string): Omit<DepositEvent, 'kind'> {
  const currency = currencyOf(row);
  const address = known(row.depositAddress, 'an address');
  return newTransfer(currency, {
    address,
    amount,
    txHash: txHashOf(currency, randomUUID()),
    seenAtMs: nowMs,
  });
}

/** Reports the outcome of the present deposit now, in place of its later confirmation. */
async function decide(stage: Stage, kind: 'deposit_confirmed' | 'deposit_dropped'): Promise<ProcessRow> {
  const { row, nowMs } = stage;
  const deposit = row.process?.deposit;
  if (!deposit) throw stage.refusal(row);
  const { txHash, logIndex, amount } = deposit;
  const address = known(row.depositAddress, 'an address');
  const transfer = newTransfer(currencyOf(row), { address, amount, txHash, seenAtMs: nowMs });
  // Both planned outcomes are replaced, including one left over from another scenario.
  const insteadOf = (['deposit_confirmed', 'deposit_dropped'] as const).map((later) => ({
    kind: later,
    txHash,
  }));
  return stage.receive({ ...transfer, logIndex, kind }, insteadOf);
}

function exactAmountOf({ exactDepositAmount }: ProcessRow): string {
  return known(exactDepositAmount, 'an exact amount');
}

function lessThanExact(row: ProcessRow): string {
  const { decimals } = currencyOf(row);
  const exact = toMinor(exactAmountOf(row), decimals);
  const unit = 10n ** BigInt(decimals);
  return fromMinor(exact > unit ? exact - unit : exact / 2n, decimals);
}

function currencyOf({ sourceCurrency }: ProcessRow): Currency {
  return currencyOfLedger(known(sourceCurrency, 'a currency'));
}
