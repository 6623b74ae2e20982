/** Puts the schema together. */

import {
  defaultFieldResolver,
  type GraphQLSchema,
  getNullableType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import type { Registry } from '../templates/registry.ts';
import { defineCompanies } from './account-company.ts';
import { defineAmountInputs } from './amount-input.ts';
import { defineApiKeys } from './api-key.ts';
import { type ApprovalBarRef, defineApprovalBar } from './approval-bar.ts';
import { defineAuditLog } from './audit-log.ts';
import { defineBalances } from './balance.ts';
import { defineBookCloses } from './book-close.ts';
import { defineBookEntries } from './book-entries.ts';
import { defineBooks } from './books.ts';
import { defineBranding } from './branding.ts';
import { defineBrowserAccess } from './browser-access.ts';
import { type Builder, createBuilder, type GraphqlContext } from './builder.ts';
import { defineCalendarZone } from './calendar-zone.ts';
import { defineCapital } from './capital.ts';
import { defineOfframpCreation } from './create-offramp.ts';
import { defineOnrampCreations } from './create-onramp.ts';
import { defineWithdrawalCreation } from './create-withdrawal.ts';
import { type CurrencyRefs, defineCurrency } from './currency.ts';
import { defineCustomers } from './customer.ts';
import { defineCustomerCases } from './customer-case.ts';
import { defineDeliveryReport } from './delivery-report.ts';
import { defineEventLog } from './event-log.ts';
import { defineEventNames } from './event-names.ts';
import { defineFigures } from './figures.ts';
import { defineHouseDays } from './house-days.ts';
import { defineLabel } from './label.ts';
import { defineLedgerLine, type LedgerRefs } from './ledger-line.ts';
import { defineManualJournals } from './manual-journal.ts';
import { defineMedActions } from './med-actions.ts';
import { defineMedCases } from './med-case.ts';
import { defineNetworks } from './network.ts';
import { defineNode } from './node.ts';
import { defineNotifications } from './notifications.ts';
import { definePasskeyRoles } from './passkey-roles.ts';
import { definePasskeys } from './passkeys.ts';
import { definePaymentSession } from './payment-session.ts';
import { definePeople, type PersonRef } from './people.ts';
import { definePixKeyType } from './pix-key-type.ts';
import { definePixOrders } from './pix-orders.ts';
import { definePlatform } from './platform.ts';
import { definePositions } from './positions.ts';
import { definePossibleActions } from './possible-action.ts';
import { defineQuote } from './quote.ts';
import { defineRailEvents } from './rail-events.ts';
import { defineRates } from './rates.ts';
import { defineReceivables } from './receivable.ts';
import { defineReconciliation } from './reconciliation.ts';
import { defineRefunds } from './refund.ts';
import { defineRefusals } from './refusal.ts';
import { defineRequestLog } from './request-log.ts';
import { defineReview } from './review.ts';
import type { ReviewRefs } from './review-item.ts';
import { defineSandbox } from './sandbox.ts';
import { defineSavedViews } from './saved-view.ts';
import { defineScreening } from './screening.ts';
import { defineSearch } from './search.ts';
import { defineSettings } from './settings.ts';
import { defineStatement } from './statement.ts';
import { defineStaticLinks } from './static-link.ts';
import { defineStepEnums } from './step-enums.ts';
import { defineSubscriptions } from './subscription.ts';
import { defineSuspense } from './suspense.ts';
import { defineTakings } from './takings.ts';
import { defineTemplate } from './template.ts';
import { defineTemplateLimits } from './template-limits.ts';
import { defineTransaction } from './transaction.ts';
import { defineActions } from './transaction-actions.ts';
import { defineTransactionQueries } from './transaction-queries.ts';
import { defineTransactionRecord } from './transaction-record.ts';
import { defineStepFacts } from './transaction-status.ts';
import { defineTreasury } from './treasury.ts';
import { defineViewer } from './viewer.ts';
import { defineWaiting } from './waiting.ts';
import { defineWebhooks } from './webhook.ts';
import { defineDeliveries } from './webhook-delivery.ts';
import { defineRedeliveries } from './webhook-redelivery.ts';
import { defineSamples } from './webhook-sample.ts';
import { defineWhitelist } from './whitelist.ts';

/** Schemas by their templates. Putting one together takes a tenth of a second of CPU, and a process may serve several cells. */
const BUILT = new WeakMap<Registry, GraphQLSchema>();

/** @returns the schema of these templates, the same one each time; it has no state, and building it needs no database. */
export function buildSchema(registry: Registry): GraphQLSchema {
  const schema = BUILT.get(registry) ?? putTogether(registry);
  BUILT.set(registry, schema);
  return schema;
}

function putTogether(registry: Registry): GraphQLSchema {
  const builder = createBuilder();
  defineNode(builder);
  const currencies = defineCurrency(builder);
  const action = defineRefusals(builder, currencies);
  const bar = defineApprovalBar(builder);
  const ledger = defineLedgerLine(builder, currencies);
  const label = defineLabel(builder);
  const template = defineTemplate(builder, registry);
  const pixKeyType = definePixKeyType(builder);
  const { status, ...enums } = defineStepEnums(builder);
  const transaction = defineTransaction(builder, registry, {
    ...currencies,
    ...ledger,
    ...enums,
    status,
    label,
    template,
    pixKeyType,
  });
  defineStepFacts(builder, registry, { transaction, label, status, ...enums });
  const record = defineTransactionRecord(builder, transaction);
  const zone = defineCalendarZone(builder);
  const family = defineTransactionQueries(builder, registry, {
    ...currencies,
    transaction,
    template,
    status,
    zone,
  });
  defineStatement(builder, ledger, transaction, zone);
  const balance = defineMoney(builder, currencies);
  defineOrders(builder, { transaction, currencies, template, pixKeyType, record });
  defineActions(builder, transaction, pixKeyType);
  defineHouseBooks(builder, { currencies, ledger, bar });
  definePositions(builder, currencies);
  defineRefunds(builder, transaction, currencies);
  definePossibleActions(builder, transaction, { ...currencies, ...ledger, action });
  defineSandbox(builder, currencies, transaction);
  const { viewer, account, apiKey } = defineViewer(builder);
  const { person, role } = definePeople(builder, viewer);
  defineOwnSettings(builder, person);
  definePasskeys(builder);
  definePasskeyRoles(builder, account, role);
  defineApiKeys(builder, apiKey);
  const setting = defineSettings(builder, account, { template, bar });
  defineTemplateLimits(builder, account, template);
  const { customers, ...cases } = defineCustomersWithCases(builder, bar);
  defineBrowserAccess(builder, account);
  defineBranding(builder, account);
  const entry = defineWhitelist(builder, account, pixKeyType);
  defineSearch(builder, { transaction, entry });
  const company = defineCompanies(builder, account);
  definePlatform(builder, { setting, customers, company });
  defineWaiting(builder, { currency: currencies.currency, transaction, bar });
  defineStaticLinks(builder, account, currencies);
  const { actorKind, entry: auditEntry } = defineAuditLog(builder);
  defineRequestLog(builder, actorKind);
  defineRailWork(builder, { ...currencies, ...cases, transaction, auditEntry, bar });
  const log = defineEventLog(builder, registry, { label, transaction });
  const endpoint = defineWebhooks(builder, account, template);
  defineEventNames(builder, registry, { label, template });
  defineSending(builder, { account, transaction, endpoint, event: log.event });
  defineSubscriptions(builder, { ...log, ...ledger, transaction, family, balance });
  definePaymentSession(builder, { ...currencies, label, statusCode: status });
  return withFreshReads(withNullableReads(builder.toSchema()));
}

/** Settings that belong to a person. */
function defineOwnSettings(builder: Builder, person: PersonRef): void {
  defineSavedViews(builder, person);
  defineNotifications(builder, person);
}

function defineMoney(builder: Builder, currencies: CurrencyRefs) {
  defineRates(builder);
  defineTakings(builder);
  return defineBalances(builder, currencies);
}

/** Reports and findings of rails that need a person's decision. */
function defineRailWork(builder: Builder, refs: Omit<ReviewRefs, 'suspense' | 'medCase' | 'hit'>): void {
  const med = defineMedCases(builder, refs);
  defineMedActions(builder, med);
  const suspense = defineSuspense(builder, refs);
  const hit = defineScreening(builder);
  defineReview(builder, { ...refs, suspense, medCase: med.node, hit });
  defineRailEvents(builder);
  definePixOrders(builder);
  defineNetworks(builder);
}

interface OrderRefs {
  readonly transaction: ReturnType<typeof defineTransaction>;
  readonly currencies: CurrencyRefs;
  readonly template: ReturnType<typeof defineTemplate>;
  readonly pixKeyType: ReturnType<typeof definePixKeyType>;
  readonly record: ReturnType<typeof defineTransactionRecord>;
}

function defineOrders(builder: Builder, { transaction, currencies, ...refs }: OrderRefs): void {
  const amounts = defineAmountInputs(builder);
  defineQuote(builder, refs.template, { ...currencies, ...amounts });
  defineOnrampCreations(builder, transaction, { ...refs, ...amounts });
  defineOfframpCreation(builder, transaction, { ...refs, ...amounts });
  defineWithdrawalCreation(builder, transaction, refs);
}

interface BookRefs {
  readonly currencies: CurrencyRefs;
  readonly ledger: LedgerRefs;
  readonly bar: ApprovalBarRef;
}

function defineHouseBooks(builder: Builder, { currencies, ledger, bar }: BookRefs): void {
  defineBooks(builder);
  defineReceivables(builder, currencies);
  defineTreasury(builder, currencies, ledger);
  defineBookEntries(builder);
  defineFigures(builder);
  defineBookCloses(builder);
  defineHouseDays(builder);
  defineCapital(builder, defineManualJournals(builder, bar));
  defineReconciliation(builder);
}

function defineSending(builder: Builder, refs: Parameters<typeof defineDeliveries>[1]): void {
  defineRedeliveries(builder, refs.account, defineDeliveries(builder, refs));
  defineSamples(builder, refs.endpoint);
  defineDeliveryReport(builder, refs.endpoint);
}

/** A refused read is null, and leaves the other fields of the document unaffected: its error has the reason. */
function withNullableReads(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {}))
    field.type = getNullableType(field.type);
  return schema;
}

/**
 * The mutations of a document run one after another, and share their loaders: each clears them, so later reads see its
 * changes.
 */
function withFreshReads(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve = defaultFieldResolver } = field;
    field.resolve = (root, args, context: GraphqlContext, info) => {
      context.loaders.forget();
      return resolve(root, args, context, info);
    };
  }
  return schema;
}

/**
 * @returns a schema as text, sorted by name: the content of schema.operator.graphql, and of the merchants' contract
 *   schema.graphql.
 */
export function schemaText(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/** @returns the types of a page of customers, of a customer, and of their cases. */
function defineCustomersWithCases(builder: Builder, bar: ApprovalBarRef) {
  const { connection, level, customer } = defineCustomers(builder);
  return { customers: connection, customer, customerCase: defineCustomerCases(builder, level, bar) };
}
