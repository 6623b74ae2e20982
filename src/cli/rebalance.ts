/** `crossramp rebalance list`. */
import { Command } from 'commander';
import { listPositions } from '../resolvers/ledger/list-positions.ts';
import { columnsText, uses } from './command.ts';
import { platformOption } from './output.ts';

const AMOUNTS = {
  OWNED: 'owned',
  TARGET: 'target',
  SHORT: 'short',
  LONG: 'long',
  BUY: 'buy',
  SELL: 'sell',
  'WORTH (BRL)': 'worth',
} as const;

/** Trades that the house should make to reach its targets. */
export function rebalanceCommand(): Command {
  const rebalance = new Command('rebalance').description(
    'Shows the positions of the house, and the amounts that it should buy or sell.',
  );
  const list = rebalance
    .command('list')
    .description('Lists the positions of the inventory, with the trade that brings each to its target.')
    .addOption(platformOption());
  uses(list, {
    run: async (context) => {
      const positions = await listPositions(context);
      return positions.map(({ currency, owned, target, short, long, isWithin, buy, sell, worth }) => ({
        currency: currency.code,
        ...{ owned, target, short, long, isWithin, buy, sell, worth },
      }));
    },
    json: (positions) => ({ positions }),
    text: (positions) => {
      const columns = { CURRENCY: 'currency', ...AMOUNTS } as const;
      return positions.length === 0
        ? 'there is no inventory'
        : columnsText(positions, columns, Object.keys(AMOUNTS));
    },
  });
  return rebalance;
}
