/**
 * Decisions of the sandbox: identity, screening, conversion. The answer to an order is stored under its key, so that a
 * repeated order, such as after a crash of a worker, gets the same answer.
 */
import { assert } from '../../base/errors/assert.ts';
import { parseTaxId } from '../../base/pix/tax-id.ts';
import type { IdentityCheck, Liquidity, Order, Screening } from '../../resolvers/services/rails.ts';
import type { RailParts } from './orders.ts';
import type { PlanName } from './plans.ts';

/** @returns the identity check; a valid CPF or CNPJ passes. */
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

/** @returns the screening, which finds nothing unless planned. Plans affect only the screening of payments. */
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

/** @returns the conversion, which settles immediately. */
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
  /** Planned answers, by priority. */
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
