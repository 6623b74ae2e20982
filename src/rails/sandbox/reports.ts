/** Reports that a scenario requests from the sandbox's rails: immediate failures, returned payouts, disputes. */

import { known } from '../../base/errors/assert.ts';
import { BRL } from '../../base/money/currency.ts';
import { withDecimals } from '../../base/money/money.ts';
import { newReturnId } from '../../base/pix/end-to-end-id.ts';
import type { DisputeEvent, RailEvent, ReportEvent } from '../../resolvers/services/rail-event.ts';
import type { ScenarioName } from '../../resolvers/services/sandbox.ts';
import { cents } from '../../templates/amounts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { returnOfStep } from '../../templates/returns.ts';
import { ISPB, returnEnded } from './pix.ts';
import type { Failure } from './plans.ts';
import type { Playable, Stage } from './stage.ts';

/** Reports a failure now, in place of the rail's later report. */
export function fail({ row, report }: Stage, failure: Failure): Promise<ProcessRow> {
  return report(
    failed(row, failure),
    LATER[failure].map((kind) => ({ kind })),
  );
}

const LATER: Readonly<Record<Failure, readonly RailEvent['kind'][]>> = {
  payout: ['payout_ended'],
  transfer: ['broadcast_sent', 'broadcast_confirmed'],
  // Both reports have the same return id, so the first one counts.
  return: [],
};

function failed(row: ProcessRow, failure: Failure): ReportEvent {
  const order = `${row.end2end}:${failure}`;
  switch (failure) {
    case 'payout':
      return { kind: 'payout_ended', order, isDone: false, endToEndId: null };
    case 'transfer': {
      const currency = known(row.targetCurrency, 'a currency');
      return { kind: 'broadcast_failed', order, currency, txHash: row.txHash, gas: null };
    }
    case 'return': {
      const { returnId } = known(returnOfStep(row.process ?? {}), 'a return');
      return returnEnded({ order: returnId, endToEndId: row.pixE2e, isDone: false });
    }
  }
}

/** The scenario of a returned payout: the whole amount, or the given part. */
export const PIX_RETURN: Playable = {
  name: 'pix-return',
  amountOf: 'payment',
  on: 'payout_returned',
  // Only PIX has this scenario; a withdrawal on a network ends at the same step.
  isAbout: ({ pixE2e }) => pixE2e !== null,
  play: ({ row, nowMs, amount, receive, report }) => {
    const whole = known(row.targetAmount, 'an amount');
    const event = {
      kind: 'payout_returned',
      endToEndId: known(row.pixE2e, 'a payout'),
      returnId: newReturnId({ ispb: ISPB, at: new Date(nowMs) }),
      amount: amount ?? whole,
    } as const;
    // A partial return moves the transaction to no other step, and goes to suspense.
    return amount === undefined || cents(amount) === cents(whole) ? report(event) : receive(event);
  },
};

/** The scenarios of disputes, by name. */
export const DISPUTE_SCENARIOS: readonly Playable[] = [
  { ...dispute('dispute-open', 'dispute_opened'), amountOf: 'payment' },
  dispute('dispute-accept', 'dispute_accepted'),
  dispute('dispute-reject', 'dispute_rejected'),
];

function dispute(name: ScenarioName, kind: DisputeEvent['kind']): Playable {
  return {
    name,
    on: kind,
    isAbout: ({ pixE2e }) => pixE2e !== null,
    play: ({ row, amount = null, report }) =>
      report({
        kind,
        // The id is derived from the step, so repeated requests open only one dispute per step.
        disputeId:
          kind === 'dispute_opened'
            ? `${row.end2end}:${row.process?.sequence}`
            : (row.process?.disputeId ?? row.end2end),
        endToEndId: known(row.pixE2e, 'a payment'),
        amount: amount === null ? null : withDecimals(amount, BRL.decimals),
      }),
  };
}
