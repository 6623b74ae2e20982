/** `crossramp secrets`. */
import { Command } from 'commander';
import { rotateSecrets } from '../compose/secret-keys.ts';
import { uses } from './command.ts';
import { onStore, secretsKeyFile } from './with-store.ts';

/** The commands of `secrets`. */
export function secretsCommand(): Command {
  const secrets = new Command('secrets').description(
    'Rotates the key file with which secrets in the database are sealed.',
  );
  const rotate = secrets
    .command('rotate')
    .description(
      'Adds a new key to the key file and seals all secrets of webhooks with it. The former key stays in the file until the next rotation.',
    );
  uses(rotate, {
    on: onStore,
    run: (database) => rotateSecrets(database, secretsKeyFile()),
    text: ({ key, resealed }) => `key ${key}, ${resealed} secrets sealed with it`,
  });
  return secrets;
}
