/** A caller of the GraphQL edge: operations that must be answered, operations that must be refused, and the usual ones. */

import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { doneIn, errorsIn } from './refusals.ts';

/** Variables of an operation. */
export type Variables = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Any = any;

const ERRORS = 'errors { code message path }';
/** What the creations take and what is asked of their payloads. */
const T = 'transaction { __typename end2end component state }';
const CREATIONS = {
  createCheckout: ['CreateCheckoutInput', `${T} paymentLink pixCopyPaste pixQrSvgUrl replayed ${ERRORS}`],
  createOnramp: ['CreateOnrampInput', `${T} pixCopyPaste pixQrSvgUrl replayed ${ERRORS}`],
  createOfframp: ['CreateOfframpInput', `${T} depositUri replayed ${ERRORS}`],
  createWithdrawal: ['CreateWithdrawalInput', `${T} replayed ${ERRORS}`],
} as const;

/** Name of a mutation that makes a transaction. */
export type Creation = keyof typeof CREATIONS;

const PLATFORM_ACTS = /\b(?:updateTemplateSettings|releaseHold|rejectHold|sandboxAdvanceClock)\b/;

/** @returns the document of a creation. */
export function creation(name: Creation): string {
  const [input, payload] = CREATIONS[name];
  return `mutation($input: ${input}!) { ${name}(input: $input) { ${payload} } }`;
}

/** @returns the document of an act on a transaction; `args` besides its id, as they stand in a document. */
export function action(name: string, args = ''): string {
  return `mutation($end2end: String!, $key: String) { ${name}(input: { end2end: $end2end, ${args} idempotencyKey: $key }) { transaction { end2end component state } ${ERRORS} } }`;
}

/** @returns the parameters that a refusal names, in its order. */
export function parametersOf(refused: Any): string[] {
  return refused.violations.map(({ parameter }: { parameter: string }) => parameter);
}

/** @returns `component/STATE`. */
export function stepOf({ component, state }: { component: string; state: string }): string {
  return `${component}/${state}`;
}

/** @returns the GraphQL name of a scenario: `PAY_LATE` of `pay-late`. */
export function scenarioName(scenario: string): string {
  return scenario.toUpperCase().replaceAll('-', '_');
}

/** @param keyOf - the key of the caller, which a test may not have before it begins. */
export function graphqlClient(app: TestApp, keyOf: () => string) {
  /** The caller's key; that of the operator for what is the platform's. */
  const keyFor = (query: string) => (PLATFORM_ACTS.test(query) ? app.platformKey : keyOf());
  /** The data of an operation that must not be refused. */
  const ask = async (query: string, variables: Variables = {}, key = keyFor(query)): Promise<Any> => {
    const { json } = await app.graphql(query, variables, { key });
    expect(errorsIn(json), JSON.stringify(json)).toBeUndefined();
    return json.data;
  };
  /** The extensions of the one error of an operation that must be refused. */
  const refusal = async (query: string, variables: Variables = {}, key = keyFor(query)): Promise<Any> => {
    const { json } = await app.graphql(query, variables, { key });
    const [error, ...others] = errorsIn(json) ?? [];
    expect(doneIn(json.data), JSON.stringify(json.data)).toEqual([]);
    expect([error !== undefined, others]).toEqual([true, []]);
    const { extensions, message } = error;
    return { ...extensions, message };
  };
  const stepNow = async (end2end: string) =>
    stepOf((await ask(`{ transaction(end2end: "${end2end}") { component state } }`)).transaction);
  return {
    ask,
    refusal,
    /** The payload of a creation. */
    create: async (name: Creation, input: Variables, idempotencyKey?: string): Promise<Any> =>
      (await ask(creation(name), { input: { ...input, idempotencyKey } }))[name],
    /** The step after an act. */
    perform: async (name: string, end2end: string, args?: string, key?: string): Promise<string> =>
      stepOf((await ask(action(name, args), { end2end }, key))[name].transaction),
    /** The step after a scenario. */
    trigger: async (end2end: string, scenario: string, amount?: string): Promise<string> => {
      const document =
        'mutation($end2end: String!, $scenario: SandboxScenarioName!, $amount: Decimal) { sandboxTrigger(input: { end2end: $end2end, scenario: $scenario, amount: $amount }) { transaction { component state } errors { code message path } } }';
      return stepOf(
        (await ask(document, { end2end, scenario: scenarioName(scenario), amount })).sandboxTrigger
          .transaction,
      );
    },
    fund: (currency: string, amount: string) =>
      ask(
        `mutation { sandboxFund(input: { currency: "${currency}", amount: "${amount}" }) { funding { amount } errors { code message path } } }`,
      ),
    /** Waits until a transaction stands there. */
    until: (end2end: string, step: string) =>
      expect.poll(() => stepNow(end2end), { interval: 40 }).toBe(step),
    stepNow,
  };
}
