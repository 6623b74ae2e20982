/** Reads JSON settings: each member is checked, named by its path, and unknown members are refused. */
import { readFileSync } from 'node:fs';
import { isDecimal, isMore, toMinor } from '../money/money.ts';

/** Settings that are not accepted; the message names the member and the accepted form. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const HOSTS_WITHOUT_TLS = ['localhost', '127.0.0.1', '[::1]'];
const URL_FORM = 'an https URL (http only to this machine) without user name and password';
/** An extended private key, or 32 bytes in hex. */
const PRIVATE_KEY = /^(xprv|tprv|zprv|yprv)|^(0x)?[0-9a-f]{64}$/i;
const SHOWN_MAX = 60;

/** Minimum and maximum of a whole number, and its default. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly fallback?: number;
}

/**
 * The members of one object. A reader of all members calls `end`, which refuses an unknown member, such as a misspelt
 * one.
 */
export class Settings {
  /** Path of the object: `live.pix`. */
  readonly path: string;
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #read = new Set<string>();

  /** @throws {SettingsError} when it is not an object. */
  constructor(json: unknown, path: string) {
    if (!isObject(json))
      throw new SettingsError(`${path || 'the file'}: expected an object, got ${shown(json)}`);
    this.path = path;
    this.#members = json;
  }

  /** @returns names of the members, in their order. */
  names(): readonly string[] {
    return Object.keys(this.#members);
  }

  /** @returns whether a member is there. */
  has(name: string): boolean {
    this.#read.add(name);
    return this.#members[name] !== undefined;
  }

  /** @returns a member unchanged; undefined if missing. */
  raw(name: string): unknown {
    this.#read.add(name);
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }

  /** @returns the path of a member, for messages. */
  at(name: string): string {
    return this.path ? `${this.path}.${name}` : name;
  }

  /** @throws {SettingsError} always: names the member, the expected form and the actual value. */
  refuse(name: string, expected: string): never {
    throw new SettingsError(`${this.at(name)}: expected ${expected}, got ${shown(this.#members[name])}`);
  }

  /**
   * @returns the result of `parse` for a text; `parse` returns undefined for a text that it rejects. `expected` is the
   * form as text.
   */
  parse<Value>(
    name: string,
    expected: string,
    parse: (text: string) => Value | undefined,
    fallback?: string,
  ): Value {
    const value = this.raw(name) ?? fallback;
    return (typeof value === 'string' ? parse(value) : undefined) ?? this.refuse(name, expected);
  }

  /** @returns a text that is not empty. */
  text(name: string): string {
    return this.parse(name, 'a text', (text) => text || undefined);
  }

  /** @returns a text of the form; `expected` describes the form. */
  match(name: string, form: RegExp, expected: string, fallback?: string): string {
    return this.parse(name, expected, (text) => (form.test(text) ? text : undefined), fallback);
  }

  /** @returns an https URL, http only to this machine; without a slash at its end unless it has a query. */
  url(name: string): string {
    return this.parse(name, URL_FORM, safeUrl);
  }

  /** @returns the URL in a file, because it contains a secret: no message shows it. */
  urlIn(name: string): string {
    return safeUrl(this.contents(name)) ?? this.refuse(name, `a file with ${URL_FORM}`);
  }

  /** @returns the name of a file that can be read. */
  file(name: string): string {
    this.contents(name);
    return this.text(name);
  }

  /** @returns the contents of the file that the member names, without spaces at its ends. */
  contents(name: string): string {
    const path = this.text(name);
    try {
      return readFileSync(path, 'utf8').trim();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw new SettingsError(`${this.at(name)}: cannot read ${path} (${code})`);
    }
  }

  /** @returns a whole number within the bounds. */
  integer(name: string, { min, max, fallback }: Bounds): number {
    const value = this.raw(name) ?? fallback;
    const isAccepted = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    return isAccepted ? value : this.refuse(name, `an integer from ${min} to ${max}`);
  }

  /** @returns a whole number of seconds within the bounds, as milliseconds. */
  seconds(name: string, bounds: Bounds): number {
    return 1_000 * this.integer(name, bounds);
  }

  /** @returns a non-negative decimal number, written as a text so that no digit is lost. */
  decimal(name: string, fallback?: string): string {
    const form = 'a decimal number as a text, such as "0.01"';
    return this.parse(
      name,
      form,
      (text) => (isDecimal(text) && !isMore('0', text) ? text : undefined),
      fallback,
    );
  }

  /** @returns an amount in minor units with the given number of decimals, read like `decimal`. */
  minor(name: string, decimals: number, fallback?: string): bigint {
    const amount = this.decimal(name, fallback);
    const count = amount.split('.')[1]?.length ?? 0;
    return count > decimals ? this.refuse(name, `at most ${decimals} decimals`) : toMinor(amount, decimals);
  }

  /** @returns the value, which must be one of the list. */
  choice<Value extends string>(name: string, values: readonly Value[], fallback?: Value): Value {
    const value = this.raw(name) ?? fallback;
    const found = values.find((each) => each === value);
    return found ?? this.refuse(name, values.map((each) => JSON.stringify(each)).join(' or '));
  }

  /** @returns true or false. */
  flag(name: string, fallback?: boolean): boolean {
    const value = this.raw(name) ?? fallback;
    return typeof value === 'boolean' ? value : this.refuse(name, 'true or false');
  }

  /** @returns the reader of a nested object. */
  part(name: string): Settings {
    return new Settings(this.raw(name), this.at(name));
  }

  /** @returns the texts of a list; an empty list if missing. */
  texts(name: string): readonly string[] {
    const value = this.raw(name) ?? [];
    const isAccepted = Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
    return isAccepted ? value : this.refuse(name, 'a list of texts');
  }

  /** @returns the readers of the objects of a list that has at least one. */
  parts(name: string): readonly Settings[] {
    const value = this.raw(name);
    if (!Array.isArray(value) || value.length === 0)
      return this.refuse(name, 'a list of at least one object');
    return value.map((each, index) => new Settings(each, `${this.at(name)}[${index}]`));
  }

  /**
   * @returns `settings`, which the caller has read from this object. @throws {SettingsError} naming a member that was
   * not read.
   */
  end<Value>(settings: Value): Value {
    const unknown = this.names().find((name) => !this.#read.has(name));
    if (unknown === undefined) return settings;
    const known = [...this.#read].toSorted().join(', ');
    throw new SettingsError(`${this.at(unknown)}: there is no such setting; known here: ${known}`);
  }
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** @returns the URL without a slash at its end, unless it has a query; undefined if it is not accepted. */
function safeUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, username, password } = new URL(text);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && HOSTS_WITHOUT_TLS.includes(hostname));
  if (!isSafe || username !== '' || password !== '') return undefined;
  return text.includes('?') ? text : text.replace(/\/+$/, '');
}

/** The actual value, shortened to one line. A private key in the settings is never printed. */
function shown(value: unknown): string {
  if (typeof value === 'string' && PRIVATE_KEY.test(value)) return 'a private key';
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, SHOWN_MAX);
}
