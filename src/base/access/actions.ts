/**
 * Every action that is not a read, by its name in the audit log, with its required scope (C-40) and its effect.
 * GraphQL, `/v2`, the hosted pages and the CLI record their actions under these names.
 */
import type { Scope } from './api-key.ts';

/** Description of an action. */
export interface Action {
  /** Scope that a key needs for it. */
  readonly scope: Scope;
  /** Effect of the action, in one sentence. */
  readonly description: string;
  /** The mutations that perform it. */
  readonly mutations: readonly string[];
}

const row = (scope: Scope, description: string, ...mutations: readonly string[]): Action => ({
  scope,
  description,
  mutations,
});

/** A view by the platform of another account's record. */
const view = (subject: string): Action =>
  row('platform:risk', `Looks at ${subject} of another account. By the query \`reviewCase\` only.`);

/** All actions by name, with their subject and their effect. */
export const ACTIONS = {
  'quote.create': row('create', 'Makes a quote that a transaction can be created at.', 'createQuote'),
  'checkout.create': row('create', 'Creates a checkout session.', 'createCheckout'),
  'onramp.create': row('create', 'Creates an onramp.', 'createOnramp'),
  'offramp.create': row(
    'create',
    'Creates an offramp from a deposit, or a quote of one from the balance.',
    'createOfframp',
  ),
  'transaction.cancel': row('create', 'Cancels a transaction that is not a withdrawal.', 'cancelTransaction'),
  'transaction.accept_quote': row('create', 'Accepts the quote of a transaction.', 'acceptQuote'),
  'transaction.enter_amount': row('create', 'Sets the amount of a checkout session.', 'enterAmount'),
  'transaction.provide_identity': row(
    'create',
    'Names the customer or payee of a transaction.',
    'provideIdentity',
  ),
  'transaction.confirm_identity': row('create', 'Confirms the customer of a transaction.', 'confirmIdentity'),
  'facts.record': row(
    'create',
    'Records facts of a transaction that authorities ask for, or corrects them.',
    'recordFacts',
  ),
  'payment.refund': row('move', 'Refunds a PIX payment from the balance, or a part of it.', 'refundPayment'),
  'balance.pay_out': row(
    'move',
    'Creates an offramp out of the balance, accepts its quote or names its payee.',
    'createOfframp',
    'acceptQuote',
    'provideIdentity',
  ),
  'balance.quote': row(
    'move',
    'Makes a quote of an offramp out of the balance, for a caller without `create`.',
    'createQuote',
  ),
  'deposit.resolve': row('move', 'Keeps, refunds or converts a held deposit.', 'resolveDeposit'),
  'withdrawal.create': row('move', 'Creates a withdrawal to a whitelisted destination.', 'createWithdrawal'),
  'withdrawal.cancel': row('move', 'Cancels a withdrawal before it is sent.', 'cancelTransaction'),
  'withdrawal.approve': row('move', 'Approves a withdrawal as its second approver.', 'approveWithdrawal'),
  'withdrawal.reject': row('move', 'Rejects a withdrawal that waits for approval.', 'rejectWithdrawal'),
  'money_out.approve': row(
    'move',
    'Approves money out that waits for another person: a payout, a refund, a redirected deposit, a withdrawal.',
    'approveMoneyOut',
  ),
  'money_out.reject': row('move', 'Rejects money out that waits for another person.', 'rejectMoneyOut'),
  'whitelist.create_group': row('move', 'Creates a group of the whitelist.', 'createWhitelistGroup'),
  'whitelist.add_entry': row('move', 'Adds a destination to a group of the whitelist.', 'addWhitelistEntry'),
  'whitelist.remove_entry': row('move', 'Removes a destination from the whitelist.', 'removeWhitelistEntry'),
  'whitelist.add_proof': row(
    'move',
    'Stores the proof of a whitelisted address, which was made outside of the gateway, for the signer.',
    'addWhitelistProof',
  ),
  'whitelist.withdraw_proof': row(
    'move',
    'Withdraws the proof of a whitelisted address, which the signer requires.',
    'withdrawWhitelistProof',
  ),
  'link.create': row('admin', 'Creates a payment link.', 'createStaticLink'),
  'link.disable': row('admin', 'Ends a payment link.', 'disableStaticLink'),
  'stream_token.create': row(
    'read',
    'Makes a token that opens subscriptions for a short time.',
    'createStreamToken',
  ),
  'export_link.create': row('read', 'Makes a link to an export. By `POST /export/…` only.'),
  'settings.update_account': row('admin', 'Changes the rules of an account.', 'updateAccountSettings'),
  'settings.cancel_change': row(
    'admin',
    'Cancels a change of settings that has not taken effect.',
    'cancelSettingChange',
  ),
  'settings.update_template': row(
    'platform:pricing',
    'Changes price and limits of a template for an account: a price without margin needs two people.',
    'updateTemplateSettings',
  ),
  'settings.update_limits': row(
    'admin',
    'Sets limits of an account on a template, within those of the platform.',
    'updateTemplateLimits',
  ),
  'origins.update': row(
    'admin',
    'Changes the origins whose pages may use the keys of an account.',
    'updateAllowedOrigins',
  ),
  'branding.update': row('admin', 'Changes how the hosted pages of an account look.', 'updateBranding'),
  'webhook.create': row('admin', 'Creates a webhook endpoint.', 'createWebhookEndpoint'),
  'webhook.update': row('admin', 'Changes a webhook endpoint.', 'updateWebhookEndpoint'),
  'webhook.remove': row('admin', 'Removes a webhook endpoint.', 'removeWebhookEndpoint'),
  'webhook.pause': row('admin', 'Pauses a webhook endpoint.', 'pauseWebhookEndpoint'),
  'webhook.resume': row('admin', 'Resumes a webhook endpoint.', 'resumeWebhookEndpoint'),
  'webhook.rotate_secret': row('admin', 'Creates a new signing secret for webhooks.', 'rotateWebhookSecret'),
  'webhook.redeliver': row(
    'admin',
    'Sends events to webhook endpoints again.',
    'redeliverWebhook',
    'redeliverWebhooks',
  ),
  'webhook.test': row('admin', 'Sends a test to a webhook endpoint.', 'sendTestWebhook', 'sendSampleWebhook'),
  'webhook.recover': row(
    'admin',
    'Enables a webhook endpoint and sends it what it missed.',
    'recoverWebhookEndpoint',
  ),
  'key.create': row('admin', 'Creates an API key.', 'createApiKey'),
  'key.rotate': row(
    'admin',
    'Replaces an API key by a new one; the old one stays valid for a while.',
    'rotateApiKey',
  ),
  'key.revoke': row('admin', 'Revokes an API key.', 'revokeApiKey'),
  'person.invite': row('admin', 'Invites a person to the account.', 'inviteMember'),
  'person.confirm': row(
    'admin',
    'Confirms a person: they count as one maker with whoever invited them no more. By another owner.',
    'confirmMember',
  ),
  'person.change_role': row('admin', 'Gives a person another role in the account.', 'changeMemberRole'),
  'person.remove': row('admin', 'Removes a person from the account.', 'removeMember'),
  'person.link': row(
    'admin',
    'Makes a link that signs a person in. By `crossramp person link` and a start only.',
  ),
  'person.sign_in': row('read', 'Signs a person in. By the pages of the console only.'),
  'person.sign_out': row(
    'read',
    'Ends the session of the person who asks. By the pages of the console only.',
  ),
  'person.switch_account': row(
    'read',
    'Lets the session of a person act on another account of theirs. By the pages of the console only.',
  ),
  'session.revoke': row('read', 'Ends one of the person’s own sessions.', 'revokeSession'),
  'session.confirm': row(
    'read',
    'Shows a passkey again, for acts that need it. By the pages of the console only.',
  ),
  'notifications.choose': row(
    'read',
    'Chooses the notifications that a person gets by e-mail.',
    'chooseNotifications',
  ),
  'view.save': row('read', 'Saves an address of the console under a name.', 'saveView'),
  'view.remove': row('read', 'Removes a saved address of the console.', 'removeView'),
  'review.assign': row(
    'read',
    'Takes a case of the review queue: whoever does so works on it.',
    'assignReviewCase',
  ),
  'review.release': row('read', 'Gives a case of the review queue back.', 'releaseReviewCase'),
  'review.note': row('read', 'Adds a note about the subject of a case of the review queue.', 'addReviewNote'),
  'transaction.view': view('a transaction'),
  'suspense.view': view('money in suspense'),
  'case.view': view('the case of a customer'),
  'hit.view': view('a hit of screening'),
  'identity.add': row(
    'read',
    'Links a person to their identity at a sign-in provider. By the pages of the console only.',
  ),
  'passkey.require': row(
    'admin',
    'Sets the roles whose people need a passkey for every action.',
    'updatePasskeyRoles',
  ),
  'passkey.add': row('read', 'Adds a passkey of the person who asks. By the pages of the console only.'),
  'passkey.remove': row('read', 'Removes a passkey of the person who asks.', 'removePasskey'),
  'passkey.reset': row('admin', 'Removes all passkeys of a person. By `crossramp person link` only.'),
  'customer.update': row(
    'admin',
    'Sets limits of a customer, within those of the platform.',
    'updateCustomer',
  ),
  'customer.grant': row(
    'platform:pricing',
    'Sets limits of a customer in place of those of the templates.',
    'grantCustomerLimits',
  ),
  'company.update': row(
    'platform:risk',
    'Stores the company behind an account, or an owner of it.',
    'updateAccountCompany',
    'setCompanyOwner',
    'removeCompanyOwner',
  ),
  'hold.release': row(
    'platform:risk',
    'Releases a transaction that compliance screening holds.',
    'releaseHold',
  ),
  'hold.reject': row('platform:risk', 'Rejects a transaction that compliance screening holds.', 'rejectHold'),
  'hit.dismiss': row(
    'platform:risk',
    'Dismisses a hit of screening, with a reason: it is somebody else.',
    'dismissScreeningHit',
  ),
  'hit.confirm': row(
    'platform:risk',
    'Confirms a hit of screening, with a reason: it is the person or the address of the list.',
    'confirmScreeningHit',
  ),
  'step_up.approve': row(
    'platform:risk',
    'Approves the extra verification of a customer or payee, with a reason.',
    'approveStepUp',
  ),
  'step_up.deny': row(
    'platform:risk',
    'Denies the extra verification of a customer or payee, with a reason.',
    'denyStepUp',
  ),
  'case.approve': row(
    'platform:risk',
    'Approves the case of a customer, with a reason: what waits for it goes on.',
    'approveCase',
  ),
  'case.deny': row(
    'platform:risk',
    'Denies the case of a customer, with a reason: what is open for that customer ends, and what was paid goes back.',
    'denyCase',
  ),
  'case.retry': row('platform:risk', 'Begins the check of a customer again, with a reason.', 'retryCase'),
  'case.freeze': row(
    'platform:risk',
    'Freezes a customer, with a reason: no money of that customer moves or goes back.',
    'freezeCase',
    'freezeCustomer',
  ),
  'case.unfreeze': row(
    'platform:risk',
    'Unfreezes a customer, with a reason: two people do it, one after the other.',
    'unfreezeCase',
  ),
  'med.attach': row(
    'move',
    'Adds a file or an evidence pack to a MED case of the account.',
    'attachMedFile',
    'makeMedEvidence',
  ),
  'med.answer': row('move', 'Answers a MED case of the account.', 'answerMedCase'),
  'med.attach_for': row(
    'platform:risk',
    'Adds a file or an evidence pack to a MED case of any account.',
    'attachMedFile',
    'makeMedEvidence',
  ),
  'med.answer_for': row('platform:risk', 'Answers a MED case of any account.', 'answerMedCase'),
  'med.record': row(
    'platform:risk',
    'Records what happened to a MED case on the screens of the provider, with a reason.',
    'recordMedOutcome',
  ),
  'facts.correct': row(
    'platform:risk',
    'Records facts of a transaction of an account that authorities ask for, or corrects them.',
    'correctFacts',
  ),
  'refund.retry': row('platform:risk', 'Orders a failed return to a payer again.', 'retryRefund'),
  'refund.settle_by_hand': row(
    'platform:risk',
    'Books a failed return as paid to the payer by hand.',
    'settleRefundByHand',
  ),
  'suspense.assign': row(
    'platform:risk',
    'Credits money in suspense to the account that it lies with, or proposes another one.',
    'assignSuspense',
  ),
  'suspense.approve': row(
    'platform:risk',
    'Approves that money in suspense is credited to another account than the one that it lies with.',
    'approveSuspense',
  ),
  'suspense.reject': row(
    'platform:risk',
    'Rejects that money in suspense is credited to another account.',
    'rejectSuspense',
  ),
  'suspense.return': row(
    'platform:risk',
    'Sends money in suspense back to where it came from.',
    'returnSuspense',
  ),
  'rail_event.retry': row('platform:risk', 'Processes an unsettled rail event again.', 'retryRailEvent'),
  'rail_event.close': row(
    'platform:risk',
    'Closes a rail event that needs no further action, with a reason.',
    'closeRailEvent',
  ),
  'order.settle': row(
    'platform:risk',
    'Settles by hand an order to the PIX provider whose outcome the provider cannot tell.',
    'settlePixOrder',
  ),
  'restore.begin': row(
    'platform:risk',
    'Stops all rails after a restore of the database, until they were scanned for payments since a time. By `crossramp restored begin` only.',
  ),
  'restore.release': row(
    'platform:risk',
    'Lets a rail send again after a restore without a scan for its payments. By `crossramp restored release` only.',
  ),
  'restore.match': row(
    'platform:risk',
    'Matches a payment of before a restore with an order, which is then not sent. By `crossramp restored match` only.',
  ),
  'restore.dismiss': row(
    'platform:risk',
    'Decides that a payment of before a restore is that of no order, so that the orders it holds are sent. By `crossramp restored dismiss` only.',
  ),
  'job.retry': row(
    'platform:risk',
    'Has a job that is due or failed tried at once, or all jobs that wait for a person, with an entry for each. By `crossramp job retry` only.',
  ),
  'job.cancel': row(
    'platform:risk',
    'Gives up a failed job that no money and no open transaction waits for. By `crossramp job cancel` only.',
  ),
  'network.pause': row('platform:risk', 'Pauses sending on a network.', 'pauseNetwork'),
  'network.resume': row('platform:risk', 'Resumes sending on a network.', 'resumeNetwork'),
  'account.create': row('platform:books', 'Adds an account. By `crossramp account create` only.'),
  'account.import': row('platform:books', 'Imports the history of an account. By `crossramp import` only.'),
  'receivable.settle': row(
    'platform:books',
    'Settles what an account owes the house after a lost dispute or a dropped deposit.',
    'settleReceivable',
  ),
  'capital.book': row(
    'platform:books',
    'Proposes capital that is paid in or taken out: another person approves it.',
    'bookCapital',
  ),
  'journal.propose': row('platform:books', 'Proposes a manual journal on house accounts.', 'proposeJournal'),
  'journal.approve': row(
    'platform:books',
    'Approves a manual journal or capital: it is posted.',
    'approveJournal',
  ),
  'journal.reject': row('platform:books', 'Rejects a manual journal or capital.', 'rejectJournal'),
  'books.close': row('platform:books', 'Closes the books of a day.', 'closeBooks'),
  'books.reconcile': row(
    'platform:books',
    'Reconciles a day: compares the statement of a rail with the ledger, and keeps the report.',
    'reconcile',
  ),
  'sandbox.trigger': row('create', 'Plays a scenario of the sandbox on a transaction.', 'sandboxTrigger'),
  'sandbox.fund': row('create', 'Credits play money to a balance.', 'sandboxFund'),
  'sandbox.advance_clock': row(
    'platform:rails',
    'Moves the clock of the sandbox forward, for all its accounts.',
    'sandboxAdvanceClock',
  ),
} as const satisfies Readonly<Record<string, Action>>;

/** Name of an action. */
export type ActionName = keyof typeof ACTIONS;

/** @returns whether a scope is one of the platform. */
export function isPlatformScope(scope: Scope): boolean {
  return scope.startsWith('platform:');
}

/** @returns whether all actions of a mutation need a scope of the platform. */
export function isPlatformMutation(mutation: string): boolean {
  const actions = Object.values<Action>(ACTIONS).filter(({ mutations }) => mutations.includes(mutation));
  return actions.length > 0 && actions.every(({ scope }) => isPlatformScope(scope));
}
