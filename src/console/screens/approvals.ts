/** Approvals: money out that waits for other people, and withdrawals that were decided. */
import { type Html, html } from '../../ui/html.ts';
import { address, badge, empty, idPair, keyValues, pair } from '../../ui/parts.ts';
import { pathTo, type ScreenContext, screenOf } from '../context.ts';
import type { ApprovalsQuery } from '../generated/graphql.ts';
import { operationNamed } from '../operations.ts';
import { ago, inBrl, money } from '../parts/figures.ts';
import { pager, pageVariables, section } from '../parts/lists.ts';
import { approveForm, rejectForm } from '../parts/transaction-actions.ts';
import { transactionTable } from '../parts/transaction-table.ts';

type Approval = ApprovalsQuery['approvals'][number];

/** The screen. */
export const APPROVALS = screenOf<ApprovalsQuery>({
  path: '/approvals',
  operation: operationNamed('Approvals'),
  variables: (context) => pageVariables(context),
  view: ({ approvals, transactions }, context) => {
    const { translate } = context;
    const { nodes, pageInfo, totalCount, totalIsExact } = transactions;
    const list = html`<div data-live="rows">${transactionTable(context, nodes, translate('WITHDRAWALS'))}</div>`;
    const main = html`<div class="top"><h1>${translate('approvals')}</h1><p class="soft">${translate('approvalsRule')}</p></div>
<div class="stack" data-live="waiting">${approvals.length > 0 ? approvals.map((each) => approval(context, each)) : html`<div class="card phone-full">${empty('approve', translate('noApprovals'), translate('noApprovalsHow'))}</div>`}</div>
${nodes.length > 0 && section('withdrawals', translate('WITHDRAWALS'), list, null, 'rows')}
<div class="row">${pager(context, pageInfo, nodes.length, totalIsExact ? totalCount : null)}</div>`;
    return { title: translate('approvals'), main };
  },
});

function approval(
  context: ScreenContext,
  {
    transaction,
    kind,
    reason,
    brl,
    destination,
    approvalsNeeded,
    mayApprove,
    whyNot,
    requestedBy,
    requestedByName,
    requestedAt,
  }: Approval,
): Html {
  const { translate, language } = context;
  const { end2end, target, createdAt } = transaction;
  const own = transaction.__typename === 'Withdrawal' ? transaction : null;
  const title = own
    ? translate('withdraw', { amount: target ? money(target, language) : '' })
    : translate(`out_${kind}`, { amount: inBrl(brl, language) });
  const facts = keyValues([
    pair(translate('created'), ago(createdAt, language)),
    pair(translate('askedBy'), requestedByName ?? requestedBy),
    pair(translate('whyWaits'), translate(`waits_${reason}`)),
    pair(translate('approvalsNeeded'), String(approvalsNeeded)),
    pair(
      translate('networkFee'),
      own?.networkFee && target && money({ ...target, amount: own.networkFee }, language),
    ),
    pair(translate('notes'), own?.notes),
    idPair(translate('destination'), destination && address(destination)),
  ]);
  const approve = mayApprove && approveForm(context, { kind, requestedAt }, transaction);
  const state = badge(
    mayApprove ? 'warn' : 'idle',
    translate(mayApprove ? 'waitsForYou' : 'waitsForOther'),
    mayApprove ? 'approve' : 'clock',
    true,
  );
  return html`<article class="card phone-full" aria-labelledby="a-${end2end}"><header><h2 id="a-${end2end}"><a href="${pathTo(`/transactions/${end2end}`)}">${title}</a></h2>${state}</header><div class="in">${facts}${whyNot && html`<p>${translate(whyNot)}</p>`}</div><footer class="in row line">${approve}${rejectForm(context, kind, end2end)}</footer></article>`;
}
