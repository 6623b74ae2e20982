/**
 * Decisions of the sandbox: identity, screening, conversion. The answer to an order is kept under its key, so that who
 * asks again, after a worker died, hears the same.
 */
import { assert } from '../../base/errors/assert.ts';
import { parseTaxId } from '../../base/pix/tax-id.ts';
import type { IdentityCheck, Liquidity, Order, Screening } from '../../resolvers/services/rails.ts';
import type { RailParts } from './orders.ts';
import type { PlanName } from './plans.ts';

/** @returns the check: a right CPF or CNPJ passes. */
export function sandboxIdentity(parts: RailParts): IdentityCheck {
  return {
    check: (order) =>
      decideOnce(parts, order, {
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

/** @returns the screening: it finds nothing by itself, and plans a closer look only at payments. */
export function sandboxScreening(parts: RailParts): Screening {
  return {
    screen: (order) =>
      decideOnce(parts, order, {
        kind: 'screening',
        planned:
          order.row.process?.paid === undefined
            ? { hold: 'held' }
            : { hold: 'held', 'step-up-require': 'step_up' },
        usual: 'cleared',
      }),
  };
}

/** @returns the conversion: it settles immediately. */
export function sandboxLiquidity(parts: RailParts): Liquidity {
  return {
    convert: (order) =>
      decideOnce(parts, order, {
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

async function decideOnce<Answer extends string>(
  { submit }: RailParts,
  { key, row }: Order,
  { kind, planned, usual }: Decision<Answer>,
): Promise<Answer> {
  const { accountId, id: transactionId } = row;
  const order = { accountId, transactionId, key, kind, request: {}, usual: { answer: usual } };
  const answers = Object.entries(planned).map(([plan, answer]) => [plan, { answer: answer as string }]);
  const { answer } = await submit({ ...order, planned: Object.fromEntries(answers) });
  assert(answer, 'a requested decision was answered');
  return answer as Answer;
}
