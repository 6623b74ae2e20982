/**
 * Goal: no list of records grows without end, whatever an account does (C-50). Method: every list of the schema that is not the part
 * of a page has its maximum in a table here, so that a new one without fails; where it is a number, the schema says it, and a list that
 * can have more than a page costs more than ten times its records.
 */

import {
  type GraphQLField,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { known } from '../../src/base/errors/assert.ts';
import { API_KEYS_MAX } from '../../src/resolvers/account/manage-keys.ts';
import { WAITING_MAX } from '../../src/resolvers/account/read-waiting.ts';
import { FOUND_MAX } from '../../src/resolvers/account/search.ts';
import { EVIDENCE_MAX } from '../../src/resolvers/cases/read-cases.ts';
import { ORDERS_MAX } from '../../src/resolvers/inbound/settle-order.ts';
import { MANUAL_JOURNALS_MAX } from '../../src/resolvers/ledger/manual-journals.ts';
import { BOOK_ENTRIES_MAX } from '../../src/resolvers/ledger/read-book-entries.ts';
import { HOUSE_DAYS_MAX } from '../../src/resolvers/ledger/read-house-days.ts';
import { MED_LISTED_MAX } from '../../src/resolvers/med/read-med-cases.ts';
import { STATIC_LINKS_MAX } from '../../src/resolvers/payer/manage-links.ts';
import { MEMBERS_MAX } from '../../src/resolvers/people/members.ts';
import { PASSKEYS_MAX } from '../../src/resolvers/people/passkeys.ts';
import { VIEWS_MAX } from '../../src/resolvers/people/views.ts';
import { FINDINGS_MAX } from '../../src/resolvers/reconciliation/compare-statement.ts';
import { DECISIONS_MAX } from '../../src/resolvers/review/read-decisions.ts';
import { HITS_LISTED_MAX } from '../../src/resolvers/review/read-evidence.ts';
import { OWNERS_MAX } from '../../src/resolvers/screening/account-companies.ts';
import { WHITELIST_MAX } from '../../src/resolvers/settings/manage-whitelist.ts';
import { TAKINGS_DAYS } from '../../src/resolvers/transactions/read-takings.ts';
import { CAME_ENDPOINTS_LISTED, SECRETS_MAX } from '../../src/resolvers/webhooks/manage-webhooks.ts';
import { ENDPOINTS_REPORTED } from '../../src/resolvers/webhooks/read-delivery-report.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { OTHER_CASES_MAX } from '../../src/store/account/cases-of-customer.ts';
import { NOTES_MAX } from '../../src/store/account/review.ts';
import { WAITING_CHANGES_MAX } from '../../src/store/account/setting-changes.ts';
import { CANDIDATES_MAX } from '../../src/store/engine/payment-candidates.ts';
import { RELATED_MAX } from '../../src/store/engine/related.ts';
import { OWN_ACCOUNTS_MAX } from '../../src/store/people/people.ts';
import { SESSIONS_LISTED } from '../../src/store/people/person-sessions.ts';
import { SLICES } from '../../src/store/webhooks/delivery-report.ts';
import { REDELIVERIES_LISTED } from '../../src/store/webhooks/redeliveries.ts';
import { SAMPLES_LISTED } from '../../src/store/webhooks/samples.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { ATTEMPTS_MAX } from '../../src/webhooks/schedule.ts';

/** What bounds a list that has no number of its own: nothing that an account can do adds to it without end. */
const TEMPLATES = 'one for each template';
const FIGURE_ROWS = 'one for each kind of ledger account and currency, kind of case, or rail';
const CATALOGUE = 'one for each currency of the catalogue, and of imported history';
const CHART = 'one for each kind of ledger account and currency';
const SETUP = 'as the operator has set up the rails';
const PROCESS = 'the steps of a process, which ends, and of its refunds, of which there are at most 90';

const ACTIONS =
  'the actions that the machines know, their arguments, and the parts of a balance that each moves';

/** The maximum of every list, by its field. */
const MAXIMA: Readonly<Record<string, number | string>> = {
  'AccountCompany.owners': OWNERS_MAX,
  'Account.staticLinks': STATIC_LINKS_MAX,
  'Account.templateLimits': TEMPLATES,
  'Account.templateSettings': TEMPLATES,
  'Account.webhookEndpoints': CAME_ENDPOINTS_LISTED,
  'Account.webhookRedeliveries': REDELIVERIES_LISTED,
  'Account.webhookSecrets': SECRETS_MAX,
  'Account.whitelistGroups': WHITELIST_MAX.groups,
  'AccountHolder.templateSettings': TEMPLATES,
  'AccountSettings.pendingChanges': WAITING_CHANGES_MAX,
  'AssetRate.feeds': SETUP,
  'BalanceChange.balances': CATALOGUE,
  'BalanceWorth.unpriced': CATALOGUE,
  'CaseFile.candidates': CANDIDATES_MAX,
  'CaseFile.decisions': DECISIONS_MAX,
  'CaseFile.facts': 'what a rail reports of one payment',
  'CaseFile.medCases': MED_LISTED_MAX,
  'CaseFile.notes': NOTES_MAX,
  'CaseFile.otherCases': OTHER_CASES_MAX,
  'CloseChecklist.rails': SETUP,
  'Customer.volumes': 30,
  'CustomerCase.evidence': EVIDENCE_MAX,
  'DeliveryReport.endpoints': ENDPOINTS_REPORTED,
  'DeliveryReport.slices': SLICES,
  'LedgerLine.counterparts': 'the lines of one journal, as its kind has them',
  'MedCase.answers': MED_LISTED_MAX,
  'MedCase.files': MED_LISTED_MAX,
  'MedCase.history': MED_LISTED_MAX,
  'NotificationSettings.kinds': 'one for each kind',
  'Person.accounts': OWN_ACCOUNTS_MAX,
  'Person.savedViews': VIEWS_MAX,
  'PossibleAction.arguments': ACTIONS,
  'PossibleAction.effects': ACTIONS,
  'ProfitAndLoss.lines': CHART,
  'ProfitAndLoss.net': CATALOGUE,
  'ProfitAndLoss.position': CATALOGUE,
  'Query.apiKeys': API_KEYS_MAX,
  'Query.approvals': WAITING_MAX,
  'Query.balances': CATALOGUE,
  'Query.bookEntries': BOOK_ENTRIES_MAX,
  'Query.currencies': CATALOGUE,
  'Query.flows': CATALOGUE,
  'Query.holds': WAITING_MAX,
  'Query.houseDays': HOUSE_DAYS_MAX,
  'Query.stepUps': WAITING_MAX,
  'Query.manualJournals': MANUAL_JOURNALS_MAX,
  'Query.members': MEMBERS_MAX,
  'Query.myPasskeys': PASSKEYS_MAX,
  'Query.mySessions': SESSIONS_LISTED,
  'Query.openPixOrders': ORDERS_MAX,
  'Query.openRefunds': WAITING_MAX,
  'Query.pausedNetworks': 'one for each network, and PIX',
  'Query.positions': CATALOGUE,
  'Query.operationChecks': 'one for each check of doctor',
  'Query.railHealth': SETUP,
  'Query.rateFeeds': SETUP,
  'Query.reviewCounts': 'one for each kind of case',
  'Query.figures': FIGURE_ROWS,
  'CellFigures.rows': FIGURE_ROWS,
  'FiguresOverCells.sum': FIGURE_ROWS,
  'FiguresOverCells.cells': 'one for each cell of the installation',
  'Query.sandboxScenarios': 'the scenarios of the sandbox',
  'Query.screeningLists': SETUP,
  'Query.search': FOUND_MAX,
  'Query.treasury': CHART,
  'Query.webhookEventNames': 'the steps of all templates',
  'RailHealth.checks': SETUP,
  'RelatedPayments.payments': RELATED_MAX,
  'RelatedPayments.sums': 'one for each outcome',
  'ReviewEvidence.customerCases': 'one for each level',
  'ReviewEvidence.hits': HITS_LISTED_MAX,
  'RotateWebhookSecretPayload.secrets': SECRETS_MAX,
  'Reconciliation.balances': SETUP,
  'Reconciliation.findings': FINDINGS_MAX,
  'Takings.days': 2 * TAKINGS_DAYS,
  'Transaction.deliveries': 100,
  'Transaction.events': PROCESS,
  'Transaction.ledgerLines': PROCESS,
  'Transaction.possibleActions': ACTIONS,
  'Transaction.refundEffects': ACTIONS,
  'Transaction.refunds': PROCESS,
  'TransactionConnection.sums': CATALOGUE,
  'TrialBalance.lines': CHART,
  'Viewer.keys': API_KEYS_MAX,
  'WebhookDelivery.attempts': ATTEMPTS_MAX,
  'WebhookEndpoint.samples': SAMPLES_LISTED,
  'WhitelistGroup.entries': WHITELIST_MAX.entries,
};

type Field = GraphQLField<unknown, unknown>;

/** Refusals in payloads are one for each bad member of an input. */
const REFUSALS = 'Refusal';

/** Lists of records, not of texts or of values of an enum; of an interface, not again of each type that has it. */
const LISTS: ReadonlyMap<string, Field> = new Map(
  Object.values(buildSchema(REGISTRY).getTypeMap()).flatMap((type) => {
    if (isIntrospectionType(type) || !(isObjectType(type) || isInterfaceType(type))) return [];
    const inherited = new Set(type.getInterfaces().flatMap((each) => Object.keys(each.getFields())));
    return Object.values(type.getFields()).flatMap((field): [string, Field][] => {
      const isList = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type));
      const isPart = /Connection$/.test(type.name) && ['edges', 'nodes'].includes(field.name);
      const isOfRefusals = getNamedType(field.type).name === REFUSALS;
      return isList && !isPart && !isOfRefusals && !inherited.has(field.name)
        ? [[`${type.name}.${field.name}`, field]]
        : [];
    });
  }),
);

test('every list of records has a maximum', () => {
  expect([...LISTS.keys()].toSorted()).toEqual(Object.keys(MAXIMA).toSorted());
});

const NUMBERED = Object.entries(MAXIMA).flatMap(([path, max]) =>
  typeof max === 'number' ? [{ path, max }] : [],
);

test.each(NUMBERED)('$path documents its maximum of $max', ({ path, max }) => {
  const { description, args } = known(LISTS.get(path), 'a field of the schema');
  const said = [description, ...args.map((each) => each.description)].join(' ');
  expect(said).toMatch(new RegExp(`\\b(?:at most|1 to|the last) ${max.toLocaleString('en')}\\b`, 'i'));
});

test.each(
  NUMBERED.filter(({ max }) => max > 100),
)('$path, which can have $max, costs more than ten times a record', ({ path }) => {
  const { complexity } = known(LISTS.get(path), 'a field of the schema').extensions as {
    complexity?: { multiplier: number } | ((args: object) => { multiplier: number });
  };
  const cost = typeof complexity === 'function' ? complexity({ first: 200 }) : complexity;
  expect(cost?.multiplier).toBeGreaterThanOrEqual(20);
});
