/**
 * The account's own settings: protections of its money, its limits, the look of its pages, and sites that may use its
 * keys.
 */
import { showFigure } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { keyValues, pair } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { CLEARED_FIELD } from '../action.ts';
import { type ScreenContext, screenOf } from '../context.ts';
import type { ProtectionSetting, SettingsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { brandingCard, originList } from '../parts/branding-card.ts';
import { companyCard } from '../parts/company-card.ts';
import { heldAmount, inBrl, listTime } from '../parts/figures.ts';
import { actionForm, disclosedForm, type Field, field } from '../parts/form.ts';
import { section, unseen } from '../parts/lists.ts';
import { notificationChoice } from '../parts/notification-choice.ts';
import { passkeyRoles } from '../parts/passkey-roles.ts';
import { priceAndLimits } from '../parts/template-limits.ts';
import { translateName } from '../words.ts';

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
    const { translate } = context;
    const { accountSettings: rules, allowedOrigins, branding, company } = account;
    const main = html`<div class="top"><h1>${translate('settings')}</h1><p class="soft">${translate('settingsWhy')}</p></div>
${protection(context, rules)}${passkeyRoles(context, account.passkeyRoles)}${pendingList(context, rules.pendingChanges)}${priceAndLimits(context, account)}${companyCard(context, company)}${notificationChoice(context, person?.notifications)}${brandingCard(context, branding)}${originList(context, { action: 'UpdateBranding', name: 'frameHosts', replaces: 'replacesFrameHosts', title: translate('frameHosts'), why: translate('frameHostsWhy'), origins: branding.frameHosts })}${originList(context, { action: 'UpdateAllowedOrigins', name: 'origins', replaces: 'replaces', title: translate('allowedOrigins'), why: translate('allowedOriginsWhy'), origins: allowedOrigins })}`;
    return { title: translate('settings'), main };
  },
});

function protection(context: ScreenContext, rules: Rules): Html {
  const { translate, language } = context;
  const { approvalAbove, outflowPerHour, newTargetPerHour } = rules;
  const ceiling = (limit: string | null) => (limit === null ? translate('none') : inBrl(limit, language));
  const pairs = [
    pair(translate('set_whitelistCooling'), coolingText(context, rules.whitelistCoolingSeconds)),
    pair(
      translate('set_approvalAbove'),
      approvalAbove === null ? translate('never') : inBrl(approvalAbove, language),
    ),
    pair(translate('set_outflowPerHour'), ceiling(outflowPerHour)),
    pair(translate('set_newTargetPerHour'), ceiling(newTargetPerHour)),
    pair(translate('set_afterLock'), translate(`afterLock_${rules.afterLock}`)),
  ];
  const end = approvalAbove !== null && approvalEnd(context);
  return section(
    'protection',
    translate('protection'),
    html`<div class="in stack tight">${keyValues(pairs)}<div class="row">${ruleForm(context, rules)}${end}</div></div>`,
  );
}

function ruleForm(context: ScreenContext, rules: Rules): Html | null {
  const { translate, language } = context;
  const { whitelistCoolingSeconds, afterLock } = rules;
  const action = 'UpdateAccountSettings';
  // Distinguishes the forms of one act.
  const preset = { part: 'rules' };
  const one = (each: Field) => field(context, action, each, preset);
  const choices = new Set([...COOLING_HOURS.map((hours) => hours * HOUR_SECONDS), whitelistCoolingSeconds]);
  const cooling = [...choices]
    .sort((one, other) => one - other)
    .map((seconds) => [String(seconds), coolingText(context, seconds)] as const);
  const after = (['REPRICE', 'END'] as const).map((each) => [each, translate(`afterLock_${each}`)] as const);
  // An unchanged value is not sent: it would withdraw a waiting change of it, or undo another person's.
  const amounts = (['approvalAbove', 'outflowPerHour', 'newTargetPerHour'] as const).map((name) =>
    one({
      name,
      label: translate(`set_${name}`),
      hint: translate('approvalAboveHint'),
      inputmode: 'decimal',
      holds: heldAmount(rules[name], language),
      placeholder: translate(name === 'approvalAbove' ? 'never' : 'none'),
    }),
  );
  const seconds = {
    name: 'whitelistCoolingSeconds',
    label: translate('set_whitelistCooling'),
    options: cooling,
    holds: String(whitelistCoolingSeconds),
  };
  const lock = { name: 'afterLock', label: translate('set_afterLock'), options: after, holds: afterLock };
  const fields = html`${one(seconds)}${amounts}${one(lock)}`;
  return disclosedForm(context, {
    action,
    preset,
    open: translate('changeSettings'),
    what: translate('changeRulesWhat'),
    button: translate('changeSettingsYes'),
    fields,
  });
}

function approvalEnd(context: ScreenContext): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: 'UpdateAccountSettings',
    preset: { part: 'approvals', [CLEARED_FIELD]: 'approvalAbove' },
    open: translate('endApprovals'),
    what: translate('endApprovalsWhat'),
    button: translate('endApprovalsYes'),
    kind: 'danger',
  });
}

/** Changes that loosen a protection, and wait. */
function pendingList(context: ScreenContext, changes: readonly Change[]): Html | null {
  const { translate, language } = context;
  if (changes.length === 0) return null;
  const undo = ({ setting, subject }: Change) =>
    actionForm(context, {
      action: 'CancelSettingChange',
      preset: { setting, ...(subject !== null && { subject }) },
      button: translate('undoChange'),
      kind: 'pill',
    });
  const columns: readonly Column<Change>[] = [
    {
      name: translate('setting'),
      isRowHead: true,
      cell: ({ setting, subject }) =>
        html`${translate(`setting_${setting}`)}${subject !== null && html` <small>${translateName(translate, `template_${subject}`)}</small>`}`,
    },
    { name: translate('settingThen'), cell: (change) => valueText(context, change) },
    { name: translate('holdsFrom'), cell: ({ effectiveAt }) => listTime(effectiveAt, language) },
    { name: translate('askedAt'), style: 'wide', cell: ({ requestedAt }) => listTime(requestedAt, language) },
    { name: unseen(translate('actsHere')), isActions: true, cell: undo },
  ];
  const caption = translate('pendingChanges');
  const shown = table({ caption, isCaptionUnseen: true, rows: changes, columns });
  return section('pending', caption, scrolled(translate('tableOf', { name: caption }), shown));
}

function valueText(context: ScreenContext, { setting, value }: Change): string {
  if (value === null) return context.translate(ENDS[setting] ?? 'asTemplate');
  if (setting === 'WHITELIST_COOLING_SECONDS') return coolingText(context, Number(value));
  return inBrl(value, context.language);
}

/** Meaning of a setting without a value; of the others those of the template hold. */
const ENDS: { readonly [Setting in ProtectionSetting]?: 'never' | 'none' } = {
  APPROVAL_ABOVE: 'never',
  OUTFLOW_PER_HOUR: 'none',
  NEW_TARGET_PER_HOUR: 'none',
};

function coolingText({ translate, language }: ScreenContext, seconds: number): string {
  if (seconds === 0) return translate('atOnce');
  if (seconds % HOUR_SECONDS === 0)
    return translate('hoursLong', { hours: showFigure(String(seconds / HOUR_SECONDS), language, 0) });
  return translate('secondsLong', { seconds: showFigure(String(seconds), language, 0) });
}
