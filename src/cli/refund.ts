/** `crossramp refund retry|settle`: what the operator does about refunds that failed. */
import { Command } from 'commander';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import type { Target } from '../resolvers/engine/advance-for-caller.ts';
import { retryRefund, settleRefundByHand } from '../resolvers/orders/refund-payment.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { ProcessRow } from '../templates/facts.ts';
import { jsonOption } from './output.ts';
import { answerStep, stepOf, transactionNamed } from './step.ts';
import { operatorContext, withServices } from './with-store.ts';

interface Options {
  readonly json?: boolean;
}

/** The command `refund`. */
export function refundCommand(): Command {
  const refund = new Command('refund').description('Retries or settles failed refunds to payers.');
  refund
    .command('retry')
    .description('Orders failed returns to the payer again, each under a new return id.')
    .argument('<end2end>', 'id of the transaction')
    .addOption(jsonOption())
    .action((end2end: string, options: Options) => mend(end2end, options, retryRefund));
  refund
    .command('settle')
    .description('Books failed returns as paid to the payer by hand.')
    .argument('<end2end>', 'id of the transaction')
    .requiredOption(
      '--reference <text>',
      'where the payment can be found, such as its EndToEndId; 1 to 200 characters',
    )
    .addOption(jsonOption())
    .action((end2end: string, { reference, ...options }: Options & { reference: string }) =>
      mend(end2end, options, (context, target) =>
        settleRefundByHand(context, target, { name: '--reference', value: reference }, checksOf(context)),
      ),
    );
  return refund;
}

async function mend(
  end2end: string,
  options: Options,
  work: (context: Context, target: Target) => Promise<ProcessRow>,
): Promise<void> {
  const shown = await withServices(async (services) => {
    const { accountId } = await transactionNamed(services.database, end2end);
    const context = await operatorContext(services, accountId);
    return stepOf(services.registry, await work(context, { end2end }));
  });
  answerStep(options, shown);
}
