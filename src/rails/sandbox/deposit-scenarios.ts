/** Scenarios of on-chain deposits: what a payer may send, and what the network may make of it. */
import { randomUUID } from 'node:crypto';
import { type Currency, currencyOfLedger } from '../../base/currency.ts';
import { fromMinor, toMinor } from '../../base/money.ts';
import { TELL } from '../../resolvers/engine/run-jobs.ts';
import { takeBackJobs } from '../../store/account/sandbox.ts';
import { addJobs } from '../../store/engine/jobs.ts';
import { known } from '../../templates/amounts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Trigger } from '../../templates/triggers.ts';
import { payerAddress } from './addresses.ts';
import { txHashOf } from './chain.ts';
import { tellJob } from './orders.ts';
import { type Act, type Playable, type Stage, stepConflict } from './stage.ts';

/** How long the network takes to be sure of a deposit. */
const CONFIRM_MS = 15_000;

/** The scenarios, by name. */
export const DEPOSIT_SCENARIOS: readonly Playable[] = [
  {
    name: 'deposit',
    on: 'deposit_seen',
    play: (stage) => {
      const { act, txHash } = newDeposit(stage, exactAmountOf(stage.row));
      return stage.tell({
        ...act,
        alongside: (tx, row) =>
          addJobs(tx, [tellJob(keyOf(row), { trigger: confirmed(txHash) }, stage.nowMs + CONFIRM_MS)], null),
      });
    },
  },
  {
    name: 'deposit-confirm',
    on: 'deposit_confirmed',
    play: (stage) => decide('deposit-confirm', stage, confirmed),
  },
  {
    name: 'deposit-reorg',
    on: 'deposit_dropped',
    play: (stage) => decide('deposit-reorg', stage, (txHash) => ({ on: 'deposit_dropped', txHash })),
  },
  {
    name: 'deposit-wrong',
    on: 'deposit_seen',
    amountOf: 'deposit',
    play: async (stage) => {
      const { act, txHash } = newDeposit(stage, stage.amount ?? lessThanExact(stage.row));
      await stage.tell(act);
      return stage.tell({ trigger: confirmed(txHash) });
    },
  },
];

/** A new transfer to the deposit address; every one has a hash of its own. */
function newDeposit({ row, nowMs }: Stage, amount: string): { act: Act; txHash: string } {
  const currency = currencyOf(row);
  const txHash = txHashOf(currency, randomUUID());
  const logIndex = 0;
  const from = payerAddress(currency);
  const seenAt = new Date(nowMs).toISOString();
  return {
    act: {
      trigger: { on: 'deposit_seen', txHash, logIndex, amount, from, seenAt },
      railKey: `chain:${currency.network}:${txHash}:${logIndex}`,
    },
    txHash,
  };
}

/** What becomes of the deposit in process takes the place of its confirmation later. */
function decide(
  name: string,
  { row, tell }: Stage,
  decision: (txHash: string) => Trigger,
): Promise<ProcessRow> {
  const txHash = row.process?.deposit?.txHash;
  if (!txHash) throw stepConflict(name, row);
  return tell({
    trigger: decision(txHash),
    alongside: (tx, { accountId, id }) =>
      takeBackJobs(tx, accountId, id, TELL, { trigger: confirmed(txHash) }),
  });
}

function confirmed(txHash: string): Trigger {
  return { on: 'deposit_confirmed', txHash };
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

function keyOf({ accountId, id }: ProcessRow) {
  return { accountId, transactionId: id };
}
