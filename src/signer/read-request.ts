/** Reads requests, and checks the form of every member before it is used. */
import { INTENTS, type Intent, type SigningKey, type SignRequest } from '../chains/sign-request.ts';
import { Refusal } from './signer-error.ts';

const ID = /^[\x21-\x7e]{1,200}$/;
/** Maximum length of an unsigned transaction, far above that of any transfer. Unit: characters. */
const UNSIGNED_MAX = 4_096;
const INDEX_MAX = 2 ** 31 - 1;

/** @throws {Refusal} `unreadable`, naming the member and the accepted form. */
export function readRequest(body: Readonly<Record<string, unknown>>): SignRequest {
  const { id, network, unsigned, intent, depositIndex, proof } = body;
  if (typeof id !== 'string' || !ID.test(id)) throw wrong('id', '1 to 200 visible characters of ASCII');
  if (typeof network !== 'string') throw wrong('network', 'a text');
  if (typeof unsigned !== 'string' || unsigned.length > UNSIGNED_MAX)
    throw wrong('unsigned', `at most ${UNSIGNED_MAX} hexadecimal digits`);
  if (!INTENTS.includes(intent as Intent)) throw wrong('intent', `one of ${INTENTS.join(', ')}`);
  if (depositIndex !== undefined && !isIndex(depositIndex)) throw wrong('depositIndex', INDEX_FORM);
  return {
    id,
    network,
    key: keyOf(body.key),
    unsigned,
    intent: intent as Intent,
    ...(depositIndex !== undefined && { depositIndex }),
    ...(proof !== undefined && proof !== null && { proof }),
  };
}

const INDEX_FORM = `an integer from 0 to ${INDEX_MAX}`;
const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= INDEX_MAX;

function keyOf(value: unknown): SigningKey {
  const { purpose, index } = (value ?? {}) as Record<string, unknown>;
  if (purpose === 'hot') return { purpose };
  if (purpose !== 'deposit') throw wrong('key.purpose', 'hot or deposit');
  if (!isIndex(index)) throw wrong('key.index', INDEX_FORM);
  return { purpose, index };
}

const wrong = (name: string, form: string) => new Refusal('unreadable', `${name}: expected ${form}`);
