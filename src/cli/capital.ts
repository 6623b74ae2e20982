/** `crossramp capital book`: proposes capital of the house; a second person approves it. */
import { Command, Option } from 'commander';
import { bookCapital, type CapitalDirection } from '../resolvers/ledger/book-capital.ts';
import { uses } from './command.ts';
import { journalOnce, shownJournal } from './journal.ts';
import { type Keyed, named } from './once-as.ts';
import { platformOption, withAmount } from './output.ts';

interface Options extends Keyed {
  readonly currency: string;
  readonly amount: string;
  readonly direction: CapitalDirection;
}

/** Capital of the house. */
export function capitalCommand(): Command {
  const capital = new Command('capital').description('Books capital of the house.');
  const book = capital
    .command('book')
    .description(
      'Proposes capital that comes in or goes out (BRL at the settlement bank, coins in custody): it is booked when another person approves it.',
    )
    .addOption(
      new Option('--direction <direction>', 'whether it comes in or goes out')
        .choices(['in', 'out'] satisfies CapitalDirection[])
        .makeOptionMandatory(),
    )
    .addOption(platformOption());
  uses(withAmount(book), {
    run: (context, { direction, ...options }: Options) => {
      const input = named(options, 'currency', 'amount');
      return journalOnce(context, 'capital.book', options, { ...input, direction }, (attempt, checks) =>
        bookCapital(context, input, direction, attempt, checks),
      );
    },
    json: shownJournal,
    text: ({ id }) => `journal ${id} is proposed; somebody else approves it`,
  });
  return capital;
}
