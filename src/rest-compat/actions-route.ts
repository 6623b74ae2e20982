/** `GET /v2/…/{id}/actions`: the actions that the caller can take on a transaction now (GraphQL: `possibleActions`). */
import { trimDecimal } from '../base/money/money.ts';
import { type ExactJson, NumberToken, printExactJson } from '../base/text/exact-json.ts';
import { possibleActions } from '../resolvers/engine/possible-actions.ts';
import { type Context, requireScope } from '../resolvers/services/context.ts';
import { findOwnProcess } from '../resolvers/transactions/read-transaction.ts';
import type { ActionEffect } from '../templates/action-effects.ts';
import type { CallerActionName } from '../templates/caller-actions.ts';
import { type RestFamily, WITHDRAWALS } from './families.ts';
import type { RouteEntry } from './route.ts';
import { requiredMembers } from './transaction-action-routes.ts';

/** Last path segment that performs an action, and the members that its body needs; other actions exist only in GraphQL. */
const PATHS: {
  readonly [Name in CallerActionName]?: readonly [path: string, body?: Readonly<Record<string, string>>];
} = {
  cancel: ['cancel'],
  refund_payment: ['refund'],
  provide_identity: ['identity'],
  confirm_identity: ['confirm_identity'],
  keep_deposit: ['resolve', { action: 'keep' }],
  refund_deposit: ['resolve', { action: 'refund' }],
  requote_deposit: ['resolve', { action: 'requote' }],
  approve_money_out: ['approve'],
  reject_money_out: ['reject'],
};

/** @returns the route of a family. */
export function actionsRoute(family: RestFamily): RouteEntry {
  return {
    path: `/v2/${family.single}/{id}/actions`,
    summary: 'The actions that the key can take on a transaction now, with their effects in figures',
    parameters: [],
    answer: { kind: 'actions', family },
    respond: async (context, id, _query, violations) => {
      violations.refuse();
      return printExactJson({ results: await actionsOf(context, id, family) });
    },
  };
}

async function actionsOf(context: Context, id: string, family: RestFamily): Promise<ExactJson> {
  requireScope(context, 'read');
  const row = await findOwnProcess(context, id, family.family);
  const [actions = []] = row.process === null ? [] : await possibleActions(context, [row]);
  const answers = actions.map(async ({ name, mutation, effects, rules }) => {
    const [path, fixed = {}] = PATHS[name] ?? [];
    const requestedAt = family === WITHDRAWALS ? undefined : rules.requestedAt?.value;
    const body = { ...fixed, ...(requestedAt !== undefined && { requested_at: requestedAt }) };
    const required = path === undefined ? [] : requiredMembers(family, path);
    return {
      action: name,
      path: path === undefined ? null : `/v2/${family.single}/${row.end2end}/${path}`,
      body,
      required: required.filter((member) => !(member in body)),
      mutation,
      effects: (await effects()).map(effectOf),
    };
  });
  return Promise.all(answers);
}

function effectOf({ kind, subAccount, currency, amount }: ActionEffect): ExactJson {
  const figure = amount === null ? null : new NumberToken(trimDecimal(amount));
  return { kind, account_type: subAccount, currency: currency.code, amount: figure };
}
