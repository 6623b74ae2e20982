/** Actions on a transaction at its present step, and scenarios that the sandbox can play on it. */
import { sum } from '../../base/money/money.ts';
import type { Label } from '../../base/text/label.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { more } from '../../ui/parts.ts';
import { SCENARIO_WORDS } from '../../ui/sandbox-words.ts';
import { mayDo, type ScreenContext } from '../context.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import type { Word } from '../words.ts';
import { type AmountShown, inBrl, money } from './figures.ts';
import { type ActionForm, actionForm, disclosedForm, field, reasonField } from './form.ts';

type Found = NonNullable<TransactionQuery['transaction']>;
type Action = Found['possibleActions'][number];
/** Known facts of the approval that the transaction waits for. */
type Approval = TransactionQuery['approvals'][number];

/** An effect of an action, as the documents request it. */
type EffectShown = Pick<Action['effects'][number], 'kind' | 'subAccount'> & {
  readonly money: AmountShown | null;
};

/** A form of an action: a button, or a button that opens a form with a description. */
interface ActionWords {
  readonly button: Word;
  readonly open?: Word;
  readonly what?: Word;
  /** Whether the description states the amount as one sum. */
  readonly isSummed?: boolean;
  readonly kind?: string;
}

/** Texts of the actions of account holders and of the operator; those of other actions are on the payer's page. */
const FORMS: Readonly<Partial<Record<Action['action'], ActionWords>>> = {
  ACCEPT_QUOTE: { button: 'acceptQuote', kind: 'primary' },
  APPROVE_MONEY_OUT: { button: 'approve', kind: 'primary' },
  REJECT_MONEY_OUT: { open: 'reject', what: 'rejectOutWhat', button: 'rejectYes', kind: 'danger' },
  REQUOTE_DEPOSIT: { open: 'deposit_REQUOTE', what: 'deposit_REQUOTE_what', button: 'deposit_REQUOTE_yes' },
  KEEP_DEPOSIT: { open: 'deposit_KEEP', what: 'deposit_KEEP_what', button: 'deposit_KEEP_yes' },
  REFUND_DEPOSIT: {
    open: 'deposit_REFUND',
    what: 'deposit_REFUND_what',
    button: 'deposit_REFUND_yes',
    kind: 'danger',
  },
  REFUND_PAYMENT: { open: 'refund', what: 'refundWhat', button: 'refundYes', kind: 'danger' },
  CANCEL: { open: 'cancel', what: 'cancelWhat', button: 'cancelYes', kind: 'danger' },
  RELEASE_HOLD: { open: 'release', what: 'releaseWhat', button: 'releaseYes' },
  REJECT_HOLD: { open: 'rejectHold', what: 'rejectHoldWhat', button: 'rejectHoldYes', kind: 'danger' },
  APPROVE_STEP_UP: { open: 'approveStepUp', what: 'approveStepUpWhat', button: 'approveStepUpYes' },
  DENY_STEP_UP: { open: 'denyStepUp', what: 'denyStepUpWhat', button: 'denyStepUpYes', kind: 'danger' },
  RETRY_REFUND: {
    ...{ open: 'retryRefund', what: 'retryRefundWhat', button: 'retryRefundYes', isSummed: true },
  },
  SETTLE_REFUND_BY_HAND: {
    ...{ open: 'settleRefund', what: 'settleRefundWhat', button: 'settleRefundYes', isSummed: true },
  },
};

/** @returns the forms of the possible actions, and the reason why a requester of money out cannot approve it. */
export function actionForms(
  context: ScreenContext,
  { possibleActions }: Found,
  approval: Approval | undefined,
): Html | null {
  const { translate } = context;
  const forms = possibleActions.map((action) => formOf(context, action)).filter((form) => form);
  if (forms.length === 0) return null;
  const why =
    approval &&
    html`<p class="small">${translate(`waits_${approval.reason}`)} ${approval.whyNot && translate(approval.whyNot)} ${translate('approvalsNeeded')}: ${String(approval.approvalsNeeded)}.</p>`;
  return html`<section class="card in stack tight"><h2>${translate('actsHere')}</h2>${why}<div class="row">${forms}</div></section>`;
}

function formOf(context: ScreenContext, action: Action): Html | null {
  const { translate, language } = context;
  const words = FORMS[action.action];
  if (!words) return null;
  const { button, open, what, isSummed = false, kind = '' } = words;
  const form = {
    action: `${action.mutation.charAt(0).toUpperCase()}${action.mutation.slice(1)}`,
    preset: Object.fromEntries(
      action.arguments.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])),
    ),
    // An amount that a person enters is confirmed with its costs.
    button: amountOf(action) ? reviewButton(context, kind) : translate(button),
    kind,
    isPossible: true,
  };
  const fields = html`${!isSummed && actionEffects(context, action)}${action.arguments.map((each) => inputOf(context, form, each))}`;
  if (!open || !what) return actionForm(context, { ...form, fields });
  return disclosedForm(context, {
    ...form,
    fields,
    open: translate(open),
    what: translate(meaningOf(action) ?? what, { amount: inBrl(movedBy(action), language) }),
  });
}

function reviewButton({ translate }: ScreenContext, kind: string): Html {
  return html`<p><button class="${kind}" name="ask" value="confirm">${translate('review')}</button></p>`;
}

/** Texts of an action that has another meaning at the current step; undefined if it has its usual meaning. */
function meaningOf(action: Action): Word | undefined {
  if (action.action === 'RELEASE_HOLD') return isCredited(action) ? 'releaseToBalanceWhat' : undefined;
  if (action.action !== 'REFUND_PAYMENT') return undefined;
  const amount = amountOf(action);
  if (!amount) return 'refundAllWhat';
  return amount.isRequired ? 'refundPartWhat' : undefined;
}

/** Whether the release of a hold credits the deposit to the balance; otherwise the transaction continues. */
function isCredited({ effects }: Action): boolean {
  return effects.some(({ kind, subAccount }) => kind === 'CREDIT' && subAccount === 'available');
}

/** Amount in BRL that refunds to a payer move together. */
function movedBy({ effects }: Action): string {
  return sum(effects.map(({ money: moved }) => moved?.amount ?? '0'));
}

/** The amount that a person enters; undefined if the action has none. */
function amountOf({ arguments: accepted }: Pick<Action, 'arguments'>) {
  return accepted.find(({ name, value }) => name === 'amount' && value === null);
}

/** The fields that a person fills in, by the name of the argument; other arguments are fixed, or have no use on a screen. */
function inputOf(
  context: ScreenContext,
  { action, preset }: Pick<ActionForm, 'action' | 'preset'>,
  { name, value, max, isRequired }: Action['arguments'][number],
): Html | null {
  const { translate, language } = context;
  if (value !== null) return null;
  switch (name) {
    case 'amount': {
      const hint = max ? translate('refundLeft', { amount: inBrl(max, language) }) : null;
      const label = translate('refundAmount');
      return field(context, action, { name, label, hint, inputmode: 'decimal', isRequired }, preset);
    }
    case 'address':
      return field(context, action, { name, label: translate('refundAddress'), isRequired }, preset);
    case 'reason':
      return reasonField(context, action, preset);
    case 'reference':
      return field(context, action, { name, label: translate('paymentReference'), isRequired }, preset);
    default:
      return null;
  }
}

/** Money that the action moves, in figures; with the amount that a person chose for it, if there is a choice. */
function actionEffects(context: ScreenContext, action: Action): Html | null {
  const { translate, language } = context;
  const max = action.effects.length > 0 && amountOf(action)?.max;
  const basis = max && html`<p class="small">${translate('effectsOf', { amount: inBrl(max, language) })}</p>`;
  return html`${basis}${effectList(context, action)}`;
}

/** @returns the money that an action moves, in figures; null if it moves none. */
function effectList(
  { translate, language }: Pick<ScreenContext, 'translate' | 'language'>,
  { effects }: { readonly effects: readonly EffectShown[] },
): Html | null {
  if (effects.length === 0) return null;
  const lines = effects.map(({ kind, subAccount, money: moved }) => {
    if (!moved) return translate('effect_priced');
    const part = subAccount ? translate(subAccount) : '';
    return translate(`effect_${kind}`, { amount: money(moved, language), part });
  });
  return html`<ul class="small">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

/** Facts of a transaction that an approval shows. */
interface Approvable {
  readonly possibleActions: readonly (Pick<Action, 'action'> & {
    readonly effects: readonly EffectShown[];
  })[];
}

/** @returns the form that approves money out, with the amounts that the approval moves. */
export function approveForm(
  context: ScreenContext,
  { kind, requestedAt }: Pick<Approval, 'kind' | 'requestedAt'>,
  { end2end, possibleActions }: Pick<Found, 'end2end'> & Approvable,
): Html | null {
  const action = possibleActions.find((each) => each.action === 'APPROVE_MONEY_OUT');
  const fields = action && effectList(context, action);
  const style = { button: context.translate('approve'), kind: 'primary', fields: fields ?? null } as const;
  if (kind === 'WITHDRAWAL')
    return actionForm(context, { action: 'ApproveWithdrawal', preset: { end2end }, ...style });
  const preset = { end2end, ...(requestedAt && { requestedAt }) };
  return actionForm(context, { action: 'ApproveMoneyOut', preset, ...style });
}

/** @returns the form that declines money out. */
export function rejectForm(context: ScreenContext, kind: Approval['kind'], end2end: string): Html | null {
  const { translate } = context;
  const isWithdrawal = kind === 'WITHDRAWAL';
  return disclosedForm(context, {
    action: isWithdrawal ? 'RejectWithdrawal' : 'RejectMoneyOut',
    preset: { end2end },
    open: translate('reject'),
    what: translate(isWithdrawal ? 'rejectWhat' : 'rejectOutWhat'),
    button: translate('rejectYes'),
    kind: 'danger',
  });
}

/** @returns scenarios that the sandbox can play on a transaction at its step; null for live accounts. */
export function scenarios(context: ScreenContext, { end2end, sandboxScenarios }: Found): Html | null {
  const { translate } = context;
  if (!sandboxScenarios || !mayDo(context, 'sandboxTrigger')) return null;
  const { now, later } = sandboxScenarios;
  const play = (names: readonly string[]) =>
    actionForm(context, {
      action: 'SandboxTrigger',
      preset: { end2end },
      button: playButtons(context, names),
    });
  return html`<section class="card in stack tight" data-live="sandbox"><h2 class="row">${icon('flask')} ${translate('playSandbox')}</h2>
${now.length > 0 ? play(now) : html`<p class="soft">${translate('playNothing')}</p>`}
${later.length > 0 && more(translate('playLater'), play(later))}</section>`;
}

function playButtons({ language }: ScreenContext, names: readonly string[]): Html {
  const words: Readonly<Record<string, Label>> = SCENARIO_WORDS;
  const wordOf = (name: string) => words[name.toLowerCase().replaceAll('_', '-')]?.[language] ?? name;
  return html`<div class="row">${names.map((name) => html`<button class="pill" name="scenario" value="${name}">${wordOf(name)}</button>`)}</div>`;
}
