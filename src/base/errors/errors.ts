/**
 * Every error of the gateway's answers, in one table. A code is stable: docs/errors.md explains each, and
 * `/errors/<CODE>` of a running gateway serves that explanation (C-50).
 */

/** Next action of a caller whose request was refused, with its meaning. */
export const REFUSED_ACTIONS = {
  FIX: 'Change the request, or what it needs, and send it again.',
  WAIT: 'Send the same request again later.',
  STOP: 'Do not send it again: neither time nor another value helps.',
} as const;

/** Name of a next action. */
export type RefusedAction = keyof typeof REFUSED_ACTIONS;

/**
 * HTTP status, next action and title of each code, in the order in which a request is checked. `next`: the next step in a
 * sentence, if the action alone is not enough.
 */
export const ERRORS = {
  BAD_REQUEST: { status: 400, action: 'FIX', title: 'The request is malformed' },
  UNAUTHORIZED: {
    status: 401,
    action: 'STOP',
    title: 'A valid API key is required',
    next: 'Send the header `Authorization: Bearer <API key>` with a valid key.',
  },
  FORBIDDEN: {
    status: 403,
    action: 'STOP',
    title: 'The caller may not do this',
    next: 'Use a key or a role that may do this; `detail` says what is missing.',
  },
  STEP_UP_REQUIRED: {
    status: 403,
    action: 'FIX',
    title: 'This action requires a passkey check within the last five minutes',
    next: 'Use your passkey at /console/confirm, and send the request again.',
  },
  NOT_FOUND: {
    status: 404,
    action: 'STOP',
    title: 'The path or record does not exist',
    next: 'Check the path and the id; a record of another account looks like a missing one.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    action: 'FIX',
    title: 'The path does not accept this method',
    next: 'Use a method of the header `Allow`.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    action: 'FIX',
    title: 'No accepted media type is available',
    next: 'Accept application/json, or leave the header `Accept` out.',
  },
  REQUEST_TIMEOUT: { status: 408, action: 'WAIT', title: 'The request arrived too slowly' },
  PAYLOAD_TOO_LARGE: { status: 413, action: 'FIX', title: 'The body is too large' },
  URI_TOO_LONG: { status: 414, action: 'FIX', title: 'The path and query are too long' },
  HEADERS_TOO_LARGE: { status: 431, action: 'FIX', title: 'The headers are too large' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    action: 'FIX',
    title: 'The media type of the body is not accepted',
    next: 'Send the body with `Content-Type: application/json`.',
  },
  EXPECTATION_FAILED: { status: 417, action: 'FIX', title: 'The Expect header has an unsupported value' },
  MISDIRECTED: {
    status: 421,
    action: 'FIX',
    title: 'Another gateway serves this request',
    next: 'Send the request to the gateway at `address`; without `address`, to one that writes.',
  },
  UPGRADE_UNSUPPORTED: { status: 426, action: 'FIX', title: 'This server does not speak WebSocket' },
  RATE_LIMITED: { status: 429, action: 'WAIT', title: 'Too many requests' },
  INVALID_PARAMETER: {
    status: 400,
    action: 'FIX',
    title: 'A parameter has a value that is not accepted',
    next: 'Change what `violations` names, and send the request again.',
  },
  CURSOR_EXPIRED: {
    status: 410,
    action: 'FIX',
    title: 'Events after the cursor are no longer kept',
    next: 'Go on from `earliest` or `latest`.',
  },
  CURRENCY_AMBIGUOUS: {
    status: 400,
    action: 'FIX',
    title: 'The asset exists on several networks',
    next: 'Use a code with its network, such as `USDT_TRX`.',
  },
  IDEMPOTENCY_MISMATCH: {
    status: 422,
    action: 'FIX',
    title: 'The idempotency key was used with another request',
    next: 'Use a new idempotency key for another request.',
  },
  IDEMPOTENCY_RUNNING: {
    status: 409,
    action: 'WAIT',
    title: 'The first request under this idempotency key is still running',
  },
  LIMIT_EXCEEDED: {
    status: 422,
    action: 'FIX',
    title: 'An amount is outside the allowed range',
    next: 'Send an amount within the limit that `detail` names, under a new idempotency key.',
  },
  INSUFFICIENT_BALANCE: {
    status: 422,
    action: 'FIX',
    title: 'The available balance does not cover the amount',
    next: 'Read the balance; send less, or wait for more, under a new idempotency key.',
  },
  ADDRESS_NOT_WHITELISTED: {
    status: 422,
    action: 'FIX',
    title: 'The destination is not on the whitelist',
    next: 'Use a whitelisted destination whose cooling time is over.',
  },
  QUOTE_EXPIRED: {
    status: 422,
    action: 'FIX',
    title: 'The quote can no longer be used',
    next: 'Make a new quote.',
  },
  STEP_CONFLICT: {
    status: 409,
    action: 'STOP',
    title: 'The present state does not allow this',
    next: 'Read the record: its state changed, or never allowed this. `/actions` lists what a transaction allows now.',
  },
  LIST_CHANGED: {
    status: 409,
    action: 'FIX',
    title: 'The list was changed by somebody else since you read it',
    next: 'Read the list again, and send the change made on it.',
  },
  RAILS_MISSING: { status: 422, action: 'STOP', title: 'This gateway has no rails for live accounts' },
  QUOTE_UNAVAILABLE: { status: 503, action: 'WAIT', title: 'No current price is available' },
  UNAVAILABLE: { status: 503, action: 'WAIT', title: 'The service is temporarily unavailable' },
  INTERNAL: {
    status: 500,
    action: 'STOP',
    title: 'Unexpected error',
    next: 'Report it with its `request_id`.',
  },
} as const satisfies Record<string, { status: number; action: RefusedAction; title: string; next?: string }>;

/** A code of the table. */
export type ErrorCode = keyof typeof ERRORS;

/** A rejected input: the parameter, and the accepted form. */
export interface Violation {
  readonly parameter: string;
  readonly message: string;
  /** Set if the violation has a code of its own. */
  readonly code?: ErrorCode;
}

/** Kinds of limits, each with its meaning. */
export const LIMIT_KINDS = {
  transaction: 'Value in BRL of one transaction of the template.',
  fees: 'Amount that covers the fees.',
  network_fee: 'Amount that covers the network fee.',
  network_fee_max: 'Network fee that the caller accepts.',
  balance: 'Available balance.',
  refundable: 'Rest of the payment that can be refunded.',
  refund_parts: 'Number of refunds of one payment: only the whole rest can still be refunded.',
  receivable: 'Amount that the account owes.',
  customer_day: 'Amount of the customer in a day.',
  verification: 'Amount without a verification of the customer or payee.',
  files: 'Number of files of a case.',
} as const;

/** Name of a kind of limit. */
export type LimitKind = keyof typeof LIMIT_KINDS;

/** A limit that a request violates. Amounts are decimal text in units of the currency; absent if unknown or not disclosed. */
export interface LimitFacts {
  readonly kind: LimitKind;
  /** Smallest amount that would be accepted. */
  readonly minimum?: string;
  /** Largest amount that would be accepted. */
  readonly maximum?: string;
  /** Raw ledger code of the amounts. */
  readonly currency?: string;
  /** The one of the two amounts that the request violates. */
  readonly amount?: string;
}

/** Machine-readable facts of a refusal, in addition to its code. */
export interface RefusedFacts {
  /** Scope that the caller lacks. */
  readonly scope?: string;
  /** Names of the actions that are currently possible on the transaction. */
  readonly actions?: readonly string[];
  /** Limit that the request violates. */
  readonly limit?: LimitFacts;
}

/** Maximum number of rejected inputs in the message; `violations` has all. */
const REASONS_MAX = 10;

/** A refusal whose reason the caller may know. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly violations: readonly Violation[];
  /** Seconds after which another attempt makes sense. */
  readonly retryAfter: number | undefined;
  /** Header fields that belong to the answer, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Members of the response in addition to those of every problem. */
  readonly members: Readonly<Record<string, string>>;
  /** Facts of the refusal for programs, in payloads of GraphQL. */
  readonly facts: RefusedFacts;
  /** True for a stored refusal that is answered again under its idempotency key (C-52). */
  readonly isReplayed: boolean;

  /**
   * @param code - code of the table.
   * @param detail - one sentence for the caller, about this occurrence.
   * @param options - bad inputs, all of them; seconds to wait before the next attempt; header fields and further
   * members of the answer; `facts` for programs; `isReplayed` for a stored refusal; `cause`: the reason for the log,
   * hidden from the caller.
   */
  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      violations?: readonly Violation[];
      retryAfter?: number;
      headers?: Readonly<Record<string, string>>;
      members?: Readonly<Record<string, string>>;
      facts?: RefusedFacts;
      isReplayed?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.violations = options.violations ?? [];
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
    this.facts = options.facts ?? {};
    this.isReplayed = options.isReplayed ?? false;
  }
}

/**
 * @param violations - list of at least one.
 * @returns the error that names all of them; a single violation with a code of its own determines the code.
 */
export function invalidParameters(violations: readonly Violation[]): GatewayError {
  const own = violations.length === 1 ? violations[0]?.code : undefined;
  return new GatewayError(own ?? 'INVALID_PARAMETER', reasonsOf(violations), { violations });
}

/** Clients that show only the message also show the remedy. */
function reasonsOf(violations: readonly Violation[]): string {
  const shown = violations
    .slice(0, REASONS_MAX)
    .map(({ parameter, message }) => `${parameter}: ${message}`)
    .join('; ');
  const hidden = violations.length - REASONS_MAX;
  return hidden > 0 ? `${shown}; and ${hidden} more in \`violations\`` : shown;
}

/**
 * @returns the error for a record that is missing or belongs to another account; callers cannot distinguish the two (C-15).
 */
export function notFound(): GatewayError {
  return new GatewayError('NOT_FOUND', 'the path or record does not exist');
}

/** @returns the refusal of an amount that is outside the allowed range. */
export function overLimit(detail: string, limit: LimitFacts): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', detail, { facts: { limit } });
}

/** @returns the members that only this error adds to an answer: bad inputs, if any, and its own. */
export function shownViolations({ violations, members }: GatewayError): {
  violations?: { parameter: string; message: string }[];
} {
  if (violations.length === 0) return members;
  return { ...members, violations: violations.map(({ parameter, message }) => ({ parameter, message })) };
}

/** @returns a limit as answers have it. */
export function shownLimit({ amount: _, ...limit }: LimitFacts): Omit<LimitFacts, 'amount'> {
  return limit;
}

/** @returns the next step of a caller who got this error, in a sentence. */
export function nextStep({ code, retryAfter, facts }: GatewayError): string {
  const known: { readonly action: RefusedAction; readonly next?: string } = ERRORS[code];
  if (facts.scope !== undefined) return `Use a key or a role with the scope ${facts.scope}.`;
  if (known.action === 'WAIT' && retryAfter !== undefined)
    return `Send the same request again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`;
  return known.next ?? REFUSED_ACTIONS[known.action];
}
