/** `crossramp rebalance list`. */
import { Command } from 'commander';
import { listPositions } from '../resolvers/ledger/list-positions.ts';
import { accountOrPlatform, answer, jsonOption, table } from './output.ts';
import { operatorContext, withServices } from './with-store.ts';

const HEADING = ['CURRENCY', 'OWNED', 'TARGET', 'SHORT', 'LONG', 'BUY', 'SELL', 'WORTH (BRL)'];

/** What the house should buy or sell. */
export function rebalanceCommand(): Command {
  const rebalance = new Command('rebalance').description(
    'Shows what the house owns, and what it should buy or sell.',
  );
  rebalance
    .command('list')
    .description('Lists the positions of the inventory, with what brings each to its target.')
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .addOption(jsonOption())
    .action(list);
  return rebalance;
}

async function list({ live = false, ...options }: { live?: boolean; json?: boolean }): Promise<void> {
  const positions = await withServices(async (services) => {
    const platform = await accountOrPlatform(services.database, { account: 'platform', live });
    return listPositions(await operatorContext(services, platform));
  });
  const shown = positions.map(({ currency, owned, target, short, long, isWithin, buy, sell, worth }) => ({
    currency: currency.code,
    ...{ owned, target, short, long, isWithin, buy, sell, worth },
  }));
  const lines = shown.map(({ currency, owned, target, short, long, buy, sell, worth }) => [
    ...[currency, owned, target, short, long],
    ...[buy, sell, worth].map((each) => each ?? ''),
  ]);
  answer(
    options,
    { positions: shown },
    lines.length === 0 ? 'there is no inventory' : table([HEADING, ...lines], [1, 2, 3, 4, 5, 6, 7]),
  );
}
