/**
 * Every act that is not a read, by the name under which the audit log has it, with the scope that it needs (C-40) and what
 * it does. GraphQL, `/v2`, the hosted pages and the CLI do what they do under these names.
 */
import type { Scope } from './api-key.ts';

/** Description of an act. */
export interface Act {
  /** Scope that a key needs for it. */
  readonly scope: Scope;
  /** Effect of the act, in one sentence. */
  readonly description: string;
  /** The mutations that do it. */
  readonly mutations: readonly string[];
}

const act = (scope: Scope, description: string, ...mutations: readonly string[]): Act => ({
  scope,
  description,
  mutations,
});

/** All acts by name, with their subject and their effect. */
export const ACTS = {
  'quote.create': act('create', 'Makes a quote that a transaction can be created at.', 'createQuote'),
  'checkout.create': act('create', 'Creates a checkout session.', 'createCheckout'),
  'onramp.create': act('create', 'Creates an onramp.', 'createOnramp'),
  'offramp.create': act(
    'create',
    'Creates an offramp from a deposit, or a quote of one from the balance.',
    'createOfframp',
  ),
  'transaction.cancel': act('create', 'Cancels a transaction that is not a withdrawal.', 'cancelTransaction'),
  'transaction.accept_quote': act('create', 'Accepts the quote of a transaction.', 'acceptQuote'),
  'transaction.enter_amount': act('create', 'Sets the amount of a checkout session.', 'enterAmount'),
  'transaction.provide_identity': act(
    'create',
    'Names the customer or payee of a transaction.',
    'provideIdentity',
  ),
  'transaction.confirm_identity': act('create', 'Confirms the customer of a transaction.', 'confirmIdentity'),
  'facts.record': act(
    'create',
    'Records facts of a transaction that authorities ask for, or corrects them.',
    'recordFacts',
  ),
  'payment.refund': act(
    'move',
    'Refunds a finished PIX payment, whole or in part, out of the balance.',
    'refundPayment',
  ),
  'balance.pay_out': act(
    'move',
    'Creates an offramp out of the balance, accepts its quote or names its payee.',
    'createOfframp',
    'acceptQuote',
    'provideIdentity',
  ),
  'balance.quote': act(
    'move',
    'Makes a quote of an offramp out of the balance, for a caller without `create`.',
    'createQuote',
  ),
  'deposit.resolve': act('move', 'Keeps, refunds or converts a held deposit.', 'resolveDeposit'),
  'withdrawal.create': act('move', 'Creates a withdrawal to a whitelisted destination.', 'createWithdrawal'),
  'withdrawal.cancel': act('move', 'Cancels a withdrawal before it is sent.', 'cancelTransaction'),
  'withdrawal.approve': act('move', 'Approves a withdrawal as its second approver.', 'approveWithdrawal'),
  'withdrawal.reject': act('move', 'Rejects a withdrawal that waits for approval.', 'rejectWithdrawal'),
  'money_out.approve': act(
    'move',
    'Approves money out that waits for another person: a payout, a refund, a redirected deposit, a withdrawal.',
    'approveMoneyOut',
  ),
  'money_out.reject': act('move', 'Rejects money out that waits for another person.', 'rejectMoneyOut'),
  'whitelist.create_group': act('move', 'Creates a group of the whitelist.', 'createWhitelistGroup'),
  'whitelist.add_entry': act('move', 'Adds a destination to a group of the whitelist.', 'addWhitelistEntry'),
  'whitelist.remove_entry': act('move', 'Removes a destination from the whitelist.', 'removeWhitelistEntry'),
  'whitelist.add_proof': act(
    'move',
    'Stores the proof of a whitelisted address, which was made outside of the gateway, for the signer.',
    'addWhitelistProof',
  ),
  'whitelist.withdraw_proof': act(
    'move',
    'Withdraws the proof of a whitelisted address, which the signer requires.',
    'withdrawWhitelistProof',
  ),
  'link.create': act('admin', 'Creates a payment link.', 'createStaticLink'),
  'link.disable': act('admin', 'Ends a payment link.', 'disableStaticLink'),
  'stream_token.create': act(
    'read',
    'Makes a token that opens subscriptions for a short time.',
    'createStreamToken',
  ),
  'export_link.create': act('read', 'Makes a link to an export. By `POST /export/…` only.'),
  'settings.update_account': act('admin', 'Changes the rules of an account.', 'updateAccountSettings'),
  'settings.cancel_change': act(
    'admin',
    'Cancels a change of settings that has not taken effect.',
    'cancelSettingChange',
  ),
  'settings.update_template': act(
    'platform:pricing',
    'Changes price and limits of a template for an account: a price without margin needs two people.',
    'updateTemplateSettings',
  ),
  'settings.update_limits': act(
    'admin',
    'Sets limits of an account on a template, within those of the platform.',
    'updateTemplateLimits',
  ),
  'origins.update': act(
    'admin',
    'Changes the origins whose pages may use the keys of an account.',
    'updateAllowedOrigins',
  ),
  'branding.update': act('admin', 'Changes how the hosted pages of an account look.', 'updateBranding'),
  'webhook.create': act('admin', 'Creates a webhook endpoint.', 'createWebhookEndpoint'),
  'webhook.update': act('admin', 'Changes a webhook endpoint.', 'updateWebhookEndpoint'),
  'webhook.remove': act('admin', 'Removes a webhook endpoint.', 'removeWebhookEndpoint'),
  'webhook.pause': act('admin', 'Pauses a webhook endpoint.', 'pauseWebhookEndpoint'),
  'webhook.resume': act('admin', 'Resumes a webhook endpoint.', 'resumeWebhookEndpoint'),
  'webhook.rotate_secret': act('admin', 'Creates a new signing secret for webhooks.', 'rotateWebhookSecret'),
  'webhook.redeliver': act(
    'admin',
    'Sends events to webhook endpoints again.',
    'redeliverWebhook',
    'redeliverWebhooks',
  ),
  'webhook.test': act('admin', 'Sends a test to a webhook endpoint.', 'sendTestWebhook', 'sendSampleWebhook'),
  'webhook.recover': act(
    'admin',
    'Enables a webhook endpoint and sends it what it missed.',
    'recoverWebhookEndpoint',
  ),
  'key.create': act('admin', 'Creates an API key.', 'createApiKey'),
  'key.rotate': act(
    'admin',
    'Replaces an API key by a new one; the old one stays valid for a while.',
    'rotateApiKey',
  ),
  'key.revoke': act('admin', 'Revokes an API key.', 'revokeApiKey'),
  'person.invite': act('admin', 'Invites a person to the account.', 'inviteMember'),
  'person.confirm': act(
    'admin',
    'Confirms a person: they count as one maker with whoever invited them no more. By another owner.',
    'confirmMember',
  ),
  'person.change_role': act('admin', 'Gives a person another role in the account.', 'changeMemberRole'),
  'person.remove': act('admin', 'Removes a person from the account.', 'removeMember'),
  'person.link': act(
    'admin',
    'Makes a link that signs a person in. By `crossramp person link` and a start only.',
  ),
  'person.sign_in': act('read', 'Signs a person in. By the pages of the console only.'),
  'person.sign_out': act(
    'read',
    'Ends the session of the person who asks. By the pages of the console only.',
  ),
  'person.switch_account': act(
    'read',
    'Lets the session of a person act on another account of theirs. By the pages of the console only.',
  ),
  'session.revoke': act('read', 'Ends one of the person’s own sessions.', 'revokeSession'),
  'session.confirm': act(
    'read',
    'Shows a passkey again, for acts that need it. By the pages of the console only.',
  ),
  'notifications.choose': act(
    'read',
    'Chooses the notifications that a person gets by e-mail.',
    'chooseNotifications',
  ),
  'view.save': act('read', 'Saves an address of the console under a name.', 'saveView'),
  'view.remove': act('read', 'Removes a saved address of the console.', 'removeView'),
  'review.assign': act(
    'read',
    'Takes a case of the review queue: whoever does so works on it.',
    'assignReviewCase',
  ),
  'review.release': act('read', 'Gives a case of the review queue back.', 'releaseReviewCase'),
  'review.note': act('read', 'Adds a note about the subject of a case of the review queue.', 'addReviewNote'),
  'transaction.view': act(
    'platform:risk',
    'Looks at a transaction of another account, as a case of the review queue. By the query `reviewCase` only.',
  ),
  'suspense.view': act(
    'platform:risk',
    'Looks at money in suspense of another account, as a case of the review queue. By the query `reviewCase` only.',
  ),
  'identity.add': act(
    'read',
    'Links a person to their identity at a sign-in provider. By the pages of the console only.',
  ),
  'passkey.add': act('read', 'Adds a passkey of the person who asks. By the pages of the console only.'),
  'passkey.remove': act('read', 'Removes a passkey of the person who asks.', 'removePasskey'),
  'passkey.reset': act('admin', 'Removes all passkeys of a person. By `crossramp person link` only.'),
  'customer.update': act(
    'admin',
    'Sets limits of a customer, within those of the platform.',
    'updateCustomer',
  ),
  'customer.grant': act(
    'platform:pricing',
    'Sets limits of a customer in place of those of the templates.',
    'grantCustomerLimits',
  ),
  'hold.release': act(
    'platform:risk',
    'Releases a transaction that compliance screening holds.',
    'releaseHold',
  ),
  'hold.reject': act('platform:risk', 'Rejects a transaction that compliance screening holds.', 'rejectHold'),
  'hit.dismiss': act(
    'platform:risk',
    'Dismisses a hit of screening, with a reason: it is somebody else.',
    'dismissScreeningHit',
  ),
  'hit.confirm': act(
    'platform:risk',
    'Confirms a hit of screening, with a reason: it is the person or the address of the list.',
    'confirmScreeningHit',
  ),
  'step_up.approve': act(
    'platform:risk',
    'Approves the extra verification of a customer or payee, with a reason.',
    'approveStepUp',
  ),
  'step_up.deny': act(
    'platform:risk',
    'Denies the extra verification of a customer or payee, with a reason.',
    'denyStepUp',
  ),
  'case.approve': act(
    'platform:risk',
    'Approves the case of a customer, with a reason: what waits for it goes on.',
    'approveCase',
  ),
  'case.deny': act(
    'platform:risk',
    'Denies the case of a customer, with a reason: what is open for that customer ends, and what was paid goes back.',
    'denyCase',
  ),
  'case.retry': act('platform:risk', 'Begins the check of a customer again, with a reason.', 'retryCase'),
  'case.freeze': act(
    'platform:risk',
    'Freezes a customer, with a reason: no money of that customer moves or goes back.',
    'freezeCase',
    'freezeCustomer',
  ),
  'case.unfreeze': act(
    'platform:risk',
    'Unfreezes a customer, with a reason: two people do it, one after the other.',
    'unfreezeCase',
  ),
  'med.attach': act(
    'move',
    'Adds a file or an evidence pack to a MED case of the account.',
    'attachMedFile',
    'makeMedEvidence',
  ),
  'med.answer': act('move', 'Answers a MED case of the account.', 'answerMedCase'),
  'med.attach_for': act(
    'platform:risk',
    'Adds a file or an evidence pack to a MED case of any account.',
    'attachMedFile',
    'makeMedEvidence',
  ),
  'med.answer_for': act('platform:risk', 'Answers a MED case of any account.', 'answerMedCase'),
  'med.record': act(
    'platform:risk',
    'Records what happened to a MED case on the screens of the provider, with a reason.',
    'recordMedOutcome',
  ),
  'facts.correct': act(
    'platform:risk',
    'Records facts of a transaction of an account that authorities ask for, or corrects them.',
    'correctFacts',
  ),
  'refund.retry': act('platform:risk', 'Orders a failed return to a payer again.', 'retryRefund'),
  'refund.settle_by_hand': act(
    'platform:risk',
    'Books a failed return as paid to the payer by hand.',
    'settleRefundByHand',
  ),
  'suspense.assign': act(
    'platform:risk',
    'Credits money in suspense to the account that it lies with, or proposes another one.',
    'assignSuspense',
  ),
  'suspense.approve': act(
    'platform:risk',
    'Approves that money in suspense is credited to another account than the one that it lies with.',
    'approveSuspense',
  ),
  'suspense.reject': act(
    'platform:risk',
    'Rejects that money in suspense is credited to another account.',
    'rejectSuspense',
  ),
  'suspense.return': act(
    'platform:risk',
    'Sends money in suspense back to where it came from.',
    'returnSuspense',
  ),
  'news.retry': act('platform:risk', 'Tries unsettled news of a rail again.', 'retryRailNews'),
  'news.close': act(
    'platform:risk',
    'Closes news of a rail that needs no further action, with a reason.',
    'closeRailNews',
  ),
  'order.settle': act(
    'platform:risk',
    'Settles by hand an order to the PIX provider whose outcome the provider cannot tell.',
    'settlePixOrder',
  ),
  'job.retry': act(
    'platform:risk',
    'Has a job that is due or failed tried at once, or all jobs that wait for a person, with an entry for each. By `crossramp job retry` only.',
  ),
  'job.cancel': act(
    'platform:risk',
    'Gives up a failed job that no money and no open transaction waits for. By `crossramp job cancel` only.',
  ),
  'network.pause': act('platform:risk', 'Pauses sending on a network.', 'pauseNetwork'),
  'network.resume': act('platform:risk', 'Resumes sending on a network.', 'resumeNetwork'),
  'account.create': act('platform:books', 'Adds an account. By `crossramp account create` only.'),
  'account.import': act('platform:books', 'Imports the history of an account. By `crossramp import` only.'),
  'receivable.settle': act(
    'platform:books',
    'Settles what an account owes the house after a lost dispute or a dropped deposit.',
    'settleReceivable',
  ),
  'capital.book': act(
    'platform:books',
    'Proposes capital that is paid in or taken out: another person approves it.',
    'bookCapital',
  ),
  'journal.propose': act('platform:books', 'Proposes a manual journal on house accounts.', 'proposeJournal'),
  'journal.approve': act(
    'platform:books',
    'Approves a manual journal or capital: it is posted.',
    'approveJournal',
  ),
  'journal.reject': act('platform:books', 'Rejects a manual journal or capital.', 'rejectJournal'),
  'books.close': act('platform:books', 'Closes the books of a day.', 'closeBooks'),
  'books.reconcile': act(
    'platform:books',
    'Reconciles a day: compares the statement of a rail with the ledger, and keeps the report.',
    'reconcile',
  ),
  'sandbox.trigger': act('create', 'Plays a scenario of the sandbox on a transaction.', 'sandboxTrigger'),
  'sandbox.fund': act('create', 'Credits play money to a balance.', 'sandboxFund'),
  'sandbox.advance_clock': act(
    'platform:rails',
    'Moves the clock of the sandbox forward, for all its accounts.',
    'sandboxAdvanceClock',
  ),
} as const satisfies Readonly<Record<string, Act>>;

/** Name of an act. */
export type ActName = keyof typeof ACTS;
