/**
 * The directory of keys (DICT). Each PSP has its own call for it, so this one is ours. A missing key costs twenty
 * times as much of the caller's look-ups, as in the directory's manual: guessing of keys soon stops.
 */
import { parseTaxId } from '../base/pix/tax-id.ts';
import type { PspParts } from './parts.ts';
import { problem } from './problem.ts';
import { person } from './received.ts';

/** Number of look-ups of a caller, and how many come back per minute. */
const BUCKET = 500;
const MISS_COSTS = 20;
const MINUTE_MS = 60_000;
/** Keys of this domain are in no directory, so that one can be missing without saying so first. */
const UNOWNED_KEY = /@[^@]*\.invalid$/;
const EMAIL_OR_PHONE_OR_UUID = /^(?:[^@\s]+@[^@\s]+|\+\d{8,15}|[0-9a-f-]{36})$/;

/** @returns `GET /v2/dict/{chave}`: the owner of a key, as far as it is disclosed, while look-ups are left. */
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
 * A CPF or CNPJ belongs to itself. The tax id of other keys is disclosed where it was set; else only the existence of
 * the key.
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
