/** Refusals of a gateway as one union, and the errors that carry them. */
import { type ErrorCode, STOP, WAIT } from './generated/facts.ts';
import type { LimitKind, Refusal as PayloadRefusal, TransactionAction } from './generated/graphql.ts';

/** Next action: change the request, send it again later, or give up. */
export type Action = 'FIX' | 'WAIT' | 'STOP';

interface ProblemMembers {
  readonly action: Action;
  readonly message: string;
  /** `violations` name the members. */
  readonly path: null;
  /** HTTP status; 200 for an error inside an answer of GraphQL. */
  readonly status: number;
  /** Id of the request, which the log of the gateway has too. */
  readonly requestId: string | null;
  /** Bad parameters, each with the accepted form. */
  readonly violations: readonly { readonly parameter: string; readonly message: string }[];
}

/** A limit that an amount violates. Amounts are decimal text in `currency`, also those that REST has as numbers; absent where there is none, or it is unknown. */
export interface Limit {
  readonly kind: LimitKind;
  readonly minimum?: string;
  readonly maximum?: string;
  /** Currency code with its network. */
  readonly currency?: string;
}

/** A refusal of a whole request: a problem document of REST, or a top-level error of GraphQL. */
export interface Problem extends ProblemMembers {
  readonly __typename: 'Problem';
  readonly code: Exclude<ErrorCode, 'CURSOR_EXPIRED'>;
  /** Scope that the caller lacks. */
  readonly scope?: string;
  /** Limit that an amount violates. */
  readonly limit?: Limit;
  /** Actions that the caller can perform on the transaction now. */
  readonly possibleActions?: readonly TransactionAction[];
}

/** The events after a cursor are no longer kept. */
export interface CursorProblem extends ProblemMembers {
  readonly __typename: 'CursorProblem';
  readonly code: 'CURSOR_EXPIRED';
  /** Cursor that continues with the oldest event that is kept. */
  readonly earliest: string;
  /** Cursor that continues with the next new event. */
  readonly latest: string;
}

/** Any refusal, told apart by `__typename`. Each has `code`, `action` and `message`. */
export type Refusal = Problem | CursorProblem | PayloadRefusal;

/** Error of this package. */
export class CrossrampError extends Error {
  /** Key of the request, where it makes something: the same request with it makes nothing twice. */
  idempotencyKey?: string;
}

/** The gateway refused. */
export class Refused extends CrossrampError {
  override readonly name = 'Refused';
  /** At least one; several where several members of an input are bad. */
  readonly refusals: readonly [Refusal, ...Refusal[]];
  /** Seconds after which another attempt makes sense. */
  readonly retryAfter: number | undefined;

  constructor(refusals: readonly [Refusal, ...Refusal[]], retryAfter?: number) {
    super(refusals.map(({ code, message }) => `${code}: ${message}`).join('; '));
    this.refusals = refusals;
    this.retryAfter = retryAfter;
  }

  /** The first refusal. */
  get refusal(): Refusal {
    return this.refusals[0];
  }

  get code(): ErrorCode {
    return this.refusal.code;
  }

  get action(): Action {
    return this.refusal.action;
  }
}

/** No whole answer came: the request may have been carried out. */
export class NoAnswer extends CrossrampError {
  override readonly name = 'NoAnswer';
}

/** Members of a problem document, of the extensions of an error of GraphQL, and of a frame `CursorExpired`. */
interface ProblemBody {
  readonly code?: string;
  readonly detail?: string;
  readonly message?: string;
  readonly action?: Action;
  readonly request_id?: string;
  readonly requestId?: string;
  readonly violations?: Problem['violations'];
  readonly earliest?: string;
  readonly latest?: string;
  readonly scope?: string;
  readonly limit?: Limit;
  readonly possible_actions?: readonly string[];
}

/** @returns the refusal that an answer says, or that its status means. */
export function problemOf(status: number, members: ProblemBody): Problem | CursorProblem {
  const code = (members.code ?? codeOf(status)) as ErrorCode;
  const known = WAIT.test(code) ? 'WAIT' : STOP.test(code) ? 'STOP' : 'FIX';
  return {
    __typename: code === 'CURSOR_EXPIRED' ? 'CursorProblem' : 'Problem',
    code,
    action: members.action ?? known,
    message: members.detail ?? members.message ?? `status ${status}`,
    path: null,
    status,
    requestId: members.request_id ?? members.requestId ?? null,
    violations: members.violations ?? [],
    earliest: members.earliest,
    latest: members.latest,
    scope: members.scope,
    // Names of REST are in lower case, those of GraphQL in capitals.
    limit: members.limit && { ...members.limit, kind: members.limit.kind.toUpperCase() },
    possibleActions: members.possible_actions?.map((name) => name.toUpperCase()),
  } as Problem | CursorProblem;
}

/** @returns the code of an answer without one, as a proxy gives it. */
function codeOf(status: number): ErrorCode {
  if (status === 429) return 'RATE_LIMITED';
  if ([408, 502, 503, 504].includes(status)) return 'UNAVAILABLE';
  return status < 500 ? 'BAD_REQUEST' : 'INTERNAL';
}

/** An error of an answer of GraphQL. */
export interface TopError {
  readonly message: string;
  readonly extensions?: object;
}

/** @throws {Refused} the errors of an answer of GraphQL, if it has any. */
export function refuse(errors: readonly TopError[] = []): void {
  const [first, ...others] = errors.map(({ message, extensions }) =>
    problemOf(200, { message, ...extensions }),
  );
  if (first) throw new Refused([first, ...others]);
}
