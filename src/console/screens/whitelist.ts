/** The whitelist: destinations of withdrawals, the time from which each is usable, and their forms. */
import { networkTitle } from '../../base/money/currency.ts';
import { type Html, html } from '../../ui/html.ts';
import { address, badge, empty } from '../../ui/parts.ts';
import { pixKeyTypeWord } from '../../ui/pix-key-words.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { nearText } from '../../ui/times.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { WhitelistQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { pixKeyTypeOptions } from '../parts/choices.ts';
import { fullTime } from '../parts/figures.ts';
import { actionForm, addForm, disclosedForm, type Field, field } from '../parts/form.ts';
import { section, unseen } from '../parts/lists.ts';

type Group = WhitelistQuery['viewer']['account']['whitelistGroups'][number];
type Entry = Group['entries'][number];

const HOUR_SECONDS = 3_600;

/** The screen. */
export const WHITELIST = screenOf<WhitelistQuery>({
  path: '/whitelist',
  operation: operationNamed('Whitelist'),
  variables: () => ({}),
  view: ({ viewer: { account }, currencies }, context) => {
    const { translate } = context;
    const hours = account.accountSettings.whitelistCoolingSeconds / HOUR_SECONDS;
    const rule = hours === 0 ? translate('noCooling') : translate('cooling', { hours: String(hours) });
    const groups = account.whitelistGroups;
    const networks = [...new Set(currencies.flatMap(({ network }) => (network ? [network] : [])))];
    const main = html`<div class="top"><h1>${translate('whitelist')}</h1><p class="soft">${rule}</p></div>
${groups.length === 0 && html`<div class="card phone-full">${empty('wallet', translate('noDestinations'), translate('noDestinationsHow'))}</div>`}
${groups.map((group) => groupCard(context, group, { networks, nowMs: Date.parse(account.now) }))}
${groupForm(context)}`;
    return { title: translate('whitelist'), main };
  },
});

function groupCard(
  context: ScreenContext,
  group: Group,
  { networks, nowMs }: { readonly networks: readonly string[]; readonly nowMs: number },
): Html {
  const { translate, language } = context;
  const entries = group.entries.filter(({ removedAt }) => !removedAt);
  const isUsable = ({ usableAt }: Entry) => Date.parse(usableAt) <= nowMs;
  const columns: readonly Column<Entry>[] = [
    { name: translate('name'), isRowHead: true, cell: ({ label }) => label },
    { name: translate('destination'), style: 'mono', cell: ({ target }) => address(target) },
    {
      name: translate('networkOrType'),
      style: 'wide',
      cell: ({ network, pixKeyType }) =>
        network ? networkTitle({ network }) : pixKeyType && pixKeyTypeWord(pixKeyType, language),
    },
    {
      name: translate('status'),
      cell: (entry) =>
        html`${isUsable(entry) ? badge('good', translate('usable')) : badge('idle', translate('usableFrom', { time: nearText(Date.parse(entry.usableAt), language, 'minute') }))}${entry.provenUntil && html` <small class="soft">${translate('provenUntil')} ${fullTime(entry.provenUntil, language, 'day')}</small>`}`,
    },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (entry) => html`${proof(context, entry)}${removal(context, entry.entryId)}`,
    },
  ];
  const shown =
    entries.length === 0
      ? empty('wallet', translate('noDestinations'))
      : scrolled(
          translate('tableOf', { name: group.name }),
          table({ caption: group.name, isCaptionUnseen: true, rows: entries, columns }),
        );
  return section(group.groupId, group.name, html`${shown}${entryForm(context, group, networks)}`);
}

/**
 * An address leads to the page of the signer, where a person proves it, and from there back with the proof; a proof can be
 * withdrawn.
 */
function proof(context: ScreenContext, { entryId: id, network, provenUntil, proveUrl }: Entry): Html | null {
  const { translate } = context;
  if (network === null || !may(context, 'move')) return null;
  const word = provenUntil === null ? translate('proveAddress') : translate('proveAgain');
  return html`${madeProof(context, id)}${proveUrl && html`<a class="btn" href="${proveUrl}">${word}</a>`}${provenUntil && withdrawal(context, id)}`;
}

/** The form that stores the proof with which the page of the signer sent a person back. */
function madeProof(context: ScreenContext, id: string): Html | null {
  const { translate, query } = context;
  const [proofId, expiresAt] = [query.get('proof'), query.get('until')];
  if (query.get('entry') !== id || !proofId || !expiresAt) return null;
  return actionForm(context, {
    action: 'AddWhitelistProof',
    preset: { id, proofId, expiresAt, back: pathTo('/whitelist') },
    button: translate('storeProof'),
    kind: 'primary',
  });
}

function withdrawal(context: ScreenContext, id: string): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: 'WithdrawWhitelistProof',
    preset: { id },
    open: translate('withdrawProof'),
    what: translate('withdrawProofWhat'),
    button: translate('withdrawProofYes'),
    kind: 'danger',
  });
}

function removal(context: ScreenContext, id: string): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: 'RemoveWhitelistEntry',
    preset: { id },
    open: translate('takeAway'),
    what: translate('takeAwayWhat'),
    button: translate('takeAwayYes'),
    kind: 'danger',
  });
}

function entryForm(context: ScreenContext, { groupId: id }: Group, networks: readonly string[]): Html | null {
  const { translate, language } = context;
  const action = 'AddWhitelistEntry';
  const oneOf = (options: readonly (readonly [string, string])[]) => [
    ['', translate('none')] as const,
    ...options,
  ];
  const types = oneOf(pixKeyTypeOptions(language));
  const known = oneOf(networks.map((each) => [each, `${networkTitle({ network: each })} (${each})`]));
  const preset = { groupId: id };
  const one = (each: Field) => field(context, action, each, preset);
  const fields = html`${one({ name: 'label', label: translate('name') })}${one({ name: 'network', label: translate('network'), options: known })}${one({ name: 'address', label: translate('address') })}${one({ name: 'type', label: translate('pixKeyType'), options: types })}${one({ name: 'key', label: translate('pixKey') })}`;
  return addForm(context, {
    action,
    preset,
    open: translate('addDestination'),
    button: translate('add'),
    fields,
  });
}

function groupForm(context: ScreenContext): Html | null {
  const { translate } = context;
  const action = 'CreateWhitelistGroup';
  const fields = field(context, action, { name: 'name', label: translate('groupName'), isRequired: true });
  const form = actionForm(context, { action, button: translate('addGroup'), fields });
  return form && html`<section class="card in phone-full">${form}</section>`;
}
