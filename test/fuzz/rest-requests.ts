/** Makes requests to `/v2` from the route table: mostly such as could be meant, each with something odd now and then. */
import type { Route } from '../../src/rest-compat/route.ts';
import { BODIES, ROUTES } from '../support/rest-routes.ts';
import type { Values } from './values.ts';

/** A request, ready to be sent. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query, of bytes that may stand in a request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer | undefined;
  /** How long a stream of events is read before it is left, milliseconds. */
  readonly readsMs?: number;
}

const METHODS = ['GET', 'POST', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const PATHS = ['/', '/v2', '/v2/', '/v2/onramp', '/v2//', '/healthz', '/errors/x', '/v2/%', '/%00'];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'text/plain',
  'x',
  'multipart/form-data',
];
const ACCEPTS = [
  '*/*',
  'application/json',
  'text/html',
  'application/*;q=0',
  ',,;',
  'a/b;q=x',
  'application/problem+json',
];
const BROKEN = [
  '',
  '{',
  '[',
  'null',
  '[]',
  '"x"',
  '5',
  '{"a":',
  '{"a":1}}',
  '\u0000',
  '{"amount_payment":1e9999}',
  '{}{}',
];

/** @returns the next request of a caller with this key. */
export function restRequest(values: Values, apiKey: string): FuzzRequest {
  const { random } = values;
  const route = random.pick(ROUTES);
  const method = random.chance(0.97) ? route.method : random.pick(METHODS);
  const path = random.chance(0.98) ? route.path.replace('{id}', () => segment(values)) : random.pick(PATHS);
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(values, route);
  return { method, target: path + queryOf(values, route), headers: headersOf(values, apiKey, body), body };
}

/** As it stands in a path: encoded, or cut in the middle of an escape. */
function segment(values: Values): string {
  const encoded = encode(values.record());
  return values.random.chance(0.97)
    ? encoded
    : `${encoded}%${values.random.pick(['', 'f', 'ff', 'zz', '00'])}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function queryOf(values: Values, { parameters }: Route): string {
  const { random } = values;
  const given = parameters.filter(() => random.chance(0.3));
  if (random.chance(0.05)) given.push(...given, 'x', values.oddText());
  const pairs = given.map((name) => {
    const value = random.chance(0.8) ? values.fitting(name) : values.oddText();
    // A stream of polls must not hold the fuzzer.
    const waits = name === 'wait' && !/^(0|1|-.*|\D.*)$/.test(value);
    return `${encode(name)}=${waits ? '0' : encode(value)}`;
  });
  if (random.chance(0.02)) pairs.push('%', '%ff=%ff', '=', '&&', 'a=b=c');
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function bodyOf(values: Values, { path, body: shape = {} }: Route): string | Buffer {
  const { random } = values;
  if (random.chance(0.02)) return random.pick(BROKEN);
  if (random.chance(0.005)) return Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
  const required = Object.keys(BODIES[path] ?? {});
  const names = Object.keys(shape).filter((name) =>
    required.includes(name) ? random.chance(0.97) : random.chance(0.15),
  );
  // The two amounts of an order exclude each other.
  const amounts = names.filter((name) => name.startsWith('amount_'));
  const members = names
    .filter((name) => !amounts.includes(name) || name === random.pick(amounts) || random.chance(0.05))
    .map((name) => `${JSON.stringify(name)}:${tokenOf(values, path, name, shape[name]?.kind === 'number')}`);
  if (random.chance(0.04)) members.push(`${JSON.stringify(values.oddText())}:${odd(values)}`);
  if (random.chance(0.02) && members[0]) members.push(members[0]);
  return `{${members.join(',')}}`;
}

function tokenOf(values: Values, path: string, name: string, isNumber: boolean): string {
  const { random } = values;
  if (random.chance(0.06)) return odd(values);
  if (name === 'end2end') return JSON.stringify(values.record());
  const usual = BODIES[path]?.[name];
  if (usual !== undefined && random.chance(0.4)) return JSON.stringify(usual);
  const value = values.fitting(name);
  return isNumber && random.chance(0.5) ? value : JSON.stringify(value);
}

/** @returns a JSON value of any kind. */
function odd(values: Values): string {
  const { random } = values;
  const kind = random.integer(0, 6);
  if (kind <= 2) return JSON.stringify(values.oddText());
  if (kind === 3) return values.oddNumber();
  return random.pick(['null', 'true', 'false', '[]', '{}', '[1]', '{"a":1}', '[[[[]]]]', '""']);
}

function headersOf(
  values: Values,
  apiKey: string,
  body: string | Buffer | undefined,
): FuzzRequest['headers'] {
  const { random } = values;
  const headers: Record<string, string | readonly string[]> = {};
  if (random.chance(0.995)) headers.authorization = `Bearer ${apiKey}`;
  if (body !== undefined)
    headers['content-type'] = random.chance(0.98) ? 'application/json' : random.pick(TYPES);
  if (body !== undefined && random.chance(0.4)) headers['idempotency-key'] = idempotencyKey(values);
  if (random.chance(0.03)) headers.accept = random.pick(ACCEPTS);
  if (random.chance(0.02)) headers['x-request-id'] = random.pick(['a', '', 'x'.repeat(200), 'é', '1 2']);
  return headers;
}

/** New, used before by a request of the last ones, or none that is taken. */
function idempotencyKey({ random }: Values): string | readonly string[] {
  if (random.chance(0.03)) return random.pick(['', ' ', 'é', 'x'.repeat(256), 'a b']);
  if (random.chance(0.02)) return ['a', 'b'];
  return `key-${random.integer(1, 5_000)}`;
}
