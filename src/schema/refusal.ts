/** Refusals: typed reasons in the payload of a mutation that was not executed (docs/decisions/0070). */
import { known } from '../base/errors/assert.ts';
import {
  ERRORS,
  type ErrorCode,
  type GatewayError,
  LIMIT_KINDS,
  REFUSED_ACTIONS,
  type RefusedAction,
  type RefusedFacts,
} from '../base/errors/errors.ts';
import { currencyOfLedger } from '../base/money/currency.ts';
import { CALLER_ACTIONS, type CallerActionName, isPlatformAction } from '../templates/caller-actions.ts';
import type { Builder } from './builder.ts';
import { type CurrencyRefs, type Money, moneyOf } from './currency.ts';
import { describedValues } from './described-values.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

/** GraphQL type of each code that a payload can have; errors of other codes concern the whole request and are thrown. */
const TYPES = {
  BAD_REQUEST: 'InputRefusal',
  INVALID_PARAMETER: 'InputRefusal',
  CURSOR_EXPIRED: 'CursorRefusal',
  CURRENCY_AMBIGUOUS: 'InputRefusal',
  IDEMPOTENCY_MISMATCH: 'InputRefusal',
  FORBIDDEN: 'PermissionRefusal',
  STEP_UP_REQUIRED: 'PermissionRefusal',
  LIMIT_EXCEEDED: 'LimitRefusal',
  INSUFFICIENT_BALANCE: 'LimitRefusal',
  STEP_CONFLICT: 'StateRefusal',
  LIST_CHANGED: 'StateRefusal',
  IDEMPOTENCY_RUNNING: 'WaitRefusal',
  QUOTE_UNAVAILABLE: 'WaitRefusal',
  UNAVAILABLE: 'WaitRefusal',
  NOT_FOUND: 'RuleRefusal',
  ADDRESS_NOT_WHITELISTED: 'RuleRefusal',
  QUOTE_EXPIRED: 'RuleRefusal',
  RAILS_MISSING: 'RuleRefusal',
} as const satisfies { readonly [Code in ErrorCode]?: string };
type RefusalCode = keyof typeof TYPES;

/** One reason for the refusal of a mutation. */
export interface Refused {
  readonly code: RefusalCode;
  readonly message: string;
  /** Member of the input, such as `input.amount`. */
  readonly path: string | null;
  readonly retryAfter: number | null;
  readonly facts: RefusedFacts;
  /** Further members of the error, such as cursors to continue from. */
  readonly members: Readonly<Record<string, string>>;
}

/** @returns the reasons of an error, one for each bad member of the input; undefined for an error that no payload can have. */
export function refusedBy({
  code,
  message,
  violations,
  retryAfter,
  facts,
  members,
}: GatewayError): Refused[] | undefined {
  if (!isRefusalCode(code)) return undefined;
  const common = { retryAfter: retryAfter ?? null, facts, members };
  if (violations.length === 0) return [{ ...common, code, message, path: null }];
  return violations.map((each) => ({
    ...common,
    code: each.code && isRefusalCode(each.code) ? each.code : code,
    message: each.message,
    path: pathOf(each.parameter),
  }));
}

function isRefusalCode(code: ErrorCode): code is RefusalCode {
  return Object.hasOwn(TYPES, code);
}

/** Use cases that `/v2` shares name a member without the argument that it is in. */
function pathOf(parameter: string): string {
  return parameter.startsWith('input.') ? parameter : `input.${parameter}`;
}

const REFUSALS = new WeakMap<Builder, RefusalRef>();

/** @returns the interface `Refusal` of a builder. */
export function refusalOf(builder: Builder): RefusalRef {
  return known(REFUSALS.get(builder), 'the type of refusals');
}

/** Defines `Refusal` and its types. @returns the enum of actions on transactions. */
export function defineRefusals(builder: Builder, { money }: Pick<CurrencyRefs, 'money'>) {
  const action = defineActionName(builder);
  const refusal = defineInterface(builder);
  const type = <Name extends (typeof TYPES)[RefusalCode]>(name: Name, description: string) =>
    builder.objectRef<Refused>(name).implement({ description, interfaces: [refusal] });
  type('InputRefusal', 'A member of the input has a value that is not accepted.');
  type('RuleRefusal', 'A record does not exist, or a rule does not allow the mutation.');
  builder.objectFields(type('CursorRefusal', 'Events after the cursor are no longer kept.'), (t) => {
    const cursor = (name: 'earliest' | 'latest', description: string) =>
      t.string({ nullable: true, description, resolve: ({ members }) => members[name] ?? null });
    return {
      earliest: cursor('earliest', 'Cursor before the oldest event that is kept.'),
      latest: cursor('latest', 'Cursor of the newest event.'),
    };
  });
  builder.objectFields(type('PermissionRefusal', 'The caller may not do this.'), (t) => ({
    scope: t.string({
      nullable: true,
      description: 'Scope that the caller lacks; null for another rule.',
      resolve: ({ facts }) => facts.scope ?? null,
    }),
  }));
  const kind = defineLimitKind(builder);
  builder.objectFields(type('LimitRefusal', 'An amount is outside the allowed range.'), (t) => {
    const bound = (name: Bound) =>
      t.field({ type: money, nullable: true, description: BOUNDS[name], resolve: boundOf(name) });
    return {
      kind: t.field({
        type: kind,
        nullable: true,
        description: 'Limit that the amount violates; null in an answer that an earlier version stored.',
        resolve: ({ facts }) => facts.limit?.kind ?? null,
      }),
      minimum: bound('minimum'),
      maximum: bound('maximum'),
      limit: t.field({
        type: 'Decimal',
        nullable: true,
        description: 'The one of `minimum` and `maximum` that the amount violates; null if neither is known.',
        resolve: ({ facts }) => facts.limit?.amount ?? null,
      }),
      limitCurrency: t.string({
        nullable: true,
        description: 'Raw code of the currency of `limit`; null without it.',
        resolve: ({ facts }) => facts.limit?.currency ?? null,
      }),
    };
  });
  builder.objectFields(type('StateRefusal', 'The present state does not allow this.'), (t) => ({
    possibleActions: t.field({
      type: [action],
      description:
        'Actions that you can perform on the transaction now; empty if there are none, or the mutation is not about a transaction.',
      resolve: ({ facts }) => (facts.actions ?? []) as CallerActionName[],
    }),
  }));
  builder.objectFields(type('WaitRefusal', 'The gateway cannot do this now, but may soon.'), (t) => ({
    retryAfter: t.int({
      nullable: true,
      description: 'Seconds after which to send the same request again; null if unknown.',
      resolve: (row) => row.retryAfter,
    }),
  }));
  REFUSALS.set(builder, refusal);
  return action;
}

function defineLimitKind(builder: Builder) {
  return builder.enumType('LimitKind', {
    description: 'A kind of limit.',
    values: describedValues(LIMIT_KINDS),
  });
}

/** The ends of the allowed range, with their descriptions. */
const BOUNDS = {
  minimum: 'Smallest amount that is allowed now; null if there is none, or it is unknown.',
  maximum: 'Largest amount that is allowed now; null if there is none, or it is unknown.',
} as const;
type Bound = keyof typeof BOUNDS;

/** @returns the reader of an end of the range; null if it is unknown. */
function boundOf(bound: Bound) {
  return ({ facts: { limit } }: Refused): Money | null =>
    limit?.currency === undefined ? null : moneyOf(limit[bound] ?? null, currencyOfLedger(limit.currency));
}

/** The enum `TransactionAction`. */
export type ActionRef = ReturnType<typeof defineActionName>;

function defineActionName(builder: Builder) {
  return builder.enumType('TransactionAction', {
    description: 'An action on a transaction.',
    values: Object.fromEntries(
      Object.entries(describedValues(CALLER_ACTIONS)).map(([name, each]) => [
        name,
        { ...each, ...(isPlatformAction(each.value) && PLATFORM_ONLY) },
      ]),
    ) as ReturnType<typeof describedValues<CallerActionName>>,
  });
}

/** The interface `Refusal`. */
export type RefusalRef = ReturnType<typeof defineInterface>;

function defineInterface(builder: Builder) {
  const code = builder.enumType('RefusalCode', {
    description: 'Code of a refusal, as the document of errors explains it.',
    values: Object.fromEntries(
      Object.keys(TYPES).map((name) => [
        name,
        { value: name, description: `${ERRORS[name as RefusalCode].title}.` },
      ]),
    ) as Record<RefusalCode, { value: RefusalCode; description: string }>,
  });
  const action = builder.enumType('RefusalAction', {
    description: 'Next action of a caller whose mutation was refused.',
    values: Object.fromEntries(
      Object.entries(REFUSED_ACTIONS).map(([name, description]) => [name, { value: name, description }]),
    ) as Record<RefusedAction, { value: RefusedAction; description: string }>,
  });
  return builder.interfaceRef<Refused>('Refusal').implement({
    description:
      'A reason why a mutation was not executed. New types and codes may be added: handle those that you do not know by `action`.',
    resolveType: (row) => TYPES[row.code],
    fields: (t) => ({
      code: t.field({ type: code, description: 'Code of the refusal.', resolve: (row) => row.code }),
      message: t.exposeString('message', {
        description: 'One sentence about this occurrence; with `path`, the accepted form of that member.',
      }),
      path: t.exposeString('path', {
        nullable: true,
        description:
          'Member of the input, such as `input.amount.brl` or `input.scopes.0`; null if no member is wrong.',
      }),
      action: t.field({
        type: action,
        description: 'Next action of the caller.',
        resolve: (row) => ERRORS[row.code].action,
      }),
    }),
  });
}
