/** The file of the seed, sealed by AES-256-GCM under a key that scrypt derives from the passphrase. */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { SignerError } from './signer-error.ts';

/** Cost of one passphrase attempt: a third of a second and 128 MiB. */
const KDF = { name: 'scrypt', n: 2 ** 17, r: 8, p: 1 } as const;
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PASSPHRASE_MIN = 12;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/**
 * Writes the file, unless it exists.
 * @throws {SignerError} if the file exists, or the passphrase has fewer than 12 characters.
 */
export async function writeKeyFile(path: string, seed: Uint8Array, passphrase: string): Promise<void> {
  if (passphrase.length < PASSPHRASE_MIN)
    throw new SignerError(`the passphrase must have at least ${PASSPHRASE_MIN} characters`);
  const header = { version: 1, kdf: KDF, cipher: CIPHER, salt: base64(randomBytes(SALT_BYTES)) };
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, await keyOf(passphrase, header.salt), nonce);
  cipher.setAAD(Buffer.from(JSON.stringify(header)));
  const sealed = Buffer.concat([cipher.update(seed), cipher.final(), cipher.getAuthTag()]);
  const file = { ...header, nonce: base64(nonce), sealed: base64(sealed) };
  try {
    writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new SignerError(`${path} already exists: a key is never overwritten`);
  }
}

/** @returns the seed. @throws {SignerError} when the file is not a key file, or the passphrase is wrong. */
export async function readKeyFile(path: string, passphrase: string): Promise<Uint8Array> {
  const { nonce, sealed, ...header } = parse(path);
  const expected = { version: 1, kdf: KDF, cipher: CIPHER, salt: header.salt };
  if (JSON.stringify(header) !== JSON.stringify(expected) || !nonce || !sealed)
    throw new SignerError(`${path} is not a key file of this version`);
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(
    CIPHER,
    await keyOf(passphrase, expected.salt),
    Buffer.from(nonce, 'base64'),
  );
  decipher.setAAD(Buffer.from(JSON.stringify(expected)));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SignerError(`the passphrase does not open ${path}`);
  }
}

interface KeyFile {
  readonly salt: string;
  readonly nonce?: string;
  readonly sealed?: string;
}

function parse(path: string): KeyFile {
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text) as KeyFile;
  } catch {
    throw new SignerError(`${path} is not a key file of this version`);
  }
}

function keyOf(passphrase: string, salt: string): Promise<Buffer> {
  const { n, r, p } = KDF;
  const maxmem = 256 * n * r;
  return derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), KEY_BYTES, { N: n, r, p, maxmem });
}

const base64 = (bytes: Buffer) => bytes.toString('base64');
