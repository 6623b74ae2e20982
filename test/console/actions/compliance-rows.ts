/** Acts on identity checks and on hits of screening, each on the screen of its case. */
import { expect } from 'vitest';
import { openCase } from '../../../src/resolvers/cases/store-case.ts';
import { raiseHits } from '../../../src/store/rails/screening-hits.ts';
import type { ActRow } from './row.ts';
import { customer, type Stage } from './stage.ts';

/** @returns the id of a case that no provider checks. */
async function openedCase({ app }: Stage): Promise<string> {
  const { clientTaxId: taxId, clientName: name } = customer();
  const key = { accountId: app.accountId, taxId, level: 'VERIFIED' } as const;
  const facts = { name, provider: null, nowMs: Date.now() };
  const { id } = await app.database.withTx((tx) => openCase(tx, key, facts));
  return String(id);
}

/** @returns the id of a hit outside of transactions. */
async function raisedHit({ app }: Stage, mark: string): Promise<string> {
  const { clientTaxId: taxId, clientName: subjectName } = customer();
  const hit = {
    ...{ role: 'customer', subject: `tax_id:${taxId}`, subjectName, taxId, address: null, list: 'un' },
    ...{ entry: mark, entryName: 'Maria Sousa', score: '0.9', strength: 'review', version: '1' },
    answer: 'held',
  } as const;
  const place = { mode: 'sandbox', accountId: app.accountId, transactionId: null } as const;
  await app.database.withTx((tx) => raiseHits(tx, place, [hit], new Date()));
  const { rows } = await app.owner.query('select id::text from screening_hit where entry = $1', [mark]);
  return rows[0].id;
}

const pathOf = (stage: Stage, kind: string, id: string) =>
  `/console/review/case?id=${encodeURIComponent(`${kind}:${stage.shop()}:${id}`)}`;

function caseRow(action: string, state: string): ActRow {
  return {
    act: action,
    who: 'platform',
    begin: async (stage) => {
      const id = await openedCase(stage);
      if (action === 'UnfreezeCase')
        await stage.askAsOperator(
          `mutation { freezeCase(input: { caseId: "${id}", reason: "court order" }) { errors { code message } } }`,
        );
      return {
        path: pathOf(stage, 'CUSTOMER_CASE', id),
        given: { id },
        typed: { reason: 'case 4720' },
        object: id,
        check: async () => {
          const { customerCase } = await stage.askAsOperator(
            `{ customerCase(caseId: "${id}") { state attempts } }`,
          );
          expect(customerCase).toEqual({ state, attempts: action === 'RetryCase' ? 2 : 1 });
        },
      };
    },
  };
}

const freezeRow: ActRow = {
  act: 'FreezeCustomer',
  who: 'platform',
  begin: async (stage) => {
    const { clientTaxId: taxId } = customer();
    const account = stage.shop();
    return {
      path: `/console/accounts/${account}`,
      given: { account, by: 'taxId' },
      typed: { taxId, reason: 'case 4722' },
      check: async () => {
        const { customerCases } = await stage.askAsOperator(
          `{ customerCases(account: "${account}", taxId: "${taxId}") { nodes { state } } }`,
        );
        expect(customerCases.nodes).toEqual([{ state: 'FROZEN' }]);
      },
    };
  },
};

function hitRow(action: string, state: string): ActRow {
  return {
    act: action,
    who: 'platform',
    begin: async (stage, { mark }) => {
      const id = await raisedHit(stage, mark);
      return {
        path: pathOf(stage, 'SCREENING_HIT', id),
        given: { id },
        typed: { reason: 'case 4721' },
        object: id,
        check: async () => {
          const { screeningHits } = await stage.askAsOperator(
            '{ screeningHits(first: 100) { nodes { hitId state reason } } }',
          );
          expect(screeningHits.nodes).toContainEqual({ hitId: id, state, reason: 'case 4721' });
        },
      };
    },
  };
}

/** Rows of the table. A customer stays frozen after the first of two people. */
export const COMPLIANCE_ROWS: readonly ActRow[] = [
  caseRow('ApproveCase', 'APPROVED'),
  caseRow('DenyCase', 'DENIED'),
  caseRow('RetryCase', 'OPEN'),
  caseRow('FreezeCase', 'FROZEN'),
  caseRow('UnfreezeCase', 'FROZEN'),
  freezeRow,
  hitRow('DismissScreeningHit', 'DISMISSED'),
  hitRow('ConfirmScreeningHit', 'CONFIRMED'),
];
