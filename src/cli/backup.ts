/** `crossramp backup` and `crossramp restore`: the embedded database. */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { parseInstant } from '../base/time/instant.ts';
import type { Config } from '../config.ts';
import { createBackup, endArchiving } from '../postgres/backup/create-backup.ts';
import { restoreBackup } from '../postgres/backup/restore-backup.ts';
import { answer, jsonOption, progressWriter } from './output.ts';
import { untilInterrupted } from './until-interrupted.ts';
import { embeddedConfig } from './with-store.ts';

const KEY_ADVICE = 'Keep a copy of it apart from the backups: without it, no webhook can be signed';

interface BackupFlags {
  readonly keep?: number;
  readonly archiveTimeout: number;
  readonly withSecretsKey?: boolean;
  readonly off?: boolean;
  readonly json?: boolean;
}

/** The command `backup`. */
export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'Backs up the embedded database into a folder while the gateway works, and from then on archives every change there.',
    )
    .argument('[dir]', 'folder of the backups; it is created, or has earlier backups of this database')
    .option('--keep <n>', 'keep only this many backups, and the archive from the oldest of them on', count)
    .option(
      '--archive-timeout <seconds>',
      'seconds after which a change is in the archive at the latest',
      seconds,
      60,
    )
    .option('--with-secrets-key', 'also copy the file of SECRETS_KEY_FILE into the backup')
    .option('--off', 'end archiving; backups stay as they are')
    .addOption(jsonOption())
    .action(async (dir: string | undefined, flags: BackupFlags, command: Command) => {
      const config = embeddedConfig('backup');
      if (flags.off) return endArchive(config, flags);
      if (dir === undefined) return command.error("error: missing required argument 'dir'");
      const startedMs = performance.now();
      const progress = progressWriter<{ files: number; of: number }>(
        flags,
        ({ files, of }) => `${files} of ${of} files copied`,
      );
      const { path, manifest, bytes, removed } = await untilInterrupted(
        'nothing of the backup was kept',
        (signal) =>
          createBackup({
            home: config.home,
            folder: resolve(dir),
            archiveSeconds: flags.archiveTimeout,
            setsMax: flags.keep,
            secretsKeyFile: flags.withSecretsKey ? config.secretsKeyFile : undefined,
            onProgress: progress.report,
            signal,
          }),
      ).finally(progress.end);
      const { startedAt, endedAt, hasSecretsKey, files } = manifest;
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      const key = hasSecretsKey
        ? 'The backup has the key of secrets: whoever reads it can sign webhooks.'
        : `The key file ${config.secretsKeyFile} is not in the backup. ${KEY_ADVICE}.`;
      answer(
        flags,
        { path, startedAt, endedAt, files: files.length, bytes, hasSecretsKey, removed },
        [
          `backed up to ${path}: ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB, ${seconds} s`,
          `Can be restored to any time from ${endedAt} on; changes reach the archive within ${flags.archiveTimeout} s.`,
          ...(removed.length > 0 ? [`Older backups that were removed: ${removed.join(', ')}`] : []),
          key,
        ].join('\n'),
      );
    });
}

async function endArchive({ home }: Config, flags: BackupFlags): Promise<void> {
  const folder = await endArchiving(home);
  const text = folder === undefined ? 'nothing was archived' : `nothing is archived into ${folder} any more`;
  answer(flags, { folder: folder ?? null }, text);
}

/** The command `restore`. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('Restores a backup of the embedded database into a new CROSSRAMP_HOME.')
    .argument('<dir>', 'folder of the backups')
    .option(
      '--until <time>',
      'RFC 3339 time: nothing after it is restored. Default: everything in the archive',
      instant,
    )
    .addOption(jsonOption())
    .action(async (dir: string, flags: { readonly until?: string; readonly json?: boolean }) => {
      const { home, secretsKeyFile } = embeddedConfig('restore');
      const startedMs = performance.now();
      const { from, lastChangeAt, hasSecretsKey } = await untilInterrupted('nothing was restored', (signal) =>
        restoreBackup({ home, folder: resolve(dir), until: flags.until, secretsKeyFile, signal }),
      );
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
      const last = lastChangeAt === null ? 'no change after the backup' : `last change ${lastChangeAt}`;
      const key = hasSecretsKey
        ? `The key file of the backup is ${secretsKeyFile}, unless there was one already.`
        : `Put the key file of secrets back before the start: ${secretsKeyFile}.`;
      answer(
        flags,
        { home, from, lastChangeAt, hasSecretsKey },
        [
          `restored ${from} into ${home}: ${last}; ${seconds} s`,
          key,
          'Nothing is archived from here yet. Next: crossramp verify, the start of the gateway, crossramp backup (docs/backup.md).',
        ].join('\n'),
      );
    });
}

function count(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 10_000) return value;
  throw new InvalidArgumentError('Expected a number from 1 to 10000.');
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 86_400) return value;
  throw new InvalidArgumentError('Expected seconds from 1 to 86400.');
}

function instant(text: string): string {
  const parsed = parseInstant(text);
  if (parsed) return parsed.toISOString();
  throw new InvalidArgumentError('Expected a time with a zone, such as 2026-11-29T12:00:00Z.');
}
