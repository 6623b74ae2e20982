/** Reads settings that are written as JSON: each member is checked, named by its path, and none is left over. */
import { readFileSync } from 'node:fs';
import { isDecimal, isMore } from './money.ts';

/** Settings that are not accepted; the message names the member and the accepted form. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const HOSTS_WITHOUT_TLS = ['localhost', '127.0.0.1', '[::1]'];
const URL_FORM = 'an https URL (http only to this machine) without user name and password';
/** An extended private key, or 32 bytes in hex. */
const PRIVATE_KEY = /^(xprv|tprv|zprv|yprv)|^(0x)?[0-9a-f]{64}$/i;
const SHOWN_MAX = 60;

/** The members of one object. Whoever has read all that it knows calls `end`, which refuses the rest: a slip of the pen is found. */
export class Settings {
  /** Where the object stands: `live.pix`. */
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

  /** @returns a member as it stands; undefined where there is none. */
  raw(name: string): unknown {
    this.#read.add(name);
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }

  /** @returns the path of a member, for messages. */
  at(name: string): string {
    return this.path ? `${this.path}.${name}` : name;
  }

  /** @throws {SettingsError} always: the member, what was expected, and what is there. */
  refuse(name: string, expected: string): never {
    throw new SettingsError(`${this.at(name)}: expected ${expected}, got ${shown(this.#members[name])}`);
  }

  /** @returns a text that is not empty; `fallback` where there is none. */
  text(name: string, fallback?: string): string {
    const value = this.raw(name) ?? fallback;
    return typeof value === 'string' && value !== '' ? value : this.refuse(name, 'a text');
  }

  /** @returns a text of the form; `expected` says in words which one. */
  match(name: string, form: RegExp, expected: string, fallback?: string): string {
    const value = this.raw(name) ?? fallback;
    return typeof value === 'string' && form.test(value) ? value : this.refuse(name, expected);
  }

  /** @returns an https URL, http only to this machine; without a slash at its end unless it has a query. */
  url(name: string): string {
    const value = this.raw(name);
    return typeof value === 'string' && isSafeUrl(value) ? withoutSlash(value) : this.refuse(name, URL_FORM);
  }

  /** @returns the URL that stands in a file, because something in it is secret: no message shows it. */
  urlIn(name: string): string {
    const url = this.contents(name);
    if (!isSafeUrl(url))
      throw new SettingsError(
        `${this.at(name)}: expected a file with ${URL_FORM}, and it holds something else`,
      );
    return withoutSlash(url);
  }

  /** @returns the name of a file that can be read. */
  file(name: string): string {
    const path = this.text(name);
    this.#contentsOf(name, path);
    return path;
  }

  /** @returns what stands in the file that the member names, without spaces at its ends. */
  contents(name: string): string {
    return this.#contentsOf(name, this.text(name)).trim();
  }

  /** @returns a whole number within the bounds. */
  integer(
    name: string,
    bounds: { readonly min: number; readonly max: number; readonly fallback?: number },
  ): number {
    const value = this.raw(name) ?? bounds.fallback;
    const isTaken =
      Number.isInteger(value) && (value as number) >= bounds.min && (value as number) <= bounds.max;
    return isTaken ? (value as number) : this.refuse(name, `an integer from ${bounds.min} to ${bounds.max}`);
  }

  /** @returns a decimal number, written as a text so that no digit is lost, that is not negative. */
  decimal(name: string, fallback?: string): string {
    const value = this.raw(name) ?? fallback;
    const isTaken = typeof value === 'string' && isDecimal(value) && !isMore('0', value);
    return isTaken ? value : this.refuse(name, 'a decimal number as a text, such as "0.01"');
  }

  /** @returns one of the values. */
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

  /** @returns an object inside. */
  part(name: string): Settings {
    return new Settings(this.raw(name), this.at(name));
  }

  /** @returns the texts of a list; an empty list where there is none. */
  texts(name: string): readonly string[] {
    const value = this.raw(name) ?? [];
    const isTaken = Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
    return isTaken ? value : this.refuse(name, 'a list of texts');
  }

  /** @returns the objects of a list that has at least one. */
  parts(name: string): readonly Settings[] {
    const value = this.raw(name);
    if (!Array.isArray(value) || value.length === 0)
      return this.refuse(name, 'a list of at least one object');
    return value.map((each, index) => new Settings(each, `${this.at(name)}[${index}]`));
  }

  /** @throws {SettingsError} naming a member that nobody has read. */
  end(): void {
    const unknown = this.names().find((name) => !this.#read.has(name));
    if (unknown === undefined) return;
    const known = [...this.#read].toSorted().join(', ');
    throw new SettingsError(`${this.at(unknown)}: there is no such setting; known here: ${known}`);
  }

  #contentsOf(name: string, path: string): string {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw new SettingsError(`${this.at(name)}: cannot read ${path} (${code})`);
    }
  }
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isTaken = protocol === 'https:' || (protocol === 'http:' && HOSTS_WITHOUT_TLS.includes(hostname));
  return isTaken && username === '' && password === '';
}

function withoutSlash(url: string): string {
  return url.includes('?') ? url : url.replace(/\/+$/, '');
}

/** What is there, cut to a length that fits a line. A private key that somebody put there is not printed. */
function shown(value: unknown): string {
  if (typeof value === 'string' && PRIVATE_KEY.test(value)) return 'a private key';
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, SHOWN_MAX);
}
