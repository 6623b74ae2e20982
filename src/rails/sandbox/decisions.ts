/**
 * Decisions of the sandbox: identity, screening, conversion. The answer to an order is kept under its key, so that who
 * asks again, after a worker died, hears the same.
 */
import { assert } from '../../base/assert.ts';
import { parseTaxId } from '../../base/tax-id.ts';
import type { IdentityCheck, Liquidity, Order, Screening } from '../../resolvers/services/rails.ts';
import { keepAnswer, placeOrder, readAnswer, takePlan } from '../../store/account/sandbox.ts';
import type { Database } from '../../store/database.ts';
import type { PlanName } from './plans.ts';

/** @returns the check: a right CPF or CNPJ passes. */
export function sandboxIdentity(database: Database): IdentityCheck {
  return {
    check: (order) =>
      decideOnce(database, order, {
        kind: 'identity',
        planned: {
          'step-up-require': 'step_up',
          'identity-review': 'review',
          'identity-irregular': 'irregular',
        },
        usual: parseTaxId(order.row.clientTaxId ?? '') ? 'passed' : 'irregular',
      }),
  };
}

/** @returns the screening: it finds nothing by itself, and asks for a closer look only at payments. */
export function sandboxScreening(database: Database): Screening {
  return {
    screen: (order) =>
      decideOnce(database, order, {
        kind: 'screening',
        planned:
          order.row.process?.paid === undefined
            ? { hold: 'held' }
            : { hold: 'held', 'step-up-require': 'step_up' },
        usual: 'cleared',
      }),
  };
}

/** @returns the conversion: it settles at once. */
export function sandboxLiquidity(database: Database): Liquidity {
  return {
    convert: (order) =>
      decideOnce(database, order, {
        kind: 'conversion',
        planned: { 'swap-fail': 'failed' },
        usual: 'settled',
      }),
  };
}

interface Decision<Answer extends string> {
  readonly kind: string;
  /** Answers that were planned, the first of them first. */
  readonly planned: { readonly [Name in PlanName]?: Answer };
  readonly usual: Answer;
}

function decideOnce<Answer extends string>(
  database: Database,
  { key, row }: Order,
  { kind, planned, usual }: Decision<Answer>,
): Promise<Answer> {
  return database.withTx(async (tx) => {
    const order = { accountId: row.accountId, transactionId: row.id, key, kind, request: {} };
    if (!(await placeOrder(tx, order))) {
      const given = await readAnswer(tx, row.accountId, key);
      assert(given, 'a decision that was asked for was answered');
      return given as Answer;
    }
    const plan = await takePlan(tx, row.accountId, row.id, Object.keys(planned));
    const answer = planned[plan as PlanName] ?? usual;
    await keepAnswer(tx, row.accountId, key, answer);
    return answer;
  });
}
