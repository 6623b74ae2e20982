/**
 * The directory of PIX keys (DICT). Each PSP has its own look-up call; this one is specific to `crossramp psp`. A
 * missing key costs twenty times as many look-ups, as in the directory's manual, to stop guessing of keys.
 */
import { parseTaxId } from '../base/pix/tax-id.ts';
import type { PspParts } from './parts.ts';
import { problem } from './problem.ts';
import { person } from './received.ts';

/** Maximum look-ups of a caller, and the number refilled per minute. */
const BUCKET = 500;
const MISS_COSTS = 20;
const MINUTE_MS = 60_000;
/** Keys of this domain never exist, so that tests can look up a missing key without preparation. */
const UNOWNED_KEY = /@[^@]*\.invalid$/;
const EMAIL_OR_PHONE_OR_UUID = /^(?:[^@\s]+@[^@\s]+|\+\d{8,15}|[0-9a-f-]{36})$/;

/** @returns the handler of `GET /v2/dict/{chave}`: the disclosed owner of a key, while look-ups are left. */
export function directory(parts: PspParts): (key: string) => object {
  let bucket = { left: BUCKET, atMs: 0 };
  return (key) => {
    const now = Date.now();
    const left = Math.min(BUCKET, bucket.left + ((now - bucket.atMs) * BUCKET) / MINUTE_MS);
    if (left < 1) throw problem(429, 'LimiteDeConsultas', 'As consultas à lista de chaves esgotaram-se.');
    const owner = ownerOf(parts, key);
    bucket = { left: left - (owner ? 1 : MISS_COSTS), atMs: now };
    if (!owner) throw problem(404, 'ChaveNaoEncontrada', 'A chave não foi encontrada no DICT.');
    return { chave: key, ispb: parts.holder.ispb, ...owner };
  };
}

/**
 * A CPF or CNPJ belongs to itself. For other keys the tax id is disclosed if a test has set it; otherwise only the
 * existence of the key.
 */
function ownerOf({ store }: PspParts, key: string): object | undefined {
  const set = store.one<{ taxId: string; name: string }>(
    'select tax_id as "taxId", name from directory where key = ?',
    key,
  );
  if (set) return { titular: person(set.taxId, set.name) };
  if (parseTaxId(key)) return { titular: person(key, 'Titular da chave') };
  return EMAIL_OR_PHONE_OR_UUID.test(key) && !UNOWNED_KEY.test(key)
    ? { titular: { nome: 'Titular da chave' } }
    : undefined;
}
