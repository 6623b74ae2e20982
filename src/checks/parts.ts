/** Shared parts of the fake provider. */
import type { Applicants } from './applicants.ts';
import type { Callbacks } from './callbacks.ts';
import type { Faults } from './faults.ts';
import { type Body, type CheckRequest, Refused } from './http.ts';
import type { Subjects } from './subjects.ts';

/** Secrets that the provider and the gateway share. */
export interface Secrets {
  /** Sent by callers as `x-api-key`. */
  readonly apiKey: string;
  /** Signs callbacks. */
  readonly callbackSecret: string;
  /** Token of the app, and the secret that signs requests; used by the Sumsub dialect. */
  readonly appToken: string;
  readonly appSecret: string;
}

/** Shared parts of the provider's interfaces. */
export interface ChecksParts {
  readonly faults: Faults;
  readonly callbacks: Callbacks;
  readonly applicants: Applicants;
  readonly subjects: Subjects;
  readonly secrets: Secrets;
  /** @returns the origin of the provider, for links, such as `http://127.0.0.1:4110`. */
  readonly origin: () => string;
}

/** Refuses callers without the key. @throws {Refused} 401. */
export function admitKey({ secrets }: Pick<ChecksParts, 'secrets'>, { headers }: CheckRequest): void {
  if (headers['x-api-key'] !== secrets.apiKey) throw new Refused(401, 'the header x-api-key is wrong');
}

/** @returns the value if it is a text, otherwise an empty text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** @returns the value if it is an object, otherwise an empty object. */
export function objectOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
}
