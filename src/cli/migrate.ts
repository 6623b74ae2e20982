/** `crossramp migrate`. */
import { Command } from 'commander';
import { answer, jsonOption } from './output.ts';
import { withStore } from './with-store.ts';

/** The command `migrate`. */
export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'Updates the database schema. So does every start, and every command that works on the database.',
    )
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const applied = await withStore(async (store) => store.applied);
      answer(options, { applied }, applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to apply');
    });
}
