/**
 * The key file of the secrets in the database (decision 0056): one key per line, the current one first, then former
 * ones. The gateway and commands read it, the first start makes it, and `crossramp secrets rotate` changes it.
 */
import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import {
  newSecretKey,
  parseSecretKey,
  type SecretBox,
  type SecretKey,
  SecretKeyError,
  secretBox,
} from '../base/access/secret-box.ts';
import { makeFolder } from '../base/process/make-folder.ts';
import type { Database } from '../store/connection/database.ts';
import {
  addSecretKey,
  eachSecret,
  lockSecretKeys,
  readSecretKeys,
  removeSecretKeys,
  resealSecrets,
} from '../store/webhooks/sealed-secrets.ts';

/** @returns a box that seals and opens with the keys of a file, which it reads when it first needs a key. */
export function secretsOf(file: string): SecretBox {
  return secretBox(() => readKeys(file));
}

/**
 * Creates the key file if the database has no sealed secrets yet, and seals secrets that an earlier version stored
 * unsealed.
 * @throws {SecretKeyError} when the file is missing, malformed, or lacks a key of sealed secrets in the database.
 */
export async function openSecrets(
  database: Database,
  file: string,
  log?: Pick<Logger, 'warn'>,
): Promise<SecretBox> {
  await database.withTx(async (tx) => {
    const known = await lockSecretKeys(tx);
    if (known.length === 0 && makeFile(file))
      log?.warn(
        { file },
        'the key file for webhook secrets was created: back it up, because nothing else opens them',
      );
    const keys = readKeys(file);
    const lacking = known.find((id) => !keys.some((key) => key.id === id));
    if (lacking !== undefined)
      throw new SecretKeyError(
        `SECRETS_KEY_FILE: ${file} lacks key ${lacking}, which secrets of the database are sealed with`,
      );
    await addSecretKey(tx, (keys[0] as SecretKey).id);
  });
  const box = secretsOf(file);
  await resealSecrets(database, box.seal);
  return box;
}

/**
 * Opens the keys for a command, which may run before the first start. The command creates the file when it first needs
 * a key and the database has no sealed secret.
 * @param onMade - called with the new file.
 * @returns the box, and a function that records the new key in the database.
 */
export async function secretsOfCommand(
  database: Database,
  file: string,
  onMade: (file: string) => void,
): Promise<{ readonly secrets: SecretBox; readonly register: () => Promise<void> }> {
  const isFirst = !existsSync(file) && (await readSecretKeys(database)).length === 0;
  let isMade = false;
  const secrets = secretBox(() => {
    if (isFirst && !isMade && makeFile(file)) {
      isMade = true;
      onMade(file);
    }
    return readKeys(file);
  });
  const register = async () => {
    if (isMade) await openSecrets(database, file);
  };
  return { secrets, register };
}

/** Finding about the key file. */
export interface KeyFileCheck {
  readonly ok: boolean;
  readonly detail: string;
}

/** Permissions that only the owner should have. A group may read, because orchestrators mount secrets in this way. */
const TOO_OPEN = 0o037;

/** Checks that the key file exists, that only its owner can read it, and that it opens every sealed secret. */
export async function checkKeyFile(database: Database, file: string): Promise<KeyFileCheck> {
  try {
    if (!existsSync(file) && (await readSecretKeys(database)).length === 0)
      return { ok: true, detail: `the first start makes ${file}` };
    const keys = readKeys(file);
    const mode = statSync(file).mode & 0o777;
    if ((mode & TOO_OPEN) !== 0) {
      const detail = `${file} has the mode ${mode.toString(8)}, so others may read or change it: chmod 600 ${file}`;
      return { ok: false, detail };
    }
    const box = secretBox(() => keys);
    const count = await eachSecret(database, box.open);
    return { ok: true, detail: `${file} opens all ${count} secrets of the database` };
  } catch (error) {
    if (error instanceof SecretKeyError) return { ok: false, detail: error.message };
    throw error;
  }
}

/** Outcome of a rotation. */
export interface Rotation {
  /** Id of the new key. */
  readonly key: string;
  readonly resealed: number;
}

/**
 * Adds a new key to the file and seals all secrets with it. The previous key stays in the file for one more rotation: a
 * running gateway may still seal with it, and backups need it.
 * @throws {SecretKeyError} the errors of `openSecrets`.
 */
export async function rotateSecrets(database: Database, file: string): Promise<Rotation> {
  await openSecrets(database, file);
  const next = newSecretKey();
  const key = parseSecretKey(next) as SecretKey;
  const former = await database.withTx(async (tx) => {
    await lockSecretKeys(tx);
    const lines = readLines(file);
    replaceFile(file, [next, ...lines]);
    await addSecretKey(tx, key.id);
    return lines.slice(1);
  });
  const box = secretsOf(file);
  const resealed = await resealSecrets(
    database,
    (stored, owner) => box.seal(box.open(stored, owner), owner),
    key.id,
  );
  await database.withTx(async (tx) => {
    await lockSecretKeys(tx);
    await removeSecretKeys(
      tx,
      former.map((line) => (parseSecretKey(line) as SecretKey).id),
    );
    replaceFile(
      file,
      readLines(file).filter((line) => !former.includes(line)),
    );
  });
  return { key: key.id, resealed };
}

/** @returns whether the file was missing. */
function makeFile(file: string): boolean {
  makeFolder(dirname(file), 0o700);
  try {
    writeFileSync(file, `${newSecretKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new SecretKeyError(`SECRETS_KEY_FILE: cannot make ${file}: ${code}`);
    return false;
  }
}

/** The file keeps its owner, so that a command of the administrator does not lock out the gateway. */
function replaceFile(file: string, lines: readonly string[]): void {
  const draft = `${file}.draft`;
  const { uid, gid } = statSync(file);
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
  if (uid !== process.getuid?.()) chownSync(draft, uid, gid);
  renameSync(draft, file);
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'is missing: restore it, or name it' : `cannot be read (${code})`;
    throw new SecretKeyError(`SECRETS_KEY_FILE: ${file}, the key of the secrets in the database, ${reason}`);
  }
}

function readKeys(file: string): readonly SecretKey[] {
  const keys = readLines(file).map(parseSecretKey);
  if (keys.length === 0 || keys.includes(undefined))
    throw new SecretKeyError(
      `SECRETS_KEY_FILE: ${file} must hold one key a line, each the base64 of 32 bytes`,
    );
  return keys as SecretKey[];
}
