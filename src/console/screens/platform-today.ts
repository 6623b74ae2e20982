/** Home of the operator: volume and margin, waiting work of all accounts, float and exposure, rails, the newest accounts. */
import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { html } from '../../ui/html.ts';
import { timeText } from '../../ui/times.ts';
import { may, pathTo, screenOf } from '../context.ts';
import type { PlatformTodayQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { holderTable } from '../parts/holder-table.ts';
import { floatList, houseVolume } from '../parts/house-figures.ts';
import { count, section } from '../parts/lists.ts';
import { positionList } from '../parts/positions.ts';
import { railTable } from '../parts/rail-health.ts';
import { type Task, taskList } from '../parts/tasks.ts';

/** The screen. */
export const PLATFORM_TODAY = screenOf<PlatformTodayQuery>({
  path: '',
  operation: operationNamed('PlatformToday'),
  scope: PLATFORM_SCOPES,
  variables: (context) => ({
    hasBooks: may(context, 'platform:books'),
    hasRailEvents: may(context, ['platform:risk', 'platform:rails']),
  }),
  view: (data, context) => {
    const { translate, language } = context;
    const { nodes, totalCount } = data.accounts;
    const link = (path: string, word: string) => html`<a class="go" href="${pathTo(path)}">${word}</a>`;
    const main = html`<div class="top"><h1>${translate('today')}</h1><p class="soft">${translate('inBrasilia', { time: timeText(Date.parse(data.viewer.account.now), language, 'full') })}</p></div>
<div class="two even">${data.houseDays !== undefined && section('volume', translate('volume'), houseVolume(context, data.houseDays))}${section('needs', translate('needsSomebody'), taskList(context, waiting(data)), link('/review', translate('reviewQueue')))}</div>
${data.treasury && floatList(context, data.treasury)}${data.positions && positionList(context, data.positions)}
${section('health', translate('railHealth'), railTable(context, data.railHealth), may(context, ['platform:risk', 'platform:rails']) && link('/rails', translate('rails')))}
${section('holders', translate('newestHolders'), holderTable(context, nodes), link('/accounts', `${translate('allHolders')} (${count(totalCount, language)})`))}`;
    return { title: translate('today'), main };
  },
});

/** Waiting work, with its links. */
function waiting(data: PlatformTodayQuery): readonly Task[] {
  const operator = pathTo('/operator');
  const messagesPath = (state: string) => pathTo('/rails', { state });
  return [
    ...data.reviewCounts.map(
      ({ kind, count: number }): Task => ({
        word: `review_${kind}`,
        count: number,
        href: pathTo('/review', { kind }),
      }),
    ),
    { word: 'att_receivables', count: data.receivables?.totalCount, href: `${operator}#receivables` },
    { word: 'att_failedRailEvents', count: data.failedRailEvents?.totalCount, href: messagesPath('FAILED') },
    {
      word: 'att_pendingRailEvents',
      count: data.pendingRailEvents?.totalCount,
      href: messagesPath('PENDING'),
    },
    {
      word: 'att_reportedRailEvents',
      count: data.reportedRailEvents?.totalCount,
      href: messagesPath('REPORTED'),
    },
  ];
}
