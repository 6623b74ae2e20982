/** Facts of the step of a transaction: its status as a code, the awaited party, and its headline. */
import { headlineOf } from '../templates/headlines.ts';
import type { Registry } from '../templates/registry.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import type { LabelRef } from './label.ts';
import { awaitedAt, type StepEnums, type TemplateStep } from './step-enums.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `statusCode`, `awaits` and `headline` of every transaction. */
export function defineStepFacts(
  builder: Builder,
  registry: Registry,
  {
    transaction,
    label,
    status,
    awaited,
  }: StepEnums & { readonly transaction: TransactionRef; readonly label: LabelRef },
): void {
  const stepOf = ({ template, component, state }: TemplateStep) =>
    registry.stepOf(template, component, state);
  builder.prismaInterfaceFields(transaction, (t) => ({
    statusCode: t.field({
      type: status,
      description: DESCRIPTIONS.statusCode,
      resolve: (row) => stepOf(row).statusCode,
    }),
    awaits: t.field({
      type: awaited,
      nullable: true,
      description: DESCRIPTIONS.awaits,
      resolve: (row) => awaitedAt(registry, row),
    }),
    headline: t.field({
      type: label,
      description: DESCRIPTIONS.headline,
      resolve: (row) => headlineOf(stepOf(row)),
    }),
  }));
}
