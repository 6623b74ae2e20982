/** The screens of the console. */
import type { Screen } from '../context.ts';
import { ACCOUNT } from './account.ts';
import { ACCOUNTS } from './accounts.ts';
import { APPROVALS } from './approvals.ts';
import { AUDIT } from './audit.ts';
import { BOOK_ENTRIES } from './book-entries.ts';
import { BOOKS } from './books.ts';
import { CUSTOMERS } from './customers.ts';
import { DEVELOPERS } from './developers.ts';
import { EVENTS } from './events.ts';
import { NEW } from './new.ts';
import { OPERATOR } from './operator.ts';
import { PEOPLE } from './people.ts';
import { PLATFORM_TODAY } from './platform-today.ts';
import { RAILS } from './rails.ts';
import { RECONCILIATION } from './reconciliation.ts';
import { REQUESTS } from './requests.ts';
import { REVIEW } from './review.ts';
import { REVIEW_CASE } from './review-case.ts';
import { SEARCH } from './search.ts';
import { SETTINGS } from './settings.ts';
import { STATEMENT } from './statement.ts';
import { TODAY } from './today.ts';
import { TRANSACTION } from './transaction.ts';
import { TRANSACTIONS } from './transactions.ts';
import { WEBHOOK_DELIVERY } from './webhook-delivery.ts';
import { WEBHOOK_ENDPOINT } from './webhook-endpoint.ts';
import { WEBHOOK_SECRETS } from './webhook-secrets.ts';
import { WHITELIST } from './whitelist.ts';

/** Every screen. */
export const SCREENS: readonly Screen[] = [
  PLATFORM_TODAY,
  TODAY,
  TRANSACTIONS,
  TRANSACTION,
  STATEMENT,
  SEARCH,
  REVIEW,
  REVIEW_CASE,
  APPROVALS,
  WHITELIST,
  CUSTOMERS,
  NEW,
  DEVELOPERS,
  WEBHOOK_ENDPOINT,
  WEBHOOK_DELIVERY,
  WEBHOOK_SECRETS,
  EVENTS,
  REQUESTS,
  PEOPLE,
  SETTINGS,
  AUDIT,
  OPERATOR,
  RAILS,
  BOOKS,
  BOOK_ENTRIES,
  RECONCILIATION,
  ACCOUNTS,
  ACCOUNT,
];
