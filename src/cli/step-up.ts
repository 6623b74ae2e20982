/** `crossramp step-up list|approve|deny`: extra verification of customers and payees. */
import { Command } from 'commander';
import { isoMillis } from '../base/time/instant.ts';
import { readStepUps } from '../resolvers/account/read-waiting.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { decideStepUp } from '../resolvers/orders/transaction-actions.ts';
import { lists } from './command.ts';
import { withMode } from './output.ts';
import { namedReason, type Reasoned, withReason } from './reason.ts';
import { moves } from './step.ts';

/** The command `step-up`. */
export function stepUpCommand(): Command {
  const stepUp = new Command('step-up').description(
    'Lists transactions whose customer or payee waits for extra verification, and decides about them.',
  );
  const list = stepUp
    .command('list')
    .description('Lists the step-ups of all sandbox or all live accounts, longest waiting first.');
  lists(withMode(list), {
    run: (context) => readStepUps(context),
    row: ({ accountId, updatedAt, end2end, sourceAmount, sourceCurrency, component, state }) => ({
      since: isoMillis(updatedAt),
      account: String(accountId),
      amount: sourceAmount,
      currency: sourceCurrency,
      step: `${component}/${state}`,
      end2end,
    }),
    columns: {
      ...{ SINCE: 'since', ACCOUNT: 'account', AMOUNT: 'amount', CURRENCY: 'currency' },
      ...{ STEP: 'step', TRANSACTION: 'end2end' },
    },
    right: ['AMOUNT'],
    none: 'no step-ups',
  });
  for (const [name, description] of DECISIONS)
    moves(
      withReason(stepUp.command(name).description(description)),
      (context, target, { reason }: Reasoned) =>
        decideStepUp(context, target, name === 'approve', namedReason(reason), checksOf(context)),
    );
  return stepUp;
}

const DECISIONS = [
  ['approve', 'Approves the extra verification: the transaction continues.'],
  ['deny', 'Denies the extra verification: the transaction ends, and what was paid or reserved goes back.'],
] as const;
