/** What can be done with a transaction at its present step, and what the sandbox can play on it. */
import type { Label } from '../../base/label.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { more } from '../../ui/parts.ts';
import { SCENARIO_WORDS } from '../../ui/sandbox-words.ts';
import { mayDo, type ScreenContext } from '../context.ts';
import type { TransactionQuery } from '../generated/graphql.ts';
import { type AmountShown, money } from './figures.ts';
import { actForm, askedForm, field } from './form.ts';

type Found = NonNullable<TransactionQuery['transaction']>;
/** What is known of the approval that it waits for. */
type Approval = TransactionQuery['approvals'][number];

/** Steps at which money has come in, so that nobody can cancel any more. */
const HAS_MONEY = /^(PAID|UNDERPAID|OVERPAID|LATE|DETECTED|DROPPED|UNCOMPLIANT)$/;

/** @returns the forms of what can be done now, and why whoever asked for a withdrawal cannot approve it; the server refuses what somebody made impossible meanwhile. */
export function actsNow(context: ScreenContext, found: Found, approval: Approval | undefined): Html | null {
  const { say } = context;
  const { end2end, component, state } = found;
  const given = { end2end };
  const isOpen = found.status.en === 'Created' || found.status.en === 'Pending';
  const forms = [
    component === 'quote' &&
      state === 'QUOTE' &&
      actForm(context, { act: 'AcceptQuote', given, button: say('acceptQuote'), kind: 'primary' }),
    approval?.mayApprove &&
      actForm(context, { act: 'ApproveWithdrawal', given, button: say('approve'), kind: 'primary' }),
    approval && rejectForm(context, end2end),
    ...resolutionForms(context, found),
    found.refundable && refundForm(context, end2end, found.refundable),
    isOpen && !HAS_MONEY.test(state) && cancelForm(context, end2end),
  ].filter((form) => form);
  if (forms.length === 0) return null;
  const why = approval?.whyNot && html`<p class="small">${say(approval.whyNot)}</p>`;
  return html`<section class="card in stack tight"><h2>${say('actsHere')}</h2>${why}<div class="row">${forms}</div></section>`;
}

/** @returns the form that declines a withdrawal. */
export function rejectForm(context: ScreenContext, end2end: string): Html | null {
  const { say } = context;
  return askedForm(context, {
    act: 'RejectWithdrawal',
    given: { end2end },
    open: say('reject'),
    what: say('rejectWhat'),
    button: say('rejectYes'),
    kind: 'danger',
  });
}

function cancelForm(context: ScreenContext, end2end: string): Html | null {
  const { say } = context;
  return askedForm(context, {
    act: 'CancelTransaction',
    given: { end2end },
    open: say('cancel'),
    what: say('cancelWhat'),
    button: say('cancelYes'),
    kind: 'danger',
  });
}

function refundForm(context: ScreenContext, end2end: string, left: AmountShown): Html | null {
  const { say, language } = context;
  return askedForm(context, {
    act: 'RefundPayment',
    given: { end2end },
    open: say('refund'),
    what: say('refundWhat'),
    button: say('refundYes'),
    kind: 'danger',
    fields: field(context, 'RefundPayment', {
      name: 'amount',
      label: say('refundAmount'),
      hint: say('refundLeft', { amount: money(left, language) }),
      inputmode: 'decimal',
    }),
  });
}

/** Steps at which a deposit is held until somebody decides, and what can be decided. */
const HELD_DEPOSITS: Readonly<Record<string, readonly Resolution[]>> = {
  'crypto_deposit/UNDERPAID': ['REQUOTE', 'KEEP', 'REFUND'],
  'crypto_deposit/OVERPAID': ['REQUOTE', 'KEEP', 'REFUND'],
  'crypto_deposit/LATE': ['REQUOTE', 'KEEP', 'REFUND'],
  'pix_out/REJECTED': ['KEEP', 'REFUND'],
  'swap_transfer/ERROR': ['KEEP', 'REFUND'],
};

type Resolution = 'KEEP' | 'REFUND' | 'REQUOTE';

function resolutionForms(
  context: ScreenContext,
  { __typename, end2end, component, state }: Found,
): (Html | null)[] {
  const { say } = context;
  const ways = __typename === 'OfframpInstant' ? HELD_DEPOSITS[`${component}/${state}`] : undefined;
  return (ways ?? []).map((resolution) =>
    askedForm(context, {
      act: 'ResolveDeposit',
      given: { end2end, resolution },
      open: say(`deposit_${resolution}`),
      what: say(`deposit_${resolution}_what`),
      button: say(`deposit_${resolution}_yes`),
      ...(resolution === 'REFUND' && {
        kind: 'danger',
        fields: field(context, 'ResolveDeposit', { name: 'address', label: say('refundAddress') }),
      }),
    }),
  );
}

/** @returns what the sandbox can play on a transaction where it stands; nothing for live accounts. */
export function scenarios(context: ScreenContext, { end2end, sandboxScenarios }: Found): Html | null {
  const { say } = context;
  if (!sandboxScenarios || !mayDo(context, 'sandboxTrigger')) return null;
  const { now, later } = sandboxScenarios;
  const play = (names: readonly string[]) =>
    actForm(context, { act: 'SandboxTrigger', given: { end2end }, button: playButtons(context, names) });
  return html`<section class="card in stack tight" data-live="sandbox"><h2 class="row">${icon('flask')} ${say('playSandbox')}</h2>
${now.length > 0 ? play(now) : html`<p class="soft">${say('playNothing')}</p>`}
${later.length > 0 && more(say('playLater'), play(later))}</section>`;
}

function playButtons({ language }: ScreenContext, names: readonly string[]): Html {
  const words: Readonly<Record<string, Label>> = SCENARIO_WORDS;
  const wordOf = (name: string) => words[name.toLowerCase().replaceAll('_', '-')]?.[language] ?? name;
  return html`<div class="row">${names.map((name) => html`<button class="pill" name="scenario" value="${name}">${wordOf(name)}</button>`)}</div>`;
}
