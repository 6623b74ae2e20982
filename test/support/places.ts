/**
 * Places at which a rail event may find a transaction: every step of a template, by the facts that such events depend on (whether it was paid,
 * which deposit was noted, what is on its way back, what can still go back), each with a shortest way there.
 */

import { type StepName, stepNameOf } from '../../src/base/ids/step-name.ts';
import type { Template } from '../../src/templates/define.ts';
import type { Process, ProcessRow } from '../../src/templates/facts.ts';
import { leftOf, returnsOf } from '../../src/templates/returns.ts';

import type { Trigger } from '../../src/templates/triggers.ts';
import {
  advance,
  begin,
  DURING_MS,
  fitting,
  type Run,
  SAMPLES,
  type SampleName,
  stepOf,
  text,
  WORDS,
} from './machine.ts';

/** Where a transaction stands, and how it got there. */
export interface Position {
  readonly step: StepName;
  readonly sample: SampleName;
  /** What the account had before. */
  readonly means: Readonly<Record<string, string>>;
  /** Words of machine.ts. */
  readonly way: readonly string[];
  readonly run: Run;
}

const MEANS = { USDT_TRX: '150', BRL: '1500' };

/** @returns every place of a template where a transaction stands still, the nearest first. */
export function placesOf({ name }: Template): readonly Position[] {
  const samples = (Object.keys(SAMPLES) as SampleName[]).filter((each) => SAMPLES[each].template === name);
  const places = new Map<string, Position>();
  const queue: Position[] = samples.flatMap((sample) =>
    [MEANS, {}].map((means) => ({
      step: 'start' as const,
      sample,
      means,
      way: [],
      run: begin(SAMPLES[sample], means),
    })),
  );
  for (const place of queue) {
    for (const word of WORDS) {
      // What was dropped is told as dropped once (C-33).
      if (word === 'deposit_dropped' && place.step === 'crypto_deposit/DROPPED') continue;
      const run = advance(place.run, wordAt(word, place.run.row), DURING_MS)?.at(-1);
      // A creation that the balance does not cover is refused, and makes nothing (C-24).
      const isMade = run && !(place.step === 'start' && stepOf(run.row).status.en === 'Failed');
      if (!isMade) continue;
      const key = keyOf(run, place.means);
      if (places.has(key)) continue;
      const next = { ...place, step: stepNameOf(run.row), way: [...place.way, word], run };
      places.set(key, next);
      queue.push(next);
    }
  }
  return [...places.values()];
}

/** @returns the trigger of a word where the transaction stands; a deposit is priced anew at what arrived. */
export function wordAt(word: string, row: ProcessRow): Trigger {
  return fitting(row, [text(word, row)])[0] as Trigger;
}

/** Facts that rail events depend on. */
function keyOf({ row }: Run, means: Position['means']): string {
  const process = row.process as Process;
  const { paid, deposit, dispute } = process;
  const under = returnsOf(process).flatMap(({ kind, state }) =>
    state === 'requested' || state === 'failed' ? [`${kind} ${state}`] : [],
  );
  return JSON.stringify([
    stepNameOf(row),
    paid !== undefined,
    deposit && [deposit.isLate, deposit.amount],
    [...new Set(under)].sort(),
    row.pixE2e !== null,
    dispute !== undefined && leftOf(row) > 0n,
    // Whether something is left once the dispute is accepted.
    stepNameOf(row) === 'dispute/OPEN' && dispute !== undefined && BigInt(dispute.brl) < leftOf(row),
    // Whether a dispute takes what fails to go back.
    returnsOf(process).some(({ claim }) => claim !== undefined),
    // What leads on from here; the balance is asked for once the payee is named.
    /^(quote|pre_kyc)$/.test(row.component) && means,
    row.sourceCurrency,
    process.txid !== undefined,
    row.depositAddress !== null,
    process.heldAt,
    [process.isAdmitted, process.isApproved, process.isTurnedDown, process.isRequoted].map(Boolean),
  ]);
}
