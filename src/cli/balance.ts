/** `crossramp balance`. */
import { Command } from 'commander';
import { readBalances } from '../resolvers/ledger/read-balances.ts';
import { balanceEnvelope } from '../wire/balance.ts';
import { answerText, jsonOption, readAccountOption, table } from './output.ts';
import { asOperator } from './webhook.ts';

const HEADING = ['CURRENCY', 'AVAILABLE', 'IN TRANSIT', 'TO RECEIVE', 'BLOCKED', 'AVAILABLE IN BRL'];

/** The command `balance`. */
export function balanceCommand(): Command {
  return new Command('balance')
    .description('Shows what an account holds; --json is the answer of GET /v2/balance.')
    .addOption(readAccountOption())
    .addOption(jsonOption())
    .action(async (options: { account: string; json?: boolean }) => {
      const balances = await asOperator(options, (context) => readBalances(context));
      const rows = balances.balances.map((each) => [
        each.currency,
        each.available,
        each.inTransit,
        each.toReceive,
        each.blocked,
        each.calculatedBrl ?? 'no rate',
      ]);
      const text =
        rows.length === 0
          ? 'the account holds nothing yet'
          : `${table([HEADING, ...rows], [1, 2, 3, 4, 5])}\n\ntotal available: ${balances.totalBrl} BRL`;
      answerText(options, () => balanceEnvelope(balances), text);
    });
}
