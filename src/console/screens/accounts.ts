/** Accounts: the account holders, newest first. */
import { PLATFORM_SCOPES } from '../../base/access/api-key.ts';
import { html } from '../../ui/html.ts';
import { screenOf } from '../context.ts';
import type { AccountsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { holderTable } from '../parts/holder-table.ts';
import { pageOf, pager, pageVariables, section } from '../parts/lists.ts';

/** The screen. */
export const ACCOUNTS = screenOf<AccountsQuery>({
  path: '/accounts',
  operation: operationNamed('Accounts'),
  scope: PLATFORM_SCOPES,
  variables: (context) => pageVariables(context),
  view: ({ accounts: { nodes, pageInfo, totalCount } }, context) => {
    const { translate } = context;
    const main = html`<div class="top"><h1>${translate('holders')}</h1></div>
${section('holders', translate('allHolders'), pageOf(context, nodes.length, totalCount, holderTable(context, nodes)))}
<div class="row">${pager(context, pageInfo, nodes.length, totalCount)}</div>`;
    return { title: translate('holders'), main };
  },
});
