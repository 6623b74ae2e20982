/** The whitelist: destinations of withdrawals, the time from which each is usable, and their forms. */
import { networkTitle } from '../../base/money/currency.ts';
import { type Html, html } from '../../ui/html.ts';
import { address, badge, empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { may, pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { WhitelistQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { PIX_KEY_TYPES } from '../parts/choices.ts';
import { moment, wholeMoment } from '../parts/figures.ts';
import { actForm, addForm, askedForm, type Field, field } from '../parts/form.ts';
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
    const { say } = context;
    const hours = account.accountSettings.whitelistCoolingSeconds / HOUR_SECONDS;
    const rule = hours === 0 ? say('noCooling') : say('cooling', { hours: String(hours) });
    const groups = account.whitelistGroups;
    const networks = [...new Set(currencies.flatMap(({ network }) => (network ? [network] : [])))];
    const main = html`<div class="top"><h1>${say('whitelist')}</h1><p class="soft">${rule}</p></div>
${groups.length === 0 && html`<div class="card phone-full">${empty('wallet', say('noDestinations'), say('noDestinationsHow'))}</div>`}
${groups.map((group) => groupCard(context, group, { networks, nowMs: Date.parse(account.now) }))}
${groupForm(context)}`;
    return { title: say('whitelist'), main };
  },
});

function groupCard(
  context: ScreenContext,
  group: Group,
  { networks, nowMs }: { readonly networks: readonly string[]; readonly nowMs: number },
): Html {
  const { say, language } = context;
  const entries = group.entries.filter(({ removedAt }) => !removedAt);
  const isUsable = ({ usableAt }: Entry) => Date.parse(usableAt) <= nowMs;
  const columns: readonly Column<Entry>[] = [
    { name: say('name'), isRowHead: true, cell: ({ label }) => label },
    { name: say('destination'), look: 'mono', cell: ({ target }) => address(target) },
    { name: say('network'), look: 'wide', cell: ({ network, pixKeyType }) => network ?? pixKeyType },
    {
      name: say('status'),
      cell: (entry) =>
        html`${isUsable(entry) ? badge('good', say('usable')) : badge('idle', html`${moment(entry.usableAt, language)}`)}${entry.provenUntil && html` <small class="soft">${say('provenUntil')} ${wholeMoment(entry.provenUntil, language, 'day')}</small>`}`,
    },
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: (entry) => html`${proof(context, entry)}${removal(context, entry.entryId)}`,
    },
  ];
  const shown =
    entries.length === 0
      ? empty('wallet', say('noDestinations'))
      : scrolled(
          say('tableOf', { name: group.name }),
          table({ caption: group.name, isCaptionUnseen: true, rows: entries, columns }),
        );
  return section(group.groupId, group.name, html`${shown}${entryForm(context, group, networks)}`);
}

/** An address leads to the page of the signer, where a person proves it, and comes back with the proof; a proof can be withdrawn. */
function proof(context: ScreenContext, { entryId: id, network, provenUntil, proveUrl }: Entry): Html | null {
  const { say } = context;
  if (network === null || !may(context, 'move')) return null;
  const word = provenUntil === null ? say('proveAddress') : say('proveAgain');
  return html`${madeProof(context, id)}${proveUrl && html`<a class="btn" href="${proveUrl}">${word}</a>`}${provenUntil && withdrawal(context, id)}`;
}

/** The form that stores the proof with which the page of the signer sent a person back. */
function madeProof(context: ScreenContext, id: string): Html | null {
  const { say, query } = context;
  const [proofId, expiresAt] = [query.get('proof'), query.get('until')];
  if (query.get('entry') !== id || !proofId || !expiresAt) return null;
  return actForm(context, {
    act: 'AddWhitelistProof',
    given: { id, proofId, expiresAt, back: pathTo('/whitelist') },
    button: say('storeProof'),
    kind: 'primary',
  });
}

function withdrawal(context: ScreenContext, id: string): Html | null {
  const { say } = context;
  return askedForm(context, {
    act: 'WithdrawWhitelistProof',
    given: { id },
    open: say('withdrawProof'),
    what: say('withdrawProofWhat'),
    button: say('withdrawProofYes'),
    kind: 'danger',
  });
}

function removal(context: ScreenContext, id: string): Html | null {
  const { say } = context;
  return askedForm(context, {
    act: 'RemoveWhitelistEntry',
    given: { id },
    open: say('takeAway'),
    what: say('takeAwayWhat'),
    button: say('takeAwayYes'),
    kind: 'danger',
  });
}

function entryForm(context: ScreenContext, { groupId: id }: Group, networks: readonly string[]): Html | null {
  const { say } = context;
  const act = 'AddWhitelistEntry';
  const oneOf = (options: readonly (readonly [string, string])[]) => [['', say('none')] as const, ...options];
  const types = oneOf(PIX_KEY_TYPES.map((each) => [each, each]));
  const known = oneOf(networks.map((each) => [each, `${networkTitle({ network: each })} (${each})`]));
  const given = { groupId: id };
  const one = (each: Field) => field(context, act, each, given);
  const fields = html`${one({ name: 'label', label: say('name') })}${one({ name: 'network', label: say('network'), options: known })}${one({ name: 'address', label: say('address') })}${one({ name: 'type', label: say('pixKeyType'), options: types })}${one({ name: 'key', label: say('pixKey') })}`;
  return addForm(context, { act, given, open: say('addDestination'), button: say('add'), fields });
}

function groupForm(context: ScreenContext): Html | null {
  const { say } = context;
  const act = 'CreateWhitelistGroup';
  const fields = field(context, act, { name: 'name', label: say('name'), isRequired: true });
  const form = actForm(context, { act, button: say('addGroup'), fields });
  return form && html`<section class="card in phone-full">${form}</section>`;
}
