/** Pausing and resuming what is sent on a network or by PIX. */
import { NETWORKS } from '../../base/money/currency.ts';
import { type Html, html } from '../../ui/html.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { RailsQuery } from '../generated/graphql.ts';
import { ago } from './figures.ts';
import { addForm, disclosedForm, field, reasonField } from './form.ts';
import { section, unseen } from './lists.ts';

/** Name of payouts and returns by PIX among the networks. */
const PIX = 'PIX';

/** @returns the form that resumes a network; null for a session that may not. */
export function resumeForm(context: ScreenContext, network: string): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: 'ResumeNetwork',
    preset: { network },
    open: translate('resumeNetwork'),
    what: translate('resumeNetworkWhat'),
    button: translate('resumeNetworkYes'),
  });
}

type Paused = RailsQuery['pausedNetworks'][number];

/** @returns the networks with paused sending, each with the form that resumes it; null without one. */
export function pausedTable(context: ScreenContext, rows: readonly Paused[]): Html | null {
  const { translate, language } = context;
  if (rows.length === 0) return null;
  const columns: readonly Column<Paused>[] = [
    { name: translate('network'), isRowHead: true, cell: ({ network }) => network },
    { name: translate('pausedSince'), cell: ({ pausedAt }) => pausedAt && ago(pausedAt, language) },
    { name: translate('who'), cell: ({ pausedBy, pausedByName }) => pausedByName ?? pausedBy },
    { name: translate('reason'), cell: ({ reason }) => reason },
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: ({ network }) => resumeForm(context, network),
    },
  ];
  const caption = translate('pausedNetworks');
  const shown = table({ caption, isCaptionUnseen: true, rows, columns });
  return section('paused', caption, scrolled(translate('tableOf', { name: caption }), shown));
}

/** @returns the form that pauses a network; null for a session that may not. */
export function pauseForm(context: ScreenContext): Html | null {
  const { translate } = context;
  const action = 'PauseNetwork';
  const options = [PIX, ...Object.keys(NETWORKS)].map((each) => [each, each] as const);
  return addForm(context, {
    action,
    open: translate('pauseNetwork'),
    button: translate('pauseNetworkYes'),
    kind: 'danger',
    fields: html`<p class="small">${translate('pauseNetworkWhat')}</p>${field(context, action, { name: 'network', label: translate('network'), options })}${reasonField(context, action)}`,
  });
}
