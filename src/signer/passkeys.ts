/**
 * Passkeys that may prove destinations. A passkey is enrolled on the page of the signer with a code from the signer's
 * operator, so the gateway can neither enrol a passkey nor use one of its own.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Settings, SettingsError } from '../base/process/settings.ts';
import { ACCOUNT_FORM } from './approvers.ts';
import { Refusal, SignerError } from './signer-error.ts';

/** Names in the signer's folder: the file of the passkeys, and the folder with a file for each code. */
export const PASSKEY_FILES = { passkeys: 'passkeys.json', codes: 'enrolments' } as const;

/** A passkey enrolled on the signer's page. */
export interface EnrolledPasskey {
  /** Id in base64url. */
  readonly id: string;
  /** Public key as COSE, in base64url. */
  readonly publicKey: string;
  /** Account whose destinations the passkey may prove. */
  readonly account: string;
  /** Name of the person, shown to the operator. */
  readonly name: string;
}

/** Person and account of an enrolment code. */
export type Enrolment = Pick<EnrolledPasskey, 'account' | 'name'>;

/** The passkeys of a signer. */
export interface Passkeys {
  readonly find: (id: string) => EnrolledPasskey | undefined;
  readonly count: () => number;
  /** @throws {Refusal} `enrolment` for an unknown, used or expired code. */
  readonly enrolmentOf: (code: string) => Enrolment;
  /**
   * Uses up the code and stores the passkey.
   * @throws {Refusal} as `enrolmentOf`; also for a passkey that is already enrolled.
   */
  readonly enrol: (code: string, passkey: Pick<EnrolledPasskey, 'id' | 'publicKey'>) => EnrolledPasskey;
}

/** A signer without passkeys. */
export const NO_PASSKEYS: Pick<Passkeys, 'find'> = { find: () => undefined };

const CODE_BYTES = 16;
const CODE_MS = 24 * 60 * 60_000;
const NAME = /^[^\p{Cc}]{1,100}$/u;
const MODES = { file: 0o600, folder: 0o700 } as const;

/**
 * Makes a code that enrols one passkey within 24 hours. Only the hash of the code is stored.
 * @throws {SignerError} for a malformed account or name.
 */
export function makeEnrolmentCode(folder: string, { account, name }: Enrolment, nowMs: number): string {
  if (!ACCOUNT_FORM.test(account))
    throw new SignerError('--account: expected the id of an account at the gateway');
  if (!NAME.test(name)) throw new SignerError('--name: expected 1 to 100 characters');
  const code = randomBytes(CODE_BYTES).toString('base64url');
  mkdirSync(join(folder, PASSKEY_FILES.codes), { mode: MODES.folder, recursive: true });
  const enrolment = { account, name, expiresAt: new Date(nowMs + CODE_MS).toISOString() };
  writeFileSync(codeFile(folder, code), JSON.stringify(enrolment), { mode: MODES.file });
  return code;
}

/** @throws {SignerError} if `passkeys.json` cannot be read. */
export function openPasskeys(folder: string, nowMs: () => number): Passkeys {
  const path = join(folder, PASSKEY_FILES.passkeys);
  const enrolled = new Map(readPasskeys(path).map((each) => [each.id, each]));
  const enrolmentOf = (code: string): Enrolment => {
    const file = codeFile(folder, code);
    if (!existsSync(file)) throw unknownCode();
    const { account, name, expiresAt } = JSON.parse(readFileSync(file, 'utf8'));
    if (Date.parse(expiresAt) <= nowMs()) throw unknownCode();
    return { account, name };
  };
  return {
    find: (id) => enrolled.get(id),
    count: () => enrolled.size,
    enrolmentOf,
    enrol: (code, { id, publicKey }) => {
      const passkey = { id, publicKey, ...enrolmentOf(code) };
      if (enrolled.has(id)) throw new Refusal('enrolment', 'this passkey is already enrolled');
      rmSync(codeFile(folder, code));
      writePasskeys(path, [...enrolled.values(), passkey]);
      enrolled.set(id, passkey);
      return passkey;
    },
  };
}

/** The file name is the hash of the code, so that no text of a request becomes part of a path. */
function codeFile(folder: string, code: string): string {
  const name = createHash('sha256').update(code).digest('hex');
  return join(folder, PASSKEY_FILES.codes, `${name}.json`);
}

const unknownCode = () => new Refusal('enrolment', 'the code is not known, was used, or has expired');

function readPasskeys(path: string): readonly EnrolledPasskey[] {
  if (!existsSync(path)) return [];
  try {
    const passkeys: unknown = JSON.parse(readFileSync(path, 'utf8'));
    // An empty list is valid: the operator may have removed all passkeys.
    if (Array.isArray(passkeys) && passkeys.length === 0) return [];
    return new Settings({ passkeys }, '').parts('passkeys').map(passkeyIn);
  } catch (error) {
    if (error instanceof SettingsError || error instanceof SyntaxError)
      throw new SignerError(`${path}: ${error.message}`);
    throw error;
  }
}

function passkeyIn(settings: Settings): EnrolledPasskey {
  return settings.end({
    id: settings.match('id', /^[\w-]+$/, 'the id of a passkey in base64url'),
    publicKey: settings.match('publicKey', /^[\w-]+$/, 'a COSE key in base64url'),
    account: settings.match('account', ACCOUNT_FORM, 'the id of an account at the gateway'),
    name: settings.match('name', NAME, '1 to 100 characters'),
  });
}

/** Replaces the whole file atomically: if the signer is killed, either the old or the new file remains. */
function writePasskeys(path: string, passkeys: readonly EnrolledPasskey[]): void {
  const next = `${path}.new`;
  writeFileSync(next, `${JSON.stringify(passkeys, null, 2)}\n`, { mode: MODES.file, flush: true });
  renameSync(next, path);
}
