/** The sandbox: `Query.sandboxScenarios`, and the mutations that play the outside world. Refused for live accounts. */
import { currencyOfLedger } from '../base/money/currency.ts';
import { AMOUNT_LENGTH_MAX, bounded } from '../resolvers/checks/lengths.ts';
import type { Funding } from '../resolvers/sandbox/fund-account.ts';
import { advanceClock, fundSandbox, parseDuration, playScenario } from '../resolvers/sandbox/play-sandbox.ts';
import {
  type PossibleScenarios,
  SCENARIO_DOCS,
  SCENARIO_NAMES,
  type Scenario,
} from '../resolvers/services/sandbox.ts';
import type { Builder } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, makeOnce, moveOnce, performOnce } from './once.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `Query.sandboxScenarios` and the mutations of the sandbox. */
export function defineSandbox(builder: Builder, currencies: CurrencyRefs, transaction: TransactionRef): void {
  const scenarioName = defineScenarioName(builder);
  const scenario = builder.objectRef<Scenario>('SandboxScenario').implement({
    description: 'A simulated outside event for a transaction.',
    fields: (t) => ({
      name: t.field({ type: scenarioName, description: 'Name of the scenario.', resolve: (row) => row.name }),
      doc: t.exposeString('doc', { description: 'Effect, in one sentence.' }),
    }),
  });
  builder.queryField('sandboxScenarios', (t) =>
    t.field({
      type: [scenario],
      nullable: true,
      description: 'The scenarios that `sandboxTrigger` can play; null for a live account.',
      resolve: (_root, _args, { sandbox }) => (sandbox ? [...sandbox.scenarios] : null),
    }),
  );
  definePossible(builder, transaction, scenarioName);
  defineTrigger(builder, transaction, scenarioName);
  defineClock(builder);
  defineFund(builder, currencies);
}

function defineScenarioName(builder: Builder) {
  return builder.enumType('SandboxScenarioName', {
    description:
      'The scenarios of the sandbox; `/v2` and the CLI have the same names in lower case with hyphens.',
    values: Object.fromEntries(
      SCENARIO_NAMES.map((name) => [
        name.toUpperCase().replaceAll('-', '_'),
        { value: name, description: SCENARIO_DOCS[name] },
      ]),
    ),
  });
}

type ScenarioNameRef = ReturnType<typeof defineScenarioName>;

function definePossible(builder: Builder, transaction: TransactionRef, scenario: ScenarioNameRef): void {
  const possible = builder.objectRef<PossibleScenarios>('PossibleScenarios').implement({
    description: 'The scenarios of the sandbox that are possible at the present step of a transaction.',
    fields: (t) => ({
      now: t.field({
        type: [scenario],
        description: 'Scenarios that can happen now.',
        resolve: ({ now }) => [...now],
      }),
      later: t.field({
        type: [scenario],
        description: 'Scenarios that can be planned: each happens when the transaction reaches its step.',
        resolve: ({ later }) => [...later],
      }),
    }),
  });
  builder.prismaInterfaceField(transaction, 'sandboxScenarios', (t) =>
    t.field({
      type: possible,
      nullable: true,
      description:
        'The scenarios that `sandboxTrigger` can play on it at its present step; null for a live account, and for imported history.',
      complexity: 5,
      resolve: async (transaction, _args, { sandbox, loaders }) => {
        if (!sandbox) return null;
        const row = await loaders.process.load(transaction);
        return row?.process ? sandbox.possible(row) : null;
      },
    }),
  );
}

function defineTrigger(builder: Builder, transaction: TransactionRef, scenario: ScenarioNameRef): void {
  defineMutation(builder, 'sandboxTrigger', {
    result: ['transaction', transaction],
    description:
      'Plays a scenario on a transaction: immediately, or when the transaction reaches the step of the scenario. Error `STEP_CONFLICT` when it is not possible at the present step. Needs a test key with the scope `create`.',
    input: (t) => ({
      end2end: t.string({ required: true, description: DESCRIPTIONS.end2end }),
      scenario: t.field({ type: scenario, required: true, description: 'Scenario to play.' }),
      amount: t.field({
        type: 'Decimal',
        description: bounded(
          'Amount that is paid or deposited instead of the usual one, for scenarios that take one.',
          AMOUNT_LENGTH_MAX,
        ),
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'sandboxTrigger', action: 'sandbox.trigger', args } as const;
      const { end2end, scenario, amount } = args;
      const { row } = await moveOnce(context, keyed, (attempt) =>
        playScenario(context, { end2end, scenario, amount: amount ?? undefined }, attempt),
      );
      return row as never;
    },
  });
}

function defineClock(builder: Builder): void {
  defineMutation(builder, 'sandboxAdvanceClock', {
    result: ['now', 'DateTime'],
    description:
      'Moves the clock of the sandbox forward, for all sandbox accounts, and returns its new time. Needs a test key with the scope `platform:rails`.',
    input: (t) => ({
      by: t.string({
        required: true,
        description: 'A duration such as `250ms`, `90s`, `30m`, `2h` or `1d`; at most ten years.',
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) => {
      const keyed = { mutation: 'sandboxAdvanceClock', action: 'sandbox.advance_clock', args } as const;
      return makeOnce(context, keyed, async (attempt) => {
        // The refusal has the name of the GraphQL member; the use case knows it by that of `/v2`.
        parseDuration(args.by, 'by');
        return (await advanceClock(context, args.by, attempt)).toISOString();
      });
    },
  });
}

function defineFund(builder: Builder, { currency }: CurrencyRefs): void {
  const funding = builder.objectRef<Funding>('SandboxFunding').implement({
    description: 'An amount that was credited.',
    fields: (t) => ({
      journalId: t.exposeString('journalId', { description: 'Identifier of the journal in the ledger.' }),
      currency: t.field({
        type: currency,
        description: 'Its currency.',
        resolve: (input) => currencyOfLedger(input.currency),
      }),
      amount: t.expose('amount', { type: 'Decimal', description: 'The amount.' }),
    }),
  });
  defineMutation(builder, 'sandboxFund', {
    result: ['funding', funding],
    description:
      'Credits an amount to the available balance, without a transaction. Needs a test key with the scope `create`.',
    input: (t) => ({
      currency: t.string({
        required: true,
        description: `Currency to credit. ${DESCRIPTIONS.currency}`,
      }),
      amount: t.field({
        type: 'Decimal',
        required: true,
        description: bounded(
          'Amount, above 0, with no more decimals than the currency has.',
          AMOUNT_LENGTH_MAX,
        ),
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: async (args, context) => {
      const keyed = { mutation: 'sandboxFund', action: 'sandbox.fund', args } as const;
      const { stored } = await performOnce(context, keyed, (attempt) => fundSandbox(context, args, attempt));
      return stored;
    },
  });
}
