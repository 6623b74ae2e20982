/**
 * Every act that is not a read, by the name under which the audit log has it, with the scope that it needs (C-40) and what
 * it does. GraphQL, `/v2`, the hosted pages and the CLI do what they do under these names.
 */
import type { Scope } from './api-key.ts';

/** What there is to know of an act. */
export interface Act {
  /** What a key needs for it. */
  readonly scope: Scope;
  /** What it does, in one sentence. */
  readonly description: string;
}

const act = (scope: Scope, description: string): Act => ({ scope, description });

/** The acts by name: what they act on, and what they do to it. */
export const ACTS = {
  'quote.create': act('create', 'Makes a quote that a transaction can be created at.'),
  'checkout.create': act('create', 'Creates a checkout session.'),
  'onramp.create': act('create', 'Creates an onramp.'),
  'offramp.create': act('create', 'Creates an offramp, from the balance or from a deposit.'),
  'transaction.cancel': act('create', 'Cancels a transaction that is not a withdrawal.'),
  'transaction.accept_quote': act('create', 'Accepts the quote of a transaction.'),
  'transaction.enter_amount': act('create', 'Sets the amount of a checkout session.'),
  'transaction.provide_identity': act('create', 'Names the customer or payee of a transaction.'),
  'transaction.confirm_identity': act('create', 'Confirms the customer of a transaction.'),
  'deposit.resolve': act('move', 'Keeps, refunds or converts a held deposit.'),
  'withdrawal.create': act('move', 'Creates a withdrawal to a whitelisted destination.'),
  'withdrawal.cancel': act('move', 'Cancels a withdrawal before it is sent.'),
  'withdrawal.approve': act('move', 'Approves a withdrawal as its second approver.'),
  'withdrawal.reject': act('move', 'Rejects a withdrawal that waits for approval.'),
  'whitelist.create_group': act('move', 'Creates a group of the whitelist.'),
  'whitelist.add_entry': act('move', 'Adds a destination to a group of the whitelist.'),
  'whitelist.remove_entry': act('move', 'Removes a destination from the whitelist.'),
  'link.create': act('create', 'Creates a payment link.'),
  'link.disable': act('create', 'Ends a payment link.'),
  'stream_token.create': act('read', 'Makes a token that opens subscriptions for a short time.'),
  'settings.update_account': act('admin', 'Changes the rules of an account.'),
  'settings.update_template': act('admin', 'Changes price and limits of a template for an account.'),
  'origins.update': act('admin', 'Changes the origins whose pages may use the keys of an account.'),
  'branding.update': act('admin', 'Changes how the hosted pages of an account look.'),
  'webhook.create': act('admin', 'Creates a webhook endpoint.'),
  'webhook.update': act('admin', 'Changes a webhook endpoint.'),
  'webhook.remove': act('admin', 'Removes a webhook endpoint.'),
  'webhook.pause': act('admin', 'Pauses a webhook endpoint.'),
  'webhook.resume': act('admin', 'Resumes a webhook endpoint.'),
  'webhook.rotate_secret': act('admin', 'Creates a new signing secret for webhooks.'),
  'webhook.redeliver': act('admin', 'Sends events to webhook endpoints again.'),
  'webhook.test': act('admin', 'Sends a test to a webhook endpoint.'),
  'webhook.recover': act('admin', 'Enables a webhook endpoint and sends it what it missed.'),
  'key.create': act('admin', 'Creates an API key.'),
  'key.rotate': act('admin', 'Replaces an API key by a new one; the old one stays valid for a while.'),
  'key.revoke': act('admin', 'Revokes an API key.'),
  'hold.release': act('admin', 'Releases a transaction that compliance screening holds.'),
  'hold.reject': act('admin', 'Rejects a transaction that compliance screening holds.'),
  'sandbox.trigger': act('create', 'Plays a scenario of the sandbox on a transaction.'),
  'sandbox.fund': act('create', 'Credits play money to a balance.'),
  'sandbox.advance_clock': act('create', 'Moves the clock of the sandbox forward, for all its accounts.'),
} as const satisfies Readonly<Record<string, Act>>;

/** Name of an act. */
export type ActName = keyof typeof ACTS;
