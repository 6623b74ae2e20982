/** The sandbox: `Query.sandboxScenarios`, and the mutations that play the outside world. Refused for live accounts. */
import { currencyOfLedger } from '../base/currency.ts';
import type { Funding } from '../resolvers/fund-account.ts';
import { advanceClock, fundSandbox, parseDuration, playScenario } from '../resolvers/play-sandbox.ts';
import type { Scenario } from '../resolvers/sandbox.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './creation.ts';
import type { CurrencyRefs } from './currency.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `Query.sandboxScenarios` and the mutations of the sandbox. */
export function defineSandbox(builder: Builder, currencies: CurrencyRefs, transaction: TransactionRef): void {
  const scenario = builder.objectRef<Scenario>('SandboxScenario').implement({
    description: 'Something that the outside world may do to a transaction.',
    fields: (t) => ({
      name: t.exposeString('name'),
      doc: t.exposeString('doc', { description: 'What happens, in one sentence.' }),
    }),
  });
  builder.queryField('sandboxScenarios', (t) =>
    t.field({
      type: [scenario],
      nullable: true,
      description: 'What `sandboxTrigger` can play; null for a live account.',
      resolve: (_root, _args, { sandbox }) => (sandbox ? [...sandbox.scenarios] : null),
    }),
  );
  defineTrigger(builder, transaction);
  defineClock(builder);
  defineFund(builder, currencies);
}

function defineTrigger(builder: Builder, transaction: TransactionRef): void {
  builder.mutationField('sandboxTrigger', (t) =>
    t.field({
      type: transaction,
      description:
        'Plays a scenario on a transaction, at once or when the transaction gets there. Needs a test key with the scope `create`.',
      args: {
        end2end: t.arg.string({ required: true }),
        scenario: t.arg.string({ required: true, description: 'A name of `sandboxScenarios`.' }),
        amount: t.arg({
          type: 'Decimal',
          description: 'What is paid or deposited instead, where the scenario takes that.',
        }),
      },
      resolve: async (_root, { end2end, scenario, amount }, context) =>
        (await playScenario(context, { end2end, scenario, amount: amount ?? undefined })) as never,
    }),
  );
}

function defineClock(builder: Builder): void {
  builder.mutationField('sandboxAdvanceClock', (t) =>
    t.field({
      type: 'DateTime',
      description:
        'Sets the clock of the sandbox ahead, for all sandbox accounts, and gives its time then. Needs a test key with the scope `create`.',
      args: {
        by: t.arg.string({ required: true, description: 'A duration: `250ms`, `90s`, `30m`, `2h`, `1d`.' }),
      },
      resolve: async (_root, { by }, context) => {
        // Refused under its name here; the use case knows it by that of `/v2`.
        parseDuration(by, 'by');
        return (await advanceClock(context, by)).toISOString();
      },
    }),
  );
}

function defineFund(builder: Builder, { currency }: CurrencyRefs): void {
  const funding = builder.objectRef<Funding>('SandboxFunding').implement({
    description: 'An amount that was given.',
    fields: (t) => ({
      journalId: t.exposeString('journalId', { description: 'The adjustment in the ledger.' }),
      currency: t.field({ type: currency, resolve: (given) => currencyOfLedger(given.currency) }),
      amount: t.expose('amount', { type: 'Decimal' }),
    }),
  });
  builder.mutationField('sandboxFund', (t) =>
    t.field({
      type: funding,
      description:
        'Gives the account an amount, without a transaction. Needs a test key with the scope `create`.',
      args: {
        currency: t.arg.string({ required: true, description: DESCRIPTIONS.currency }),
        amount: t.arg({ type: 'Decimal', required: true }),
      },
      resolve: (_root, args, context) => fundSandbox(context, args),
    }),
  );
}
