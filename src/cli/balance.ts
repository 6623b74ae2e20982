/** `crossramp balance`. */
import { Command } from 'commander';
import { readBalances } from '../resolvers/ledger/read-balances.ts';
import { balanceEnvelope } from '../wire/balance.ts';
import { columnsText } from './command.ts';
import { answerText, jsonOption, readAccountOption } from './output.ts';
import { asOperator } from './with-store.ts';

const AMOUNTS = {
  AVAILABLE: 'available',
  'IN TRANSIT': 'inTransit',
  'TO RECEIVE': 'toReceive',
  BLOCKED: 'blocked',
  'AVAILABLE IN BRL': 'brl',
} as const;

/** The command `balance`. */
export function balanceCommand(): Command {
  return new Command('balance')
    .description('Shows what an account holds; --json is the answer of GET /v2/balance.')
    .addOption(readAccountOption())
    .addOption(jsonOption())
    .action(async (options: { account: string; json?: boolean }) => {
      const balances = await asOperator(options, readBalances);
      const rows = balances.balances.map((each) => ({ ...each, brl: each.calculatedBrl ?? 'no rate' }));
      const columns = { CURRENCY: 'currency', ...AMOUNTS } as const;
      const text =
        rows.length === 0
          ? 'the account holds nothing yet'
          : `${columnsText(rows, columns, Object.keys(AMOUNTS))}\n\ntotal available: ${balances.totalBrl} BRL`;
      answerText(options, () => balanceEnvelope(balances), text);
    });
}
