/** Differences between providers of identity checks: their calls, and the parsing of their answers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CaseAnswer } from '../../resolvers/cases/case-state.ts';
import type { CustomerCase } from '../../store/account/customer-cases.ts';
import type { CustomerLevel } from '../../store/account/customers.ts';

/** A call of the provider, without what signs it. */
export interface ProviderCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
}

/** Answer of the provider about a case, read; `link` where it gave one. */
export type Reading = Omit<CaseAnswer, 'hash'> & { readonly link?: string | undefined };

/** A callback whose signature is right. */
export interface ProviderCallback {
  /** Our id of the case. */
  readonly externalId: string;
}

/** A provider. */
export interface IdentityProfile {
  readonly kind: 'http' | 'sumsub';
  readonly levels: readonly CustomerLevel[];
  /** Begins the check. */
  readonly start: (row: CustomerCase) => ProviderCall;
  /** Asks by our own id, also where nobody knows whether the check was begun. */
  readonly find: (row: Pick<CustomerCase, 'externalId' | 'providerReference'>) => ProviderCall;
  /** Asks for a new link for the payer; undefined where the provider gives it with the start alone. */
  readonly link?: (row: CustomerCase) => ProviderCall;
  /** @throws {ProviderFailure} for an answer that cannot be read. */
  readonly read: (text: string) => Reading;
  readonly readLink: (text: string) => string | undefined;
  /** @returns headers that prove who calls. */
  readonly headersFor: (call: ProviderCall, atMs: number) => Readonly<Record<string, string>>;
  /** @returns the callback; a text that says why it is refused. Undefined: there are no callbacks. */
  readonly readCallback?: (
    headers: IncomingHttpHeaders,
    body: Buffer,
    nowMs: number,
  ) => ProviderCallback | string;
}

/** The provider did not answer, or not so that it can be read: nothing is known, and nobody passes. No message holds a secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** Pause that the provider asked for. Unit: ms. */
  readonly pauseMs: number | undefined;
  constructor(words: string, pauseMs?: number) {
    super(words);
    this.pauseMs = pauseMs;
  }
}
