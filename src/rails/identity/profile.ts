/** Differences between providers of identity checks: their calls, and how answers are parsed. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CaseAnswer } from '../../resolvers/cases/case-state.ts';
import type { CustomerCase } from '../../store/account/customer-cases.ts';
import type { CustomerLevel } from '../../store/account/customers.ts';

/** A call of the provider before it is signed. */
export interface ProviderCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** Body as JSON text. */
  readonly body?: string;
}

/** The provider's parsed answer about a case, with a link if the answer has one. */
export type Reading = Omit<CaseAnswer, 'hash'> & { readonly link?: string | undefined };

/** A callback with a valid signature. */
export interface ProviderCallback {
  /** The gateway's id of the case. */
  readonly externalId: string;
}

/** Interface of a provider. */
export interface IdentityProfile {
  readonly kind: 'http' | 'sumsub';
  readonly levels: readonly CustomerLevel[];
  /** Call that begins the check. */
  readonly start: (row: CustomerCase) => ProviderCall;
  /** Query by the gateway's id, which works even if it is unknown whether the check was begun. */
  readonly find: (row: Pick<CustomerCase, 'externalId' | 'providerReference'>) => ProviderCall;
  /** Request for a new link for the payer; undefined if the provider returns a link only at the start. */
  readonly link?: (row: CustomerCase) => ProviderCall;
  /** @throws {ProviderFailure} for an unreadable answer. */
  readonly read: (text: string) => Reading;
  readonly readLink: (text: string) => string | undefined;
  /** @returns headers that authenticate the call. */
  readonly headersFor: (call: ProviderCall, atMs: number) => Readonly<Record<string, string>>;
  /** @returns the callback, or the reason of its refusal as text. Undefined if the provider sends no callbacks. */
  readonly readCallback?: (
    headers: IncomingHttpHeaders,
    body: Buffer,
    nowMs: number,
  ) => ProviderCallback | string;
}

/**
 * The provider did not answer, or its answer is unreadable. The case stays undecided. The message contains no secret.
 */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** Pause requested by the provider. Unit: ms. */
  readonly pauseMs: number | undefined;
  constructor(words: string, pauseMs?: number) {
    super(words);
    this.pauseMs = pauseMs;
  }
}
