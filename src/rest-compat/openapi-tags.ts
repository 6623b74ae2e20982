/** The tags that group the operations of the OpenAPI document. */
import type { Route } from './route.ts';

/** Every tag of an operation. */
export const TAGS = [
  { name: 'checkouts', description: 'Sessions on a hosted page: BRL in by PIX, crypto to the balance.' },
  { name: 'onramps', description: 'BRL in by PIX, crypto to the balance or to a wallet.' },
  { name: 'offramps', description: 'Crypto from the balance or from a deposit, BRL out by PIX.' },
  { name: 'withdrawals', description: 'From the balance to a whitelisted destination.' },
  { name: 'account', description: 'Balance and statement.' },
  { name: 'events', description: 'The event log, by polling and by webhooks.' },
  { name: 'webhooks', description: 'Endpoints that events are sent to, their secrets and deliveries.' },
  { name: 'keys', description: 'API keys of the account.' },
  { name: 'whitelist', description: 'Destinations that withdrawals may go to.' },
  { name: 'links', description: 'Static links: each visit opens a new checkout session.' },
  { name: 'sandbox', description: 'Simulated payments, deposits and time. Test keys only.' },
] as const;

/** @returns the tag of a route. */
export function tagOf({ answer }: Route): string {
  switch (answer.kind) {
    case 'transaction':
    case 'created':
    case 'list':
    case 'actions':
      return answer.family.family;
    case 'statement':
    case 'balance':
      return 'account';
    case 'events':
      return 'events';
    case 'record':
      return answer.tag;
    case 'anyTransaction':
    case 'sandbox':
      return 'sandbox';
  }
}
