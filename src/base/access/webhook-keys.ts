/** Keys that webhooks are signed with, in the text forms of Standard Webhooks 1.0.0 (C-60). */
import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** An Ed25519 key in the text forms of common libraries: the private one is stored, the public one published. */
export interface SigningKey {
  /** `whsk_` and the base64 of 32 bytes of seed and 32 bytes of public key. */
  readonly secret: string;
  /** `whpk_` and the base64 of 32 bytes. */
  readonly public: string;
}

const SECRET_BYTES = 32;
const ED25519_BYTES = 32;

/** @returns a new secret: `whsec_` and the base64 of 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** @returns a new Ed25519 key, in the forms that libraries of Standard Webhooks accept. */
export function newSigningKey(): SigningKey {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(jwk.d as string, 'base64url');
  const point = Buffer.from(jwk.x as string, 'base64url');
  return {
    secret: `whsk_${Buffer.concat([seed, point]).toString('base64')}`,
    public: `whpk_${point.toString('base64')}`,
  };
}

/** @returns the public form, `whpk_…`, of a signing key that `newSigningKey` made. */
export function publicHalf(signingKey: string): string {
  const bytes = Buffer.from(signingKey.slice('whsk_'.length), 'base64');
  return `whpk_${bytes.subarray(ED25519_BYTES).toString('base64')}`;
}
