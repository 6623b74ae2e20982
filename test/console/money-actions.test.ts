/**
 * Goal: a form without an amount says exactly what the ledger then does (C-22, C-25, C-33, C-35). Method: transactions on the real
 * ledger, put to each step at which the machines take an action that moves money; the figures of its form are read from the page, the
 * form is sent as a browser without script sends it, and balances and returns before and after are compared. No worker runs, so that
 * nothing else moves. The list of actions comes from the machines: a form that is missing or says something else fails the test.
 */

import { beforeAll, describe, expect, test, vi } from 'vitest';
import { sum } from '../../src/base/money/money.ts';
import { createAccount, platformAccount } from '../../src/store/account/accounts.ts';
import { setAheadMs } from '../../src/store/rails/sandbox.ts';
import { type CallerAction, callerActions } from '../../src/templates/caller-actions.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { stand } from '../resolvers/inbound/harness.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { fundAccount } from '../support/fund-account.ts';
import { DURING_MS } from '../support/machine.ts';
import { FORMS } from '../support/mutations.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { type Position, placesOf } from '../support/places.ts';

const app = useApp({ role: 'serve' });

/** An action that moves money at a place, and the form that performs it. */
interface Move {
  readonly place: Position;
  readonly action: CallerAction;
  readonly form: string;
}

const formNamed = (mutation: string) => FORMS.find(({ field }) => field === mutation)?.name;

/** Every action of the machines that moves money and has a form, once for each way in which it moves it. */
function movesOf(template: (typeof REGISTRY.templates)[number]): readonly Move[] {
  const moves = new Map<string, Move>();
  for (const place of placesOf(template)) {
    if (Object.keys(place.means).length === 0) continue;
    for (const action of callerActions(template, place.run.row, DURING_MS)) {
      const form = formNamed(action.mutation);
      const how = action.effects.map(({ kind, subAccount, currency }) => [kind, subAccount, currency.code]);
      const key = JSON.stringify([action.name, action.mutation, action.rules.amount?.isRequired, how]);
      if (form && how.length > 0 && !moves.has(key)) moves.set(key, { place, action, form });
    }
  }
  return [...moves.values()];
}

const MOVES = REGISTRY.templates.map((template) => [template.name, movesOf(template)] as const);
/** Forms of money-forms.test.ts, which have an amount, and of money-decisions.test.ts, which post without an action of a machine. */
const ELSEWHERE = [
  ...['CreateCheckout', 'CreateOnramp', 'CreateOfframp', 'CreateWithdrawal', 'RefundPayment'],
  ...['AcceptQuote', 'ApproveMoneyOut', 'RejectMoneyOut', 'SettleRefundByHand', 'SandboxFund'],
  ...['AssignSuspense', 'ApproveSuspense', 'ReturnSuspense', 'SettleReceivable', 'ApproveJournal'],
];
/** Forms that move no money: of settings, rights and proposals, and of reports whose money the engine moves later. */
const STILL = [
  ...[
    'CreateStaticLink',
    'DisableStaticLink',
    'UpdateBranding',
    'UpdateAllowedOrigins',
    'SaveView',
    'RemoveView',
  ],
  ...[
    'CreateWhitelistGroup',
    'AddWhitelistEntry',
    'RemoveWhitelistEntry',
    'AddWhitelistProof',
    'WithdrawWhitelistProof',
  ],
  ...[
    'CreateApiKey',
    'RotateApiKey',
    'RevokeApiKey',
    'InviteMember',
    'ChangeMemberRole',
    'ConfirmMember',
    'RemoveMember',
  ],
  ...[
    'RevokeSession',
    'CreateWebhookEndpoint',
    'RotateWebhookSecret',
    'PauseWebhookEndpoint',
    'ResumeWebhookEndpoint',
  ],
  ...[
    'RecoverWebhookEndpoint',
    'RemoveWebhookEndpoint',
    'SendTestWebhook',
    'RedeliverWebhook',
    'RedeliverWebhooks',
  ],
  ...[
    'UpdateTemplateSettings',
    'UpdateTemplateLimits',
    'UpdateAccountSettings',
    'CancelSettingChange',
    'UpdateCustomer',
  ],
  ...['UpdatePasskeyRoles', 'UpdateAccountCompany', 'SetCompanyOwner', 'RemoveCompanyOwner'],
  ...[
    'GrantCustomerLimits',
    'RecordFacts',
    'CorrectFacts',
    'RejectSuspense',
    'ProposeJournal',
    'BookCapital',
    'RejectJournal',
    'CloseBooks',
  ],
  ...['AnswerMedCase', 'AttachMedFile', 'MakeMedEvidence', 'RecordMedOutcome'],
  ...['ChooseNotifications', 'SendSampleWebhook', 'UpdateWebhookEndpoint'],
  ...['Reconcile', 'AssignReviewCase', 'ReleaseReviewCase', 'AddReviewNote'],
  ...['ApproveCase', 'DenyCase', 'RetryCase', 'FreezeCase', 'UnfreezeCase', 'FreezeCustomer'],
  ...['DismissScreeningHit', 'ConfirmScreeningHit'],
  ...[
    'PauseNetwork',
    'ResumeNetwork',
    'RetryRailEvent',
    'CloseRailEvent',
    'SettlePixOrder',
    'SandboxTrigger',
    'SandboxAdvanceClock',
  ],
];

test('every form of the console is tested here or elsewhere, or moves no money', () => {
  const tried = new Set([...MOVES.flatMap(([, moves]) => moves.map(({ form }) => form)), ...ELSEWHERE]);
  const rest = FORMS.map(({ name }) => name).filter((name) => !tried.has(name));
  expect(rest.sort()).toEqual(STILL.sort());
});

let platform: SignedInForTest;
beforeAll(async () => {
  await setAheadMs(app.database, DURING_MS - Date.now());
  const accountId = await platformAccount(app.database, 'sandbox');
  platform = await signInAs(app, accountId, { email: 'risk@gateway.invalid', role: 'platform_risk' });
  // The first read of what waits can be slow on a busy machine.
  await vi.waitFor(async () => expect((await visit(app, platform, '/console/operator')).status).toBe(200), {
    timeout: 30_000,
  });
});

const PARTS = {
  Available: 'available',
  'In transit': 'inTransit',
  Incoming: 'toReceive',
  Blocked: 'blocked',
};

/** A transaction of a new account that is at a place, and the account's owner. */
async function standAt(template: string, place: Position) {
  const accountId = await createAccount(app.database, 'Moves', { templates: [template], mode: 'sandbox' });
  const email = `m${accountId}@shop.invalid`;
  const owner = await signInAs(app, accountId, { email, role: 'owner' });
  await app.owner.query(`update membership set joined_at = '2026-01-01' where account_id = ${accountId}`);
  const row = await stand(app.services, accountId, place);
  await fundAccount(app.database, accountId, { currency: 'USDT_TRX', amount: '500' });
  return { owner, row };
}

/** What a form of a page says and sends. */
interface Form {
  readonly lines: readonly string[];
  readonly hidden: Readonly<Record<string, string>>;
}

/** The form of an act on a page that sends these values. */
function formOn(page: string, action: string, given: Readonly<Record<string, string>>): Form | undefined {
  for (const [form] of page.matchAll(
    /(?:<p class="small">[^<]*<\/p>)?<form method="post"[\s\S]*?<\/form>/g,
  )) {
    const hidden = Object.fromEntries(
      [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
        name,
        (value ?? '').replaceAll('&amp;', '&'),
      ]),
    );
    const isIt = Object.entries(given).every(([name, value]) => hidden[name] === value);
    if (!form.includes(`/acts/${action}"`) || !isIt) continue;
    const lines = [
      ...form.matchAll(
        /<li>([^<]*)<\/li>|^<p class="small">Sends the amount that failed to the payer again: ([^<]*)\.</g,
      ),
    ].map(([, line, again]) => line ?? `${again} back to the payer`);
    return { lines, hidden };
  }
  return undefined;
}

/** An amount as pages write it: `R$1,234.50` or `99.000000 USDT (TRX)`, as `1234.5 BRL`. */
function amountIn(text: string): string {
  const [, brl, crypto, name] = /^(?:R\$([\d.,]+)|([\d.,]+)\u00a0(.+))$/.exec(text) ?? [];
  return `${Number((brl ?? crypto ?? '').replaceAll(',', ''))} ${brl ? 'BRL' : name}`;
}

/** The figures of a form, as they are compared. */
function figuresIn(lines: readonly string[]): string[] {
  return lines.map((line) => {
    const [, part, sign, moved] = /^([\w ]+): ([+−]) (.+)$/.exec(line) ?? [];
    if (moved) return `${part} ${sign}${amountIn(moved)}`;
    const [, sent, to] = /^(.+) (back to the payer|to the recipient)$/.exec(line) ?? [];
    return sent ? `${amountIn(sent)} ${to}` : line;
  });
}

type Shown = { readonly amount: string; readonly currency: { readonly code: string; displayName: string } };

async function stateOf({ graphql }: SignedInForTest, { end2end }: ProcessRow) {
  const { json, text } = await graphql(`{
    balances { currency { code displayName } available inTransit toReceive blocked }
    transaction(end2end: "${end2end}") {
      target { amount currency { code displayName } } refunds { state amount { amount currency { code displayName } } }
    } }`);
  expect(json.errors, text).toBeUndefined();
  return json.data;
}

type State = Awaited<ReturnType<typeof stateOf>>;
const named = ({ code, displayName }: Shown['currency']) => (code === 'BRL' ? code : displayName);
const shownOf = ({ amount, currency }: Shown) => `${Number(amount)} ${named(currency)}`;
const negative = (amount: string) => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

/** What the ledger did between two states, as the figures of a form say it. */
function bookedBetween(before: State, after: State): string[] {
  return after.balances.flatMap((each: Record<string, string> & Pick<Shown, 'currency'>) =>
    Object.entries(PARTS).flatMap(([word, part]) => {
      const old = before.balances.find(({ currency }: Shown) => currency.code === each.currency.code) as
        | typeof each
        | undefined;
      const change = Number(sum([each[part] ?? '0', negative(old?.[part] ?? '0')]));
      if (change === 0) return [];
      return [`${word} ${change > 0 ? '+' : '−'}${Math.abs(change)} ${named(each.currency)}`];
    }),
  );
}

/** What was ordered back to the payer between two states. */
function orderedBack(before: State, after: State): string[] {
  return after.transaction.refunds
    .slice(before.transaction.refunds.length)
    .filter(({ state }: { state: string }) => state === 'REQUESTED')
    .map(({ amount }: { amount: Shown }) => `${shownOf(amount)} back to the payer`);
}

/** What goes back to the payer: ordered already, or by a job of the worker for a deposit or a payment that was not converted. */
async function returnsOf(
  { accountId, id, process }: ProcessRow,
  { effects }: CallerAction,
  ordered: string[],
) {
  const isDeposit = effects.some(({ kind, currency }) => kind === 'refund' && currency.code !== 'BRL');
  if (isDeposit) return [`${Number(process?.deposit?.amount)} USDT (TRX) back to the payer`];
  const { rows } = await app.owner.query(
    'select kind from job where account_id = $1 and transaction_id = $2',
    [accountId, id],
  );
  const isWhole = rows.some(({ kind }) => kind === 'return_payment');
  return isWhole ? [`${Number(process?.paid)} BRL back to the payer`] : ordered;
}

const brlOf = (lines: readonly string[]) => lines.reduce((total, line) => total + Number.parseFloat(line), 0);

describe.each(MOVES)('%s', (template, moves) => {
  test.each(
    moves.map((move) => [move.form, move.action.name, move.place.step, move] as const),
  )('%s (%s at %s) moves what its form says', async (_form, _name, _step, { place, action, form }) => {
    const { owner, row } = await standAt(template, place);
    const isOfPlatform = action.rules.account !== undefined;
    const person = isOfPlatform ? platform : owner;
    const path = isOfPlatform
      ? `/console/review/case?id=HOLD:${row.accountId}:${row.end2end}`
      : `/console/transactions/${row.end2end}`;
    const { status, text } = await visit(app, person, path);
    expect(status).toBe(200);
    const resolution = action.rules.resolution?.value;
    const found = formOn(text, form, { end2end: row.end2end, ...(resolution && { resolution }) });
    expect(found, `${path} has no form ${form}`).toBeDefined();
    const { lines, hidden } = found as Form;

    const before = await stateOf(owner, row);
    const { csrf: _own, ...given } = hidden;
    const amount = action.rules.amount?.isRequired ? { amount: action.rules.amount.max ?? '' } : {};
    const typed = { ...amount, ...(isOfPlatform && { reason: 'case 4713' }) };
    const done = await visit(app, person, `/console/acts/${form}`, { form: { ...given, ...typed } });
    expect([done.status, /role="alert"[^<]*<[^<]*/.exec(done.text)?.[0]]).toEqual([303, undefined]);
    const after = await stateOf(owner, row);

    const figures = figuresIn(lines);
    const isBooked = (line: string) => / [+−]/.test(line);
    expect(figures.filter(isBooked).sort()).toEqual(bookedBetween(before, after).sort());
    const sentBack = figures.filter((line) => line.endsWith('back to the payer'));
    const ordered = await returnsOf(row, action, orderedBack(before, after));
    // All that failed goes back in one sum.
    const isSum = action.name === 'retry_refund';
    expect(sentBack).toEqual(isSum ? [`${brlOf(ordered)} BRL back to the payer`] : ordered);
    const paidOut = figures.filter((line) => line.endsWith('to the recipient'));
    if (paidOut.length > 0)
      expect(paidOut).toEqual([`${shownOf(after.transaction.target)} to the recipient`]);
  });
});
