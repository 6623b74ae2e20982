/** Look of the payers' pages, and lists of other sites: those that may frame the pages, and those that may use keys. */
import { type Html, html } from '../../ui/html.ts';
import { empty, keyValues, pair } from '../../ui/parts.ts';
import { type Column, table } from '../../ui/table.ts';
import { CLEARED_FIELD } from '../action.ts';
import type { ScreenContext } from '../context.ts';
import type { SettingsQuery } from '../generated/graphql.ts';
import { brandingPreview } from './branding-preview.ts';
import { addForm, disclosedForm, type Field, field, type PresetValues } from './form.ts';
import { section, unseen } from './lists.ts';

type Branding = SettingsQuery['viewer']['account']['branding'];

/** @returns the account's look for payers, and the form that changes it. */
export function brandingCard(context: ScreenContext, branding: Branding): Html {
  const { translate } = context;
  const yesOrNo = (is: boolean) => translate(is ? 'yes' : 'no');
  const pairs = [
    pair(translate('set_displayName'), branding.displayName),
    pair(translate('set_accent'), branding.accent ?? translate('asStandard')),
    pair(translate('set_supportUrl'), branding.supportUrl ?? translate('none')),
    pair(translate('set_showsPrice'), yesOrNo(branding.showsPrice)),
    pair(translate('set_sendsReceipts'), yesOrNo(branding.sendsReceipts)),
    pair(translate('set_logo'), translate(branding.logoHash === null ? 'noLogo' : 'yes')),
  ];
  const action = 'UpdateBranding';
  const choices = [true, false].map((is) => [String(is), yesOrNo(is)] as const);
  const preset = { part: 'look' };
  const one = (each: Field) => field(context, action, each, preset);
  const change = disclosedForm(context, {
    action,
    preset,
    open: translate('changeSettings'),
    what: translate('changeLookWhat'),
    button: translate('changeSettingsYes'),
    fields: html`${one({ name: 'displayName', label: translate('set_displayName'), holds: branding.displayName })}${one({ name: 'accent', label: translate('set_accent'), hint: translate('accentHint'), holds: branding.accent ?? '' })}${one({ name: 'supportUrl', label: translate('set_supportUrl'), hint: translate('supportUrlHint'), holds: branding.supportUrl ?? '' })}${one({ name: 'showsPrice', label: translate('set_showsPrice'), options: choices, holds: String(branding.showsPrice) })}${one({ name: 'sendsReceipts', label: translate('set_sendsReceipts'), hint: translate('sendsReceiptsHint'), options: choices, holds: String(branding.sendsReceipts) })}`,
  });
  const reset = disclosedForm(context, {
    action,
    preset: {
      part: 'reset',
      showsPrice: 'false',
      [CLEARED_FIELD]: ['displayName', 'accent', 'supportUrl', 'logo'],
    },
    open: translate('resetLook'),
    what: translate('resetLookWhat'),
    button: translate('resetLookYes'),
    kind: 'danger',
  });
  return section(
    'look',
    translate('pageLook'),
    html`<div class="in stack tight">${keyValues(pairs)}${brandingPreview(context, branding)}<div class="row">${change}${logoForms(context, branding)}${reset}</div></div>`,
  );
}

function logoForms(context: ScreenContext, { logoHash }: Branding): Html {
  const { translate } = context;
  const action = 'UpdateBranding';
  const preset = { part: 'logo' };
  const file = {
    ...{ name: 'logo', label: translate('set_logo'), hint: translate('logoHint'), isRequired: true },
    ...{ type: 'file' as const, accept: 'image/png,image/jpeg,image/webp' },
  };
  const upload = disclosedForm(context, {
    ...{ action, preset, hasFile: true },
    open: translate(logoHash === null ? 'addLogo' : 'changeLogo'),
    what: translate('changeLogoWhat'),
    button: translate('saveLogo'),
    fields: field(context, action, file, preset),
  });
  const removal =
    logoHash !== null &&
    disclosedForm(context, {
      action,
      preset: { part: 'no logo', [CLEARED_FIELD]: 'logo' },
      open: translate('removeLogo'),
      what: translate('removeLogoWhat'),
      button: translate('removeLogoYes'),
      kind: 'danger',
    });
  return html`${upload}${removal}`;
}

/** A list of origins, and the action that replaces it. */
export interface OriginList {
  readonly action: 'UpdateBranding' | 'UpdateAllowedOrigins';
  /** Variables of the action: one for the list, and one for the list that the person saw. */
  readonly name: string;
  readonly replaces: string;
  readonly title: string;
  readonly why: string;
  readonly origins: readonly string[];
}

/**
 * @returns the list; each form sends the whole list with one entry added or removed, and the list that the person saw.
 */
export function originList(
  context: ScreenContext,
  { action, name, replaces, title, why, origins }: OriginList,
): Html {
  const { translate } = context;
  const removal = (origin: string) =>
    disclosedForm(context, {
      action,
      preset: { ...without(name, origins, origin), [replaces]: origins },
      open: translate('takeAway'),
      what: translate('takeOriginWhat', { origin }),
      button: translate('takeOriginYes'),
      kind: 'danger',
    });
  const columns: readonly Column<string>[] = [
    { name: translate('origin'), isRowHead: true, cell: (origin) => origin },
    { name: unseen(translate('actsHere')), isActions: true, cell: removal },
  ];
  const shown =
    origins.length === 0
      ? empty('shield', translate('noOrigins'))
      : table({ caption: title, isCaptionUnseen: true, rows: origins, columns });
  const preset = { part: 'addition', [name]: origins, [replaces]: origins };
  const fields = field(
    context,
    action,
    { name, label: translate('origin'), hint: translate('originHint'), isRequired: true },
    preset,
  );
  const addition = addForm(context, {
    action,
    preset,
    open: translate('addOrigin'),
    button: translate('add'),
    fields,
  });
  return section(name, title, html`<p class="in small soft">${why}</p>${shown}${addition}`);
}

/** Value of a form that removes an entry of a list: the remaining entries, or the empty list. */
function without(name: string, origins: readonly string[], origin: string): PresetValues {
  const others = origins.filter((each) => each !== origin);
  const isOptional = name === 'frameHosts';
  return {
    part: origin,
    ...(others.length > 0 || !isOptional ? { [name]: others } : { [CLEARED_FIELD]: name }),
  };
}
