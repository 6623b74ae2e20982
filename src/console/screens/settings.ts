/**
 * The account's own settings: protections of its money, its limits, the look of its pages, and sites that may use its
 * keys.
 */
import { showFigure } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { keyValues, pair } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { CLEARED_FIELD } from '../act.ts';
import { type ScreenContext, screenOf } from '../context.ts';
import type { ProtectionSetting, SettingsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { inBrl, moment } from '../parts/figures.ts';
import { actForm, askedForm, type Field, field } from '../parts/form.ts';
import { section, unseen } from '../parts/lists.ts';
import { notificationChoice } from '../parts/notification-choice.ts';
import { originList, pageLook } from '../parts/page-look.ts';
import { priceAndLimits } from '../parts/template-limits.ts';
import { sayNamed } from '../words.ts';

type Rules = SettingsQuery['viewer']['account']['accountSettings'];
type Change = Rules['pendingChanges'][number];

const HOUR_SECONDS = 3_600;
/** Cooling times to choose from. Unit: h. */
const COOLING_HOURS = [0, 1, 24, 48, 72, 168] as const;

/** The screen. */
export const SETTINGS = screenOf<SettingsQuery>({
  path: '/settings',
  operation: operationNamed('Settings'),
  variables: () => ({}),
  view: ({ viewer: { account, person } }, context) => {
    const { say } = context;
    const { accountSettings: rules, allowedOrigins, branding } = account;
    const main = html`<div class="top"><h1>${say('settings')}</h1><p class="soft">${say('settingsWhy')}</p></div>
${protection(context, rules)}${pendingList(context, rules.pendingChanges)}${priceAndLimits(context, account)}${notificationChoice(context, person?.notifications)}${pageLook(context, branding)}${originList(context, { act: 'UpdateBranding', name: 'frameHosts', replaces: 'replacesFrameHosts', title: say('frameHosts'), why: say('frameHostsWhy'), origins: branding.frameHosts })}${originList(context, { act: 'UpdateAllowedOrigins', name: 'origins', replaces: 'replaces', title: say('allowedOrigins'), why: say('allowedOriginsWhy'), origins: allowedOrigins })}`;
    return { title: say('settings'), main };
  },
});

function protection(context: ScreenContext, rules: Rules): Html {
  const { say, language } = context;
  const { approvalAbove, outflowPerHour, newTargetPerHour } = rules;
  const ceiling = (limit: string | null) => (limit === null ? say('none') : inBrl(limit, language));
  const pairs = [
    pair(say('set_whitelistCooling'), coolingText(context, rules.whitelistCoolingSeconds)),
    pair(say('set_approvalAbove'), approvalAbove === null ? say('never') : inBrl(approvalAbove, language)),
    pair(say('set_outflowPerHour'), ceiling(outflowPerHour)),
    pair(say('set_newTargetPerHour'), ceiling(newTargetPerHour)),
    pair(say('set_afterLock'), say(`afterLock_${rules.afterLock}`)),
  ];
  const end = approvalAbove !== null && approvalEnd(context);
  return section(
    'protection',
    say('protection'),
    html`<div class="in stack tight">${keyValues(pairs)}<div class="row">${ruleForm(context, rules)}${end}</div></div>`,
  );
}

function ruleForm(context: ScreenContext, { whitelistCoolingSeconds }: Rules): Html | null {
  const { say } = context;
  const act = 'UpdateAccountSettings';
  // Distinguishes the forms of one act.
  const given = { part: 'rules' };
  const one = (each: Field) => field(context, act, each, given);
  const choices = new Set([...COOLING_HOURS.map((hours) => hours * HOUR_SECONDS), whitelistCoolingSeconds]);
  const cooling = [...choices]
    .sort((one, other) => one - other)
    .map((seconds) => [String(seconds), coolingText(context, seconds)] as const);
  const after = (['REPRICE', 'END'] as const).map((each) => [each, say(`afterLock_${each}`)] as const);
  // An unchanged choice is not sent: it would withdraw a waiting change of it, or undo another person's.
  const stays = ['', say('staysAsItIs')] as const;
  const ceilings = (['outflowPerHour', 'newTargetPerHour'] as const).map((name) =>
    one({ name, label: say(`set_${name}`), hint: say('approvalAboveHint'), inputmode: 'decimal' }),
  );
  const fields = html`${one({ name: 'whitelistCoolingSeconds', label: say('set_whitelistCooling'), options: [stays, ...cooling] })}${one({ name: 'approvalAbove', label: say('set_approvalAbove'), hint: say('approvalAboveHint'), inputmode: 'decimal' })}${ceilings}${one({ name: 'afterLock', label: say('set_afterLock'), options: [stays, ...after] })}`;
  return askedForm(context, {
    act,
    given,
    open: say('changeSettings'),
    what: say('changeRulesWhat'),
    button: say('changeSettingsYes'),
    fields,
  });
}

function approvalEnd(context: ScreenContext): Html | null {
  const { say } = context;
  return askedForm(context, {
    act: 'UpdateAccountSettings',
    given: { part: 'approvals', [CLEARED_FIELD]: 'approvalAbove' },
    open: say('endApprovals'),
    what: say('endApprovalsWhat'),
    button: say('endApprovalsYes'),
    kind: 'danger',
  });
}

/** Changes that loosen a protection, and wait. */
function pendingList(context: ScreenContext, changes: readonly Change[]): Html | null {
  const { say, language } = context;
  if (changes.length === 0) return null;
  const undo = ({ setting, subject }: Change) =>
    actForm(context, {
      act: 'CancelSettingChange',
      given: { setting, ...(subject !== null && { subject }) },
      button: say('undoChange'),
      kind: 'pill',
    });
  const columns: readonly Column<Change>[] = [
    {
      name: say('setting'),
      isRowHead: true,
      cell: ({ setting, subject }) =>
        html`${say(`setting_${setting}`)}${subject !== null && html` <small>${sayNamed(say, `template_${subject}`)}</small>`}`,
    },
    { name: say('settingThen'), cell: (change) => valueText(context, change) },
    { name: say('holdsFrom'), cell: ({ effectiveAt }) => moment(effectiveAt, language) },
    { name: say('askedAt'), look: 'wide', cell: ({ requestedAt }) => moment(requestedAt, language) },
    { name: unseen(say('actsHere')), isActs: true, cell: undo },
  ];
  const caption = say('pendingChanges');
  const shown = table({ caption, isCaptionUnseen: true, rows: changes, columns });
  return section('pending', caption, scrolled(say('tableOf', { name: caption }), shown));
}

function valueText(context: ScreenContext, { setting, value }: Change): string {
  if (value === null) return context.say(ENDS[setting] ?? 'asTemplate');
  if (setting === 'WHITELIST_COOLING_SECONDS') return coolingText(context, Number(value));
  return inBrl(value, context.language);
}

/** Meaning of a setting without a value; of the others those of the template hold. */
const ENDS: { readonly [Setting in ProtectionSetting]?: 'never' | 'none' } = {
  APPROVAL_ABOVE: 'never',
  OUTFLOW_PER_HOUR: 'none',
  NEW_TARGET_PER_HOUR: 'none',
};

function coolingText({ say, language }: ScreenContext, seconds: number): string {
  if (seconds === 0) return say('atOnce');
  if (seconds % HOUR_SECONDS === 0)
    return say('hoursLong', { hours: showFigure(String(seconds / HOUR_SECONDS), language, 0) });
  return say('secondsLong', { seconds: showFigure(String(seconds), language, 0) });
}
