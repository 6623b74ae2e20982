/** Accounts: the account holders, newest first. */
import { PLATFORM_SCOPES } from '../../base/api-key.ts';
import { html } from '../../ui/html.ts';
import { screenOf } from '../desk.ts';
import type { AccountsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { holderTable } from '../parts/holder-table.ts';
import { pageOf, pager, pageVariables, section } from '../parts/lists.ts';

/** The screen. */
export const ACCOUNTS = screenOf<AccountsQuery>({
  path: '/accounts',
  operation: operationNamed('Accounts'),
  scope: PLATFORM_SCOPES,
  variables: (desk) => pageVariables(desk),
  view: ({ accounts: { nodes, pageInfo, totalCount } }, desk) => {
    const { say } = desk;
    const main = html`<div class="top"><h1>${say('holders')}</h1></div>
${section('holders', say('allHolders'), pageOf(desk, nodes.length, totalCount, holderTable(desk, nodes)))}
<div class="row">${pager(desk, pageInfo, nodes.length, totalCount)}</div>`;
    return { title: say('holders'), main };
  },
});
