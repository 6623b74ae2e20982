/** The audit log: actor, action, object and origin of each entry. */
import { html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext, sameWith, screenOf } from '../context.ts';
import type { AuditQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { listTime } from '../parts/figures.ts';
import { chips, NO_PAGE, pageOf, pager, pageVariables } from '../parts/lists.ts';
import { actionText, objectWord } from '../words/actions.ts';
import { translateName } from '../words.ts';

type Entry = AuditQuery['auditLog']['nodes'][number];
const FILTERS = ['act', 'actorId', 'objectId'] as const;

/** The screen. */
export const AUDIT = screenOf<AuditQuery>({
  path: '/audit',
  operation: operationNamed('Audit'),
  scope: 'admin',
  variables: (context) => {
    const { query } = context;
    const action = query.get('act');
    return {
      ...(action && { acts: [action] }),
      ...(query.get('actorId') && { actorId: query.get('actorId') }),
      ...(query.get('objectId') && { objectId: query.get('objectId') }),
      ...pageVariables(context),
    };
  },
  view: ({ auditLog: { nodes, pageInfo, totalCount } }, context) => {
    const { translate, query } = context;
    const labels = { act: translate('act'), actorId: translate('who'), objectId: translate('object') };
    const active = FILTERS.flatMap((name) => {
      const value = query.get(name);
      return value
        ? [{ name, label: labels[name], value: name === 'act' ? actionText(value, context.language) : value }]
        : [];
    });
    const caption = translate('audit');
    const rowAttributes = ({ seq }: Entry) => ({ 'data-row': seq });
    const shown = table({
      caption,
      isCaptionUnseen: true,
      rows: nodes,
      columns: columns(context),
      rowAttributes,
    });
    const list =
      nodes.length > 0
        ? scrolled(translate('tableOf', { name: caption }), shown)
        : empty('shield', translate('noActs'));
    const main = html`<div class="top"><h1>${caption}</h1><p class="soft">${translate('auditWhy')}</p></div>
<div class="row" role="group" aria-label="${translate('filters')}">${chips(context, active)}</div>
<div class="card phone-full">${pageOf(context, nodes.length, totalCount, list)}</div>
<div class="row">${pager(context, pageInfo, nodes.length, totalCount)}</div>`;
    return { title: caption, main };
  },
});

function columns(context: ScreenContext): readonly Column<Entry>[] {
  const { translate, language } = context;
  const only = (name: string, value: string) => sameWith(context, { ...NO_PAGE, [name]: value });
  const when = ({ at }: Entry) => listTime(at, language, 'second');
  const who = ({ actorKind, actorId, actorName }: Entry) =>
    html`<a href="${only('actorId', actorId)}">${translateName(translate, actorKind, { id: actorName ?? actorId })}</a>`;
  const onWhat = ({ objectKind, objectId, objectName }: Entry) =>
    objectKind === 'transaction'
      ? html`<a class="mono" href="${pathTo(`/transactions/${objectId}`)}">…${objectId.slice(-6)}</a>`
      : html`<a href="${only('objectId', objectId)}">${objectWord(objectKind, language)} ${objectName ?? html`<span class="mono">${objectId}</span>`}</a>`;
  const what = (entry: Entry) =>
    html`<a href="${only('act', entry.act)}">${actionText(entry.act, language)}</a><small class="narrow">${onWhat(entry)}</small><small class="narrow">${when(entry)} · ${who(entry)}</small>`;
  return [
    { name: translate('time'), style: 'wide', cell: when },
    { name: translate('act'), isRowHead: true, style: 'wraps', cell: what },
    { name: translate('who'), style: 'wide', cell: who },
    { name: translate('object'), style: 'wide', cell: onWhat },
    { name: translate('fromWhere'), style: 'wider', cell: ({ address }) => address },
    { name: translate('reference'), style: 'mono soft wider', cell: ({ requestId }) => requestId },
  ];
}
