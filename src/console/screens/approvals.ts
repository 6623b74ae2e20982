/** Approvals: withdrawals that wait for a second person, and those that were decided. */
import { type Html, html } from '../../ui/html.ts';
import { address, badge, empty, idPair, keyValues, pair } from '../../ui/parts.ts';
import { type Desk, pathTo, screenOf } from '../desk.ts';
import type { ApprovalsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { moment, money } from '../parts/figures.ts';
import { actForm } from '../parts/form.ts';
import { pager, pageVariables, section } from '../parts/lists.ts';
import { rejectForm } from '../parts/transaction-acts.ts';
import { transactionTable } from '../parts/transaction-table.ts';

type Row = ApprovalsQuery['transactions']['nodes'][number];

/** The screen. */
export const APPROVALS = screenOf<ApprovalsQuery>({
  path: '/approvals',
  operation: operationNamed('Approvals'),
  variables: (desk) => pageVariables(desk),
  view: ({ transactions: { nodes, pageInfo, totalCount } }, desk) => {
    const { say } = desk;
    const waiting = nodes.filter((row) => row.component.startsWith('approval') && row.state === 'PENDING');
    const others = nodes.filter((row) => !waiting.includes(row));
    const main = html`<div class="top"><h1>${say('approvals')}</h1><p class="soft">${say('approvalsRule')}</p></div>
<div class="stack" data-live="waiting">${waiting.length > 0 ? waiting.map((row) => approval(desk, row)) : html`<div class="card phone-full">${empty('approve', say('noApprovals'), say('noApprovalsHow'))}</div>`}</div>
${others.length > 0 && section('decided', say('WITHDRAWALS'), html`<div data-live="rows">${transactionTable(desk, others, say('WITHDRAWALS'))}</div>`, null, 'rows')}
<div class="row">${pager(desk, pageInfo, nodes.length, totalCount)}</div>`;
    return { title: say('approvals'), main };
  },
});

function approval(desk: Desk, row: Row): Html {
  const { say, language } = desk;
  const { end2end, target, createdAt } = row;
  const title = say('withdraw', { amount: target ? money(target, language) : '' });
  const facts = keyValues([
    pair(say('created'), moment(createdAt, language)),
    pair(say('networkFee'), 'networkFee' in row && row.networkFee),
    pair(say('notes'), 'notes' in row && row.notes),
    idPair(say('destination'), 'address' in row && row.address && address(row.address)),
  ]);
  const forms = html`${actForm(desk, { act: 'ApproveWithdrawal', given: { end2end }, button: say('approve'), kind: 'primary' })}${rejectForm(desk, end2end)}`;
  return html`<article class="card phone-full" aria-labelledby="${end2end}"><header><h2 id="${end2end}"><a href="${pathTo(`/transactions/${end2end}`)}">${title}</a></h2>${badge('warn', row.substatus[language], 'approve', true)}</header><div class="in">${facts}</div><footer class="in row line">${forms}</footer></article>`;
}
