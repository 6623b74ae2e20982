/**
 * Secrets in their stored form: sealed by AES-256-GCM under a key that the database does not have. The sealed text names its
 * key, and opens only for the record that it was sealed for.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Seals secrets before they are stored, and opens them. */
export interface SecretBox {
  /** @param owner - names the record; the same is needed to open. @returns `s1.<key id>.<base64url>`. */
  readonly seal: (secret: string, owner: string) => string;
  /** @returns the secret; an unsealed text of an earlier version unchanged. @throws {SecretKeyError} */
  readonly open: (stored: string, owner: string) => string;
}

/**
 * Thrown if a secret cannot be sealed or opened: the key is missing, or is another one. The message contains no secret.
 */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError';
}

/** A key, and the id by which sealed texts name it. */
export interface SecretKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Prefix of every sealed text. */
export const SEALED = 's1.';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_LENGTH = 12;
const ALGORITHM = 'aes-256-gcm';
/**
 * Maximum age of the keys in memory before sealing reads the file again: a rotation may have changed the current key.
 * Unit: ms.
 */
const FRESH_MS = 1_000;

/** @returns a new key as text: the base64 of 32 random bytes. */
export function newSecretKey(): string {
  return randomBytes(KEY_BYTES).toString('base64');
}

/** @returns the key of a text; undefined when it is not the base64 of 32 bytes. */
export function parseSecretKey(text: string): SecretKey | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text) return undefined;
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, ID_LENGTH), bytes };
}

/**
 * @param readKeys - reads the keys, the current one first; throws if there are none. Called when a key is first needed,
 * before sealing at most once a second, and when a sealed text names an unknown key.
 */
export function secretBox(readKeys: () => readonly SecretKey[]): SecretBox {
  let keys: readonly SecretKey[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  const read = () => {
    keys = readKeys();
    readAt = performance.now();
    return keys;
  };
  const current = () => {
    if (performance.now() - readAt >= FRESH_MS)
      try {
        read();
      } catch (error) {
        if (keys.length === 0) throw error;
        // While the file is being replaced, the known keys stay in use until the next rotation.
        readAt = performance.now();
      }
    return keys[0] as SecretKey;
  };
  return {
    seal: (secret, owner) => sealWith(current(), secret, owner),
    open: (stored, owner) => {
      if (!stored.startsWith(SEALED)) return stored;
      const [, id = '', data = ''] = stored.split('.');
      const named = (key: SecretKey) => key.id === id;
      const key = keys.find(named) ?? read().find(named);
      if (!key)
        throw new SecretKeyError(`a stored secret is sealed with key ${id}, which the key file lacks`);
      return openWith(key, Buffer.from(data, 'base64url'), owner);
    },
  };
}

/** Fails on each use; for services without a key file. */
export const NO_SECRET_KEYS: SecretBox = secretBox(() => {
  throw new SecretKeyError('there is no key file for secrets');
});

function sealWith({ id, bytes }: SecretKey, secret: string, owner: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, bytes, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${SEALED}${id}.${sealed.toString('base64url')}`;
}

function openWith({ id, bytes }: SecretKey, sealed: Buffer, owner: string): string {
  try {
    const decipher = createDecipheriv(ALGORITHM, bytes, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(owner))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (error) {
    throw new SecretKeyError(`a stored secret does not open with key ${id}: it was changed`, {
      cause: error,
    });
  }
}
