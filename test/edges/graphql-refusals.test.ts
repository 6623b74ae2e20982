/**
 * Goal: mutations refuse what they must, name what is wrong by its path in the arguments, and are done once under their
 * key. Method: every mutation of the schema by keys without its scope and on another account's records; bad input by
 * tables; the same key twice.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../src/base/access/api-key.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { action, type Creation, creation, graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { errorsIn } from '../support/refusals.ts';
import { HISTORY } from '../support/sandbox.ts';

const app = useApp();
const ANA = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const PAYEE = { ...ANA, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };

type Account = Awaited<ReturnType<typeof app.addAccount>>;
let shop: Account;
let stranger: Account;
const { ask, refusal, create, perform, trigger, fund, until, stepNow } = graphqlClient(
  app,
  () => shop.apiKey,
);

beforeAll(async () => {
  shop = await app.addAccount();
  stranger = await app.addAccount();
  await fund('USDT_TRX', '100');
});

const ERRORS = 'errors { code message path }';
/** Every mutation with arguments that fit the schema, and the scope that it needs. */
const MUTATIONS: Readonly<Record<string, readonly [scope: Scope, call: string]>> = {
  createCheckout: ['create', `(input: { currency: "USDT_TRX" }) { replayed ${ERRORS} }`],
  createOnramp: ['create', `(input: { currency: "USDT_TRX", amount: { brl: "60" } }) { replayed ${ERRORS} }`],
  // Out of the balance; from outside it needs `create` (money-out.test.ts).
  createOfframp: [
    'move',
    `(input: { currency: "USDT_TRX", amount: { crypto: "10" } }) { replayed ${ERRORS} }`,
  ],
  createWithdrawal: [
    'move',
    `(input: { currency: "BRL", amountReceived: "10", groupId: "x" }) { replayed ${ERRORS} }`,
  ],
  createQuote: [
    'create',
    `(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } }) { quote { id: quoteId } ${ERRORS} }`,
  ],
  cancelTransaction: ['create', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  acceptQuote: ['create', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  enterAmount: [
    'create',
    `(input: { end2end: "$id", amountPayment: "60" }) { transaction { end2end } ${ERRORS} }`,
  ],
  provideIdentity: [
    'create',
    `(input: { end2end: "$id", clientName: "Ana", clientTaxId: "52998224725" }) { transaction { end2end } ${ERRORS} }`,
  ],
  confirmIdentity: ['create', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  refundPayment: ['move', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  retryRefund: [
    'platform:risk',
    `(input: { account: "$account", end2end: "$id", reason: "x" }) { transaction { end2end } ${ERRORS} }`,
  ],
  settleRefundByHand: [
    'platform:risk',
    `(input: { account: "$account", reference: "x", end2end: "$id" }) { transaction { end2end } ${ERRORS} }`,
  ],
  resolveDeposit: [
    'move',
    `(input: { end2end: "$id", resolution: KEEP }) { transaction { end2end } ${ERRORS} }`,
  ],
  approveWithdrawal: ['move', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  rejectWithdrawal: ['move', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  approveMoneyOut: ['move', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  rejectMoneyOut: ['move', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  releaseHold: [
    'platform:risk',
    `(input: { account: "$account", end2end: "$id", reason: "x" }) { transaction { end2end } ${ERRORS} }`,
  ],
  rejectHold: [
    'platform:risk',
    `(input: { account: "$account", end2end: "$id", reason: "x" }) { transaction { end2end } ${ERRORS} }`,
  ],
  approveStepUp: [
    'platform:risk',
    `(input: { account: "$account", end2end: "$id", reason: "x" }) { transaction { end2end } ${ERRORS} }`,
  ],
  denyStepUp: [
    'platform:risk',
    `(input: { account: "$account", end2end: "$id", reason: "x" }) { transaction { end2end } ${ERRORS} }`,
  ],
  sandboxTrigger: [
    'create',
    `(input: { end2end: "$id", scenario: PAY }) { transaction { end2end } ${ERRORS} }`,
  ],
  sandboxAdvanceClock: ['platform:rails', `(input: { by: "1ms" }) { now ${ERRORS} }`],
  sandboxFund: ['create', `(input: { currency: "BRL", amount: "1" }) { funding { journalId } ${ERRORS} }`],
  createWhitelistGroup: ['move', `(input: { name: "x" }) { whitelistGroup { id: groupId } ${ERRORS} }`],
  addWhitelistEntry: [
    'move',
    `(input: { groupId: "$group", target: { pixKey: { type: CPF, key: "52998224725" } } }) { whitelistEntry { id: entryId } ${ERRORS} }`,
  ],
  removeWhitelistEntry: [
    'move',
    `(input: { entryId: "$entry" }) { whitelistEntry { id: entryId } ${ERRORS} }`,
  ],
  addWhitelistProof: [
    'move',
    `(input: { entryId: "$entry", proof: { id: "x", expiresAt: "2030-01-01T00:00:00Z" } }) { whitelistEntry { id: entryId } ${ERRORS} }`,
  ],
  withdrawWhitelistProof: [
    'move',
    `(input: { entryId: "$entry" }) { whitelistEntry { id: entryId } ${ERRORS} }`,
  ],
  updateTemplateSettings: [
    'platform:pricing',
    `(input: { account: "$account", template: onramp }) { templateSetting { template } ${ERRORS} }`,
  ],
  updateTemplateLimits: ['admin', `(input: { template: onramp }) { templateLimits { template } ${ERRORS} }`],
  createApiKey: ['admin', `(input: { name: "x", scopes: ["read"] }) { issuedApiKey { apiKey } ${ERRORS} }`],
  rotateApiKey: ['admin', `(input: { keyId: "$key" }) { issuedApiKey { apiKey } ${ERRORS} }`],
  revokeApiKey: ['admin', `(input: { keyId: "$key" }) { apiKey { keyId } ${ERRORS} }`],
  inviteMember: [
    'admin',
    `(input: { name: "x", email: "x@example.com", role: VIEWER }) { invitation { url } ${ERRORS} }`,
  ],
  changeMemberRole: ['admin', `(input: { personId: "per_x", role: VIEWER }) { member { role } ${ERRORS} }`],
  confirmMember: ['admin', `(input: { personId: "per_x" }) { member { role } ${ERRORS} }`],
  removeMember: ['admin', `(input: { personId: "per_x" }) { member { role } ${ERRORS} }`],
  revokeSession: ['read', `(input: { sessionId: "ses_x" }) { sessionId ${ERRORS} }`],
  assignReviewCase: ['read', `(input: { caseKey: "HOLD:1:x" }) { reviewCase { caseKey } ${ERRORS} }`],
  releaseReviewCase: ['read', `(input: { caseKey: "HOLD:1:x" }) { reviewCase { caseKey } ${ERRORS} }`],
  addReviewNote: ['read', `(input: { caseKey: "HOLD:1:x", body: "x" }) { reviewNote { noteId } ${ERRORS} }`],
  chooseNotifications: [
    'read',
    `(input: { kinds: [], language: EN }) { notifications { language } ${ERRORS} }`,
  ],
  answerMedCase: [
    'move',
    `(input: { caseId: "1", analysis: CONTEST, body: "x" }) { medCase { caseId } ${ERRORS} }`,
  ],
  attachMedFile: [
    'move',
    `(input: { caseId: "1", name: "x", content: "data:application/pdf;base64,AAAA" }) { medCase { caseId } ${ERRORS} }`,
  ],
  makeMedEvidence: ['move', `(input: { caseId: "1" }) { medCase { caseId } ${ERRORS} }`],
  recordMedOutcome: [
    'platform:risk',
    `(input: { caseId: "1", outcome: CANCELLED, reason: "x" }) { medCase { caseId } ${ERRORS} }`,
  ],
  sendSampleWebhook: [
    'admin',
    `(input: { endpointId: "x", eventName: "x" }) { webhookSample { sampleId } ${ERRORS} }`,
  ],
  saveView: ['read', `(input: { name: "x", path: "/console" }) { savedView { name } ${ERRORS} }`],
  removeView: ['read', `(input: { name: "x" }) { savedView { name } ${ERRORS} }`],
  removePasskey: ['read', `(input: { passkeyId: "x" }) { passkeyId ${ERRORS} }`],
  cancelSettingChange: [
    'admin',
    `(input: { setting: APPROVAL_ABOVE }) { accountSettings { approvalAbove } ${ERRORS} }`,
  ],
  updateAccountSettings: ['admin', `(input: {}) { accountSettings { approvalAbove } ${ERRORS} }`],
  updateCustomer: ['admin', `(input: { taxId: "52998224725" }) { customer { level } ${ERRORS} }`],
  grantCustomerLimits: [
    'platform:pricing',
    `(input: { account: "$account", taxId: "52998224725" }) { customer { level } ${ERRORS} }`,
  ],
  updateAccountCompany: [
    'platform:risk',
    `(input: { account: "$account", taxId: "x", legalName: "x", street: "x", city: "x", state: "x", postalCode: "x" }) { company { taxId } ${ERRORS} }`,
  ],
  setCompanyOwner: [
    'platform:risk',
    `(input: { account: "$account", taxId: "x", name: "x" }) { company { taxId } ${ERRORS} }`,
  ],
  removeCompanyOwner: [
    'platform:risk',
    `(input: { account: "$account", taxId: "x" }) { company { taxId } ${ERRORS} }`,
  ],
  recordFacts: ['create', `(input: { end2end: "$id" }) { transaction { end2end } ${ERRORS} }`],
  correctFacts: [
    'platform:risk',
    `(input: { account: "$account", end2end: "$id" }) { transaction { end2end } ${ERRORS} }`,
  ],
  assignSuspense: [
    'platform:risk',
    `(input: { account: "$account", suspenseId: "1", reason: "x" }) { suspenseEntry { state } ${ERRORS} }`,
  ],
  approveSuspense: [
    'platform:risk',
    `(input: { account: "$account", suspenseId: "1", reason: "x" }) { suspenseEntry { state } ${ERRORS} }`,
  ],
  rejectSuspense: [
    'platform:risk',
    `(input: { suspenseId: "1", reason: "x" }) { suspenseEntry { state } ${ERRORS} }`,
  ],
  returnSuspense: [
    'platform:risk',
    `(input: { suspenseId: "1", reason: "x" }) { suspenseEntry { state } ${ERRORS} }`,
  ],
  retryRailEvent: ['platform:risk', `(input: { railEventId: "1" }) { outcome ${ERRORS} }`],
  dismissScreeningHit: [
    'platform:risk',
    `(input: { hitId: "1", reason: "x" }) { screeningHit { state } ${ERRORS} }`,
  ],
  confirmScreeningHit: [
    'platform:risk',
    `(input: { hitId: "1", reason: "x" }) { screeningHit { state } ${ERRORS} }`,
  ],
  approveCase: [
    'platform:risk',
    `(input: { caseId: "1", reason: "x" }) { customerCase { state } ${ERRORS} }`,
  ],
  denyCase: ['platform:risk', `(input: { caseId: "1", reason: "x" }) { customerCase { state } ${ERRORS} }`],
  retryCase: ['platform:risk', `(input: { caseId: "1", reason: "x" }) { customerCase { state } ${ERRORS} }`],
  freezeCase: ['platform:risk', `(input: { caseId: "1", reason: "x" }) { customerCase { state } ${ERRORS} }`],
  unfreezeCase: [
    'platform:risk',
    `(input: { caseId: "1", reason: "x" }) { customerCase { state } ${ERRORS} }`,
  ],
  freezeCustomer: [
    'platform:risk',
    `(input: { account: "$account", taxId: "52998224725", reason: "x" }) { customerCase { state } ${ERRORS} }`,
  ],
  closeRailEvent: [
    'platform:risk',
    `(input: { railEventId: "1", reason: "x" }) { railEvent { state } ${ERRORS} }`,
  ],
  settlePixOrder: [
    'platform:risk',
    `(input: { key: "x", outcome: NOT_DONE, evidence: "x" }) { pixOrder { key } ${ERRORS} }`,
  ],
  pauseNetwork: [
    'platform:risk',
    `(input: { network: "ETH", reason: "x" }) { sending { network } ${ERRORS} }`,
  ],
  resumeNetwork: ['platform:risk', `(input: { network: "ETH" }) { sending { network } ${ERRORS} }`],
  settleReceivable: [
    'platform:books',
    `(input: { account: "$account", currency: "USDT_TRX", amount: "1", source: BALANCE }) { booking { journalId } ${ERRORS} }`,
  ],
  proposeJournal: [
    'platform:books',
    `(input: { account: "1", debit: "A.pix", credit: "E.capital", currency: "BRL", amount: "1", reason: "x" }) { manualJournal { id: proposalId } ${ERRORS} }`,
  ],
  approveJournal: [
    'platform:books',
    `(input: { proposalId: "1" }) { manualJournal { id: proposalId } ${ERRORS} }`,
  ],
  rejectJournal: [
    'platform:books',
    `(input: { proposalId: "1" }) { manualJournal { id: proposalId } ${ERRORS} }`,
  ],
  closeBooks: ['platform:books', `(input: { day: "2020-01-01" }) { bookClose { day } ${ERRORS} }`],
  reconcile: [
    'platform:books',
    `(input: { day: "2020-01-01" }) { reconciliation { id: reconciliationId } ${ERRORS} }`,
  ],
  bookCapital: [
    'platform:books',
    `(input: { currency: "USDT_TRX", amount: "1", direction: IN }) { manualJournal { journalId } ${ERRORS} }`,
  ],
  updatePasskeyRoles: ['admin', `(input: { roles: [] }) { passkeyRoles ${ERRORS} }`],
  updateAllowedOrigins: ['admin', `(input: { origins: [] }) { allowedOrigins ${ERRORS} }`],
  createStreamToken: ['read', `(input: {}) { streamToken { token } ${ERRORS} }`],
  updateBranding: ['admin', `(input: {}) { branding { displayName } ${ERRORS} }`],
  createStaticLink: [
    'admin',
    `(input: { name: "x", currency: "USDT_TRX" }) { staticLink { slug } ${ERRORS} }`,
  ],
  disableStaticLink: ['admin', `(input: { slug: "$slug" }) { staticLink { slug } ${ERRORS} }`],
  createWebhookEndpoint: [
    'admin',
    `(input: { url: "https://hooks.example.com/x" }) { webhookEndpoint { id: endpointId } ${ERRORS} }`,
  ],
  updateWebhookEndpoint: [
    'admin',
    `(input: { endpointId: "x" }) { webhookEndpoint { id: endpointId } ${ERRORS} }`,
  ],
  removeWebhookEndpoint: [
    'admin',
    `(input: { endpointId: "x" }) { webhookEndpoint { id: endpointId } ${ERRORS} }`,
  ],
  pauseWebhookEndpoint: [
    'admin',
    `(input: { endpointId: "x" }) { webhookEndpoint { id: endpointId } ${ERRORS} }`,
  ],
  resumeWebhookEndpoint: [
    'admin',
    `(input: { endpointId: "x" }) { webhookEndpoint { id: endpointId } ${ERRORS} }`,
  ],
  recoverWebhookEndpoint: ['admin', `(input: { endpointId: "x" }) { redelivery { __typename } ${ERRORS} }`],
  rotateWebhookSecret: ['admin', `(input: {}) { secrets { __typename } ${ERRORS} }`],
  sendTestWebhook: ['admin', `(input: { endpointId: "x" }) { webhookDelivery { id: deliveryId } ${ERRORS} }`],
  redeliverWebhook: [
    'admin',
    `(input: { deliveryId: "1" }) { webhookDelivery { id: deliveryId } ${ERRORS} }`,
  ],
  redeliverWebhooks: [
    'admin',
    `(input: { dryRun: true, filter: {} }) { redelivery { __typename } ${ERRORS} }`,
  ],
};
const NAMES = Object.keys(MUTATIONS);

describe('scopes', () => {
  test('the table has every mutation', () => {
    const fields = Object.keys(buildSchema(REGISTRY).getMutationType()?.getFields() ?? {});
    expect(NAMES.sort()).toEqual(fields.sort());
  });

  test.each(Object.entries(MUTATIONS))('%s needs its scope', async (name, [scope, call]) => {
    const { apiKey } = await app.addKey(
      shop.accountId,
      SCOPES.filter((each) => each !== scope),
    );
    const { transaction } = await create('createCheckout', { currency: 'USDT_TRX' });
    const document = `mutation { ${name}${call.replace('$id', transaction.end2end)} }`;
    const refused = await refusal(document, {}, apiKey);
    expect(refused.code).toBe('FORBIDDEN');
    expect(refused.message).toContain(`"${scope}"`);
  });

  test('a withdrawal is cancelled with the scope move, other transactions with create', async () => {
    const { apiKey } = await app.addKey(shop.accountId, ['read', 'create']);
    const { end2end } = (await create('createCheckout', { currency: 'USDT_TRX' })).transaction;
    expect(await perform('cancelTransaction', end2end, '', apiKey)).toBe('quote/CANCELLED');
  });

  test('an amount is entered with the scope create alone, like the other actions', async () => {
    const { apiKey } = await app.addKey(shop.accountId, ['create']);
    const { end2end } = (await create('createCheckout', { currency: 'USDT_TRX' })).transaction;
    expect(await perform('enterAmount', end2end, 'amountPayment: "80",', apiKey)).toBe('pre_kyc/INFO');
  });
});

test('C-40: a refused read is null, and the others of its document are answered', async () => {
  const { apiKey } = await app.addKey(shop.accountId, ['read']);
  const query = '{ members { name } viewer { account { mode } } }';
  // The first time by graphql-js, then compiled.
  for (const _time of [1, 2, 3]) {
    const { json } = await app.graphql(query, {}, { key: apiKey });
    expect(json.data).toEqual({ members: null, viewer: { account: { mode: 'SANDBOX' } } });
    expect(json.errors).toMatchObject([{ path: ['members'], extensions: { code: 'FORBIDDEN' } }]);
  }
});

describe('isolation', () => {
  const ON_RECORDS = Object.entries(MUTATIONS).filter(([, [, call]]) => /"\$(?!account)/.test(call));

  test.each(ON_RECORDS)('C-15: %s finds nothing of another account', async (name, [, call]) => {
    const { transaction } = await create('createCheckout', { currency: 'USDT_TRX' });
    const {
      createWhitelistGroup: { whitelistGroup: group },
    } = await ask(
      'mutation { createWhitelistGroup(input: { name: "x" }) { whitelistGroup { id: groupId } errors { code message path } } }',
    );
    const {
      addWhitelistEntry: { whitelistEntry: entry },
    } = await ask(
      `mutation { addWhitelistEntry(input: { groupId: "${group.id}", target: { pixKey: { type: CPF, key: "11144477735" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`,
    );
    const {
      createStaticLink: { staticLink: link },
    } = await ask(
      'mutation { createStaticLink(input: { name: "x", currency: "USDT_TRX" }) { staticLink { slug } errors { code message path } } }',
    );
    const account = String(stranger.accountId);
    const key = call.includes('$account') ? app.platformKey : stranger.apiKey;
    const own = {
      account,
      id: transaction.end2end,
      group: group.id,
      entry: entry.id,
      slug: link.slug,
      key: shop.keyId,
    };
    const none = {
      account,
      id: 'CRX0',
      group: 'grp_0',
      entry: `wle_${'0'.repeat(16)}`,
      slug: '?',
      key: 'key_0',
    };
    const document = (ids: Readonly<Record<string, string>>) =>
      `mutation { ${name}${call.replaceAll(/\$(\w+)/g, (_all, id: string) => ids[id] as string)} }`;
    const { requestId: _one, ...foreign } = await refusal(document(own), {}, key);
    const { requestId: _other, ...missing } = await refusal(document(none), {}, key);
    expect(foreign).toEqual({ code: 'NOT_FOUND', message: 'the path or record does not exist' });
    expect(missing).toEqual(foreign);
    expect(await stepNow(transaction.end2end)).toBe('static_entry/AMOUNT');
  });

  test('a quote and a whitelist group of another account are none', async () => {
    const {
      createQuote: { quote: createQuote },
    } = await ask(
      'mutation { createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } }) { quote { id: quoteId } errors { code message path } } }',
    );
    const input = { currency: 'USDT_TRX', amount: { quoteId: createQuote.id }, ...ANA };
    expect((await refusal(creation('createOnramp'), { input }, stranger.apiKey)).code).toBe('QUOTE_EXPIRED');
    const {
      createWhitelistGroup: { whitelistGroup: createWhitelistGroup },
    } = await ask(
      'mutation { createWhitelistGroup(input: { name: "x" }) { whitelistGroup { id: groupId } errors { code message path } } }',
    );
    const withdrawal = { currency: 'BRL', amountReceived: '10', groupId: createWhitelistGroup.id };
    expect((await refusal(creation('createWithdrawal'), { input: withdrawal }, stranger.apiKey)).code).toBe(
      'ADDRESS_NOT_WHITELISTED',
    );
  });

  test('an idempotency key is the account’s own', async () => {
    const input = { currency: 'USDT_TRX' };
    const mine = await create('createCheckout', input, 'the-same');
    const theirs = await ask(
      creation('createCheckout'),
      { input: { ...input, idempotencyKey: 'the-same' } },
      stranger.apiKey,
    );
    expect(theirs.createCheckout.replayed).toBe(false);
    expect(theirs.createCheckout.transaction.end2end).not.toBe(mine.transaction.end2end);
  });
});

describe('bad input', () => {
  const CASES: readonly [Creation, Record<string, unknown>, string, readonly string[]][] = [
    ['createCheckout', { currency: 'NOPE' }, 'INVALID_PARAMETER', ['input.currency']],
    ['createCheckout', { currency: 'USDT' }, 'CURRENCY_AMBIGUOUS', ['input.currency']],
    [
      'createCheckout',
      {
        currency: 'USDT_TRX',
        amount: { brl: '0.001' },
        clientName: '',
        clientTaxId: '123',
        returnUrl: 'ftp://x',
        webhook: 'nowhere',
        expiresIn: 59,
      },
      'INVALID_PARAMETER',
      [
        'input.amount.brl',
        'input.clientName',
        'input.clientTaxId',
        'input.returnUrl',
        'input.webhook',
        'input.expiresIn',
      ],
    ],
    [
      'createOnramp',
      { currency: 'USDT_TRX', amount: { brl: '-60' }, wallet: '0x0' },
      'INVALID_PARAMETER',
      ['input.amount.brl', 'input.wallet'],
    ],
    ['createOnramp', { currency: 'USDT_TRX', amount: { brl: '50000.01' }, ...ANA }, 'LIMIT_EXCEEDED', []],
    [
      'createOfframp',
      { currency: 'USDT_TRX', amount: { crypto: '10' }, pixKey: 'ana@example.com' },
      'INVALID_PARAMETER',
      ['input.pixKeyType', 'input.clientName', 'input.clientTaxId'],
    ],
    [
      'createOfframp',
      { currency: 'USDT_TRX', amount: { crypto: '100.000001' }, ...PAYEE },
      'INSUFFICIENT_BALANCE',
      [],
    ],
    [
      'createWithdrawal',
      { currency: 'BRL', amountReceived: '1.001', groupId: '' },
      'INVALID_PARAMETER',
      ['input.amountReceived', 'input.groupId'],
    ],
    [
      'createWithdrawal',
      { currency: 'USDT_TRX', amountReceived: '10', groupId: 'x', address: 'x' },
      'INVALID_PARAMETER',
      ['input.address'],
    ],
    [
      'createWithdrawal',
      { currency: 'USDT_TRX', amountReceived: '10', groupId: 'grp_x' },
      'ADDRESS_NOT_WHITELISTED',
      [],
    ],
  ];
  test.each(CASES)('C-50: %s(%j) is refused with %s and names %j', async (name, input, code, parameters) => {
    const refused = await refusal(creation(name), { input });
    expect(refused.code).toBe(code);
    expect(refused.violations ? parametersOf(refused) : []).toEqual(parameters);
  });

  test.each([
    ['an amount as a number', { currency: 'USDT_TRX', amount: { brl: 60 } }],
    ['a null for what has a default', { currency: 'USDT_TRX', accept: null }],
    ['an unknown member', { currency: 'USDT_TRX', amount: '60' }],
  ])('%s does not fit the schema', async (_name, input) => {
    expect((await refusal(creation('createCheckout'), { input })).code).toBe('BAD_REQUEST');
  });

  test('an amount is accepted only where one is collected', async () => {
    const { end2end } = (await create('createCheckout', { currency: 'USDT_TRX' })).transaction;
    const bad = await refusal(action('enterAmount', 'amountPayment: "0.001",'), { end2end });
    expect([bad.code, ...parametersOf(bad)]).toEqual(['INVALID_PARAMETER', 'input.amountPayment']);
    expect(await perform('enterAmount', end2end, 'amountPayment: "0.50",')).toBe('quote/ERROR');
    expect((await refusal(action('enterAmount', 'amountPayment: "60",'), { end2end })).code).toBe(
      'STEP_CONFLICT',
    );
    const [history] = HISTORY.split('\n').map((line) => JSON.parse(line || '{}'));
    const old = await refusal(action('enterAmount', 'amountPayment: "60",'), history, app.apiKey);
    expect(old.code).toBe('STEP_CONFLICT');
  });

  test('actions that do not fit the transaction’s step are conflicts', async () => {
    const { end2end } = (
      await create('createOnramp', { currency: 'USDT_TRX', amount: { brl: '60' }, ...ANA })
    ).transaction;
    const input = `account: "${shop.accountId}", reason: "checked",`;
    for (const name of ['releaseHold', 'rejectHold'])
      expect((await refusal(action(name, input), { end2end })).code).toBe('STEP_CONFLICT');
    for (const name of ['acceptQuote', 'confirmIdentity', 'approveWithdrawal'])
      expect(
        (await refusal(action(name), { end2end }, (await app.addKey(shop.accountId, SCOPES)).apiKey)).code,
      ).toBe('STEP_CONFLICT');
  });
});

describe('C-52: idempotency', () => {
  test('the same key creates one transaction, and answers with its outcome', async () => {
    const input = { currency: 'USDT_TRX', amount: { brl: '60' }, ...ANA };
    const first = await create('createOnramp', input, 'order-1');
    const { end2end } = first.transaction;
    expect(first.replayed).toBe(false);
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    const again = await create('createOnramp', input, 'order-1');
    expect(again).toEqual({
      ...first,
      replayed: true,
      transaction: { ...first.transaction, component: 'success', state: 'DONE' },
    });
  });

  test('another request under the key is refused, another mutation has its own', async () => {
    const input = { currency: 'USDT_TRX', amount: { brl: '60' } };
    await create('createOnramp', input, 'order-2');
    const other = { input: { ...input, amount: { brl: '61' }, idempotencyKey: 'order-2' } };
    expect((await refusal(creation('createOnramp'), other)).code).toBe('IDEMPOTENCY_MISMATCH');
    expect((await create('createCheckout', input, 'order-2')).replayed).toBe(false);
  });

  test('two parallel requests create one transaction', async () => {
    const variables = {
      input: { currency: 'USDT_TRX', amount: { brl: '60' }, ...ANA, idempotencyKey: 'order-3' },
    };
    const answers = await Promise.all(
      [1, 2, 3].map(() => app.graphql(creation('createOnramp'), variables, { key: shop.apiKey })),
    );
    const made = answers.flatMap(({ json }) =>
      json.data.createOnramp.transaction ? [json.data.createOnramp] : [],
    );
    const refused = answers.flatMap(({ json }) =>
      errorsIn(json) ? [errorsIn(json)[0].extensions.code] : [],
    );
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(made.map(({ transaction }) => transaction.end2end)).size).toBe(1);
    expect(refused.every((code) => code === 'IDEMPOTENCY_RUNNING')).toBe(true);
  });

  test('a refusal by a rule is stored, bad input is not', async () => {
    const input = { currency: 'USDT_TRX', amount: { crypto: '5000' }, ...PAYEE };
    const variables = { input: { ...input, idempotencyKey: 'order-4' } };
    expect((await refusal(creation('createOfframp'), variables)).code).toBe('INSUFFICIENT_BALANCE');
    await fund('USDT_TRX', '5000');
    expect((await refusal(creation('createOfframp'), variables)).code).toBe('INSUFFICIENT_BALANCE');
    const bad = { input: { ...input, currency: 'NOPE', idempotencyKey: 'order-5' } };
    expect((await refusal(creation('createOfframp'), bad)).code).toBe('INVALID_PARAMETER');
    expect((await create('createOfframp', input, 'order-5')).replayed).toBe(false);
  });

  test('an action is performed once', async () => {
    const { end2end } = (await create('createCheckout', { currency: 'USDT_TRX' })).transaction;
    const variables = { end2end, key: 'cancel-1' };
    const first = await ask(action('cancelTransaction'), variables);
    expect(await ask(action('cancelTransaction'), variables)).toEqual(first);
    expect((await refusal(action('cancelTransaction'), { end2end })).code).toBe('STEP_CONFLICT');
  });

  test('a replay needs the scope as well', async () => {
    const variables = { input: { currency: 'USDT_TRX', idempotencyKey: 'order-6' } };
    await ask(creation('createCheckout'), variables);
    const { apiKey } = await app.addKey(shop.accountId, ['read', 'move', 'admin']);
    expect((await refusal(creation('createCheckout'), variables, apiKey)).code).toBe('FORBIDDEN');
  });

  test('administered records are created once as well', async () => {
    const group =
      'mutation { createWhitelistGroup(input: { name: "x", idempotencyKey: "g" }) { whitelistGroup { id: groupId } errors { code message path } } }';
    expect(await ask(group)).toEqual(await ask(group));
    const link =
      'mutation { createStaticLink(input: { name: "x", currency: "USDT_TRX", idempotencyKey: "l" }) { staticLink { slug } errors { code message path } } }';
    expect(await ask(link)).toEqual(await ask(link));
  });

  test.each(['', 'with space', 'ü', 'x'.repeat(256)])('the key %j is refused', async (key) => {
    const refused = await refusal(creation('createCheckout'), {
      input: { currency: 'USDT_TRX', idempotencyKey: key },
    });
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.idempotencyKey']);
  });
});

describe('settings', () => {
  const change = (input: string, template = 'onramp') =>
    `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: ${template}, ${input} }) { templateSetting { template spread feeRate feeFixed amountMin amountMax customerStepUp30d customerLimitDaily } errors { code message path } } }`;

  test('C-21: given members change, missing ones stay; prices follow', async () => {
    const {
      updateTemplateSettings: { templateSetting: updateTemplateSettings },
    } = await ask(change('spread: "0.02", feeFixed: "1.50", amountMax: "900"'));
    expect(updateTemplateSettings).toEqual({
      template: 'onramp',
      spread: '0.02',
      feeRate: '0.01',
      feeFixed: '1.5',
      amountMin: '1',
      amountMax: '900',
      customerStepUp30d: '10000',
      customerLimitDaily: '50000',
    });
    const { viewer } = await ask('{ viewer { account { templateSettings { template spread amountMax } } } }');
    expect(viewer.account.templateSettings).toContainEqual({
      template: 'onramp',
      spread: '0.02',
      amountMax: '900',
    });
    const quote = (amount: string) =>
      `{ quote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "${amount}" } }) { rate fees } }`;
    expect((await ask(quote('100'))).quote).toEqual({ rate: '5.428236', fees: '2.5' });
    expect((await refusal(quote('900.01'))).code).toBe('LIMIT_EXCEEDED');
    const theirs = await ask(quote('900.01'), {}, stranger.apiKey);
    expect(theirs.quote.rate).toBe('5.375018');
  });

  test.each([
    ['spread: "1"', ['input.spread']],
    ['spread: "-0.01", feeRate: "1.5"', ['input.spread', 'input.feeRate']],
    ['feeRate: "0.123456789"', ['input.feeRate']],
    ['feeFixed: "-1", amountMin: "0.001"', ['input.feeFixed', 'input.amountMin']],
    ['amountMin: "100", amountMax: "99.99"', ['input.amountMin', 'input.amountMax']],
    ['amountMax: "0.99"', ['input.amountMax']],
    ['amountMin: "50001"', ['input.amountMin']],
    [
      'customerStepUp30d: "-1", customerLimitDaily: "-1"',
      ['input.customerStepUp30d', 'input.customerLimitDaily'],
    ],
    [`amountMax: "${'9'.repeat(40)}"`, ['input.amountMax']],
  ])('%s is refused', async (input, parameters) => {
    const refused = await refusal(change(input, 'offramp'));
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', ...parameters]);
  });

  test('C-22: rules of the account have their defaults until they are changed', async () => {
    const read = '{ viewer { account { accountSettings { whitelistCoolingSeconds approvalAbove } } } }';
    const { apiKey } = await app.addAccount();
    const update = (input: string) =>
      ask(
        `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { whitelistCoolingSeconds approvalAbove } errors { code message path } } }`,
        {},
        apiKey,
      );
    // A sandbox has no cooling time of its own.
    const settings = { whitelistCoolingSeconds: 0, approvalAbove: null };
    expect((await ask(read, {}, apiKey)).viewer.account.accountSettings).toEqual(settings);
    expect((await update('approvalAbove: "1000.50"')).updateAccountSettings.accountSettings).toEqual({
      ...settings,
      approvalAbove: '1000.5',
    });
    expect((await update('whitelistCoolingSeconds: 2592000')).updateAccountSettings.accountSettings).toEqual({
      whitelistCoolingSeconds: 2_592_000,
      approvalAbove: '1000.5',
    });
    await update('approvalAbove: "10.00"');
    expect((await ask(read, {}, apiKey)).viewer.account.accountSettings.approvalAbove).toBe('10');
  });

  test.each([
    ['whitelistCoolingSeconds: -1', ['input.whitelistCoolingSeconds']],
    [
      'whitelistCoolingSeconds: 2592001, approvalAbove: "-0.01"',
      ['input.whitelistCoolingSeconds', 'input.approvalAbove'],
    ],
    ['approvalAbove: "1.001"', ['input.approvalAbove']],
  ])('%s is refused', async (input, parameters) => {
    const refused = await refusal(
      `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { approvalAbove } errors { code message path } } }`,
    );
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', ...parameters]);
  });
});

describe('the sandbox', () => {
  test('its scenarios are listed, each with its effect', async () => {
    const { sandboxScenarios } = await ask('{ sandboxScenarios { name doc } }');
    expect(sandboxScenarios).toContainEqual({ name: 'PAY', doc: 'The customer pays the price now.' });
  });

  test('its clock is set ahead', async () => {
    const before = await app.services.clock.nowMs();
    const {
      sandboxAdvanceClock: { now: sandboxAdvanceClock },
    } = await ask(
      'mutation { sandboxAdvanceClock(input: { by: "30m" }) { now errors { code message path } } }',
    );
    expect(Date.parse(sandboxAdvanceClock) - before).toBeGreaterThanOrEqual(1_800_000);
  });

  test('money is accepted in any spelling of a currency', async () => {
    const {
      sandboxFund: { funding: sandboxFund },
    } = await ask(
      'mutation { sandboxFund(input: { currency: "BTC", amount: "0.50000000" }) { funding { journalId amount currency { code } } errors { code message path } } }',
    );
    expect(sandboxFund).toMatchObject({ amount: '0.5', currency: { code: 'BTC_BTC' } });
  });

  test.each([
    ['sandboxAdvanceClock(input: { by: "soon" }) { now errors { code message path } }', 'input.by'],
    [
      'sandboxFund(input: { currency: "NOPE", amount: "1" }) { funding { amount } errors { code message path } }',
      'input.currency',
    ],
    [
      'sandboxFund(input: { currency: "BRL", amount: "0.001" }) { funding { amount } errors { code message path } }',
      'input.amount',
    ],
    [
      'sandboxFund(input: { currency: "BRL", amount: "-1" }) { funding { amount } errors { code message path } }',
      'input.amount',
    ],
  ])('%s is refused', async (call, parameter) => {
    const refused = await refusal(`mutation { ${call} }`);
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', parameter]);
  });

  test('an unknown scenario, an amount where none is accepted, and a scenario that does not fit', async () => {
    const { end2end } = (await create('createCheckout', { currency: 'USDT_TRX' })).transaction;
    const play = (args: string) =>
      `mutation { sandboxTrigger(input: { end2end: "${end2end}", ${args} }) { transaction { state } errors { code message path } } }`;
    expect((await refusal(play('scenario: NOPE'))).code).toBe('BAD_REQUEST');
    expect(parametersOf(await refusal(play('scenario: PAY, amount: "1"')))).toEqual(['input.amount']);
    const conflict = await refusal(play('scenario: PAY'));
    expect([conflict.code, conflict.message]).toEqual([
      'STEP_CONFLICT',
      expect.stringMatching(
        /^the scenario pay is not possible at step [\w/]+; scenarios possible now: [a-z]/,
      ),
    ]);
  });

  test('live accounts are refused', async () => {
    const { apiKey } = await app.addAccount({ mode: 'live' });
    for (const call of [
      'sandboxFund(input: { currency: "BRL", amount: "1" }) { funding { amount } errors { code message path } }',
      'sandboxTrigger(input: { end2end: "x", scenario: PAY }) { transaction { state } errors { code message path } }',
    ])
      expect((await refusal(`mutation { ${call} }`, {}, apiKey)).code).toBe('FORBIDDEN');
  });
});
