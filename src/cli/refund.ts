/** `crossramp refund retry|settle`: the operator's handling of failed refunds. */
import { Command } from 'commander';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { retryRefund, settleRefundManually } from '../resolvers/orders/refund-payment.ts';
import { namedReason, type Reasoned, withReason } from './reason.ts';
import { moves } from './step.ts';

/** The command `refund`. */
export function refundCommand(): Command {
  const refund = new Command('refund').description('Retries or settles failed refunds to payers.');
  moves(
    withReason(
      refund
        .command('retry')
        .description('Orders failed returns to the payer again, each under a new return id.'),
    ),
    (context, target, { reason }: Reasoned) =>
      retryRefund(context, target, namedReason(reason), checksOf(context)),
  );
  moves(
    refund
      .command('settle')
      .description('Books failed returns as paid to the payer by hand.')
      .requiredOption(
        '--reference <text>',
        'where the payment can be found, such as its EndToEndId; 1 to 200 characters',
      ),
    (context, target, { reference }: { reference: string }) =>
      settleRefundManually(context, target, { name: '--reference', value: reference }, checksOf(context)),
  );
  return refund;
}
