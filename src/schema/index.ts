/** Puts the schema together. */
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { Registry } from '../templates/registry.ts';
import { defineBalances } from './balance.ts';
import { createBuilder } from './builder.ts';
import { defineCurrency } from './currency.ts';
import { defineLabel } from './label.ts';
import { defineLedgerLine } from './ledger-line.ts';
import { defineStatement } from './statement.ts';
import { defineTransaction, defineTransactionQueries } from './transaction.ts';
import { defineViewer } from './viewer.ts';

/** @returns the schema of these templates; it holds no state and needs no database to be made. */
export function buildSchema(registry: Registry): GraphQLSchema {
  const builder = createBuilder();
  const currencies = defineCurrency(builder);
  const ledger = defineLedgerLine(builder, currencies);
  const label = defineLabel(builder);
  const transaction = defineTransaction(builder, registry, { ...currencies, ...ledger, label });
  defineTransactionQueries(builder, registry, transaction);
  defineStatement(builder, ledger, transaction);
  defineBalances(builder, currencies);
  defineViewer(builder);
  return builder.toSchema();
}

/** @returns the schema as text, in the order of names: what schema.graphql holds. */
export function schemaText(registry: Registry): string {
  return `${printSchema(lexicographicSortSchema(buildSchema(registry)))}\n`;
}
