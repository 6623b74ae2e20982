/** Look of the payers' pages, and lists of other sites: those that may frame them, and those that may use keys. */
import { type Html, html } from '../../ui/html.ts';
import { empty, keyValues, pair } from '../../ui/parts.ts';
import { type Column, table } from '../../ui/table.ts';
import { CLEARED_FIELD } from '../act.ts';
import type { ScreenContext } from '../context.ts';
import type { SettingsQuery } from '../generated/graphql.ts';
import { addForm, askedForm, type Field, field, type Given } from './form.ts';
import { section, unseen } from './lists.ts';

type Branding = SettingsQuery['viewer']['account']['branding'];

/** @returns the account's look for payers, and the form that changes it. */
export function pageLook(context: ScreenContext, branding: Branding): Html {
  const { say } = context;
  const yesOrNo = (is: boolean) => say(is ? 'yes' : 'no');
  const pairs = [
    pair(say('set_displayName'), branding.displayName),
    pair(say('set_accent'), branding.accent ?? say('asStandard')),
    pair(say('set_supportUrl'), branding.supportUrl ?? say('none')),
    pair(say('set_showsPrice'), yesOrNo(branding.showsPrice)),
    pair(say('set_logo'), branding.hasLogo ? say('yes') : say('noLogo')),
  ];
  const act = 'UpdateBranding';
  const choices = [
    ['', say('staysAsItIs')] as const,
    ...[true, false].map((is) => [String(is), yesOrNo(is)] as const),
  ];
  const given = { part: 'look' };
  const one = (each: Field) => field(context, act, each, given);
  const change = askedForm(context, {
    act,
    given,
    open: say('changeSettings'),
    what: say('changeLookWhat'),
    button: say('changeSettingsYes'),
    fields: html`${one({ name: 'displayName', label: say('set_displayName') })}${one({ name: 'accent', label: say('set_accent'), hint: say('accentHint') })}${one({ name: 'supportUrl', label: say('set_supportUrl'), hint: say('supportUrlHint') })}${one({ name: 'showsPrice', label: say('set_showsPrice'), options: choices })}`,
  });
  const reset = askedForm(context, {
    act,
    given: {
      part: 'reset',
      showsPrice: 'false',
      [CLEARED_FIELD]: ['displayName', 'accent', 'supportUrl', 'logo'],
    },
    open: say('resetLook'),
    what: say('resetLookWhat'),
    button: say('resetLookYes'),
    kind: 'danger',
  });
  return section(
    'look',
    say('pageLook'),
    html`<div class="in stack tight">${keyValues(pairs)}<div class="row">${change}${reset}</div></div>`,
  );
}

/** A list of origins, and the act that replaces it. */
export interface OriginList {
  readonly act: 'UpdateBranding' | 'UpdateAllowedOrigins';
  /** Variables of the act: for the list, and for the one that was seen. */
  readonly name: string;
  readonly replaces: string;
  readonly title: string;
  readonly why: string;
  readonly origins: readonly string[];
}

/** @returns the list; each form sends the whole list, with one more or one less, and the one that was seen. */
export function originList(
  context: ScreenContext,
  { act, name, replaces, title, why, origins }: OriginList,
): Html {
  const { say } = context;
  const removal = (origin: string) =>
    askedForm(context, {
      act,
      given: { ...without(name, origins, origin), [replaces]: origins },
      open: say('takeAway'),
      what: say('takeOriginWhat', { origin }),
      button: say('takeOriginYes'),
      kind: 'danger',
    });
  const columns: readonly Column<string>[] = [
    { name: say('origin'), isRowHead: true, cell: (origin) => origin },
    { name: unseen(say('actsHere')), isActs: true, cell: removal },
  ];
  const shown =
    origins.length === 0
      ? empty('shield', say('noOrigins'))
      : table({ caption: title, isCaptionUnseen: true, rows: origins, columns });
  const given = { part: 'addition', [name]: origins, [replaces]: origins };
  const fields = field(
    context,
    act,
    { name, label: say('origin'), hint: say('originHint'), isRequired: true },
    given,
  );
  const addition = addForm(context, { act, given, open: say('addOrigin'), button: say('add'), fields });
  return section(name, title, html`<p class="in small soft">${why}</p>${shown}${addition}`);
}

/** Value of a form that removes an entry of a list: the others, or the empty list. */
function without(name: string, origins: readonly string[], origin: string): Given {
  const others = origins.filter((each) => each !== origin);
  const isOptional = name === 'frameHosts';
  return {
    part: origin,
    ...(others.length > 0 || !isOptional ? { [name]: others } : { [CLEARED_FIELD]: name }),
  };
}
