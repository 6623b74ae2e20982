/** Acts of a treasurer and of people who watch the networks: capital, and sending that is paused and resumed. */
import { expect } from 'vitest';
import type { ActRow } from './row.ts';
import type { Stage } from './stage.ts';

const BOOKS = '/console/books';
const RAILS = '/console/rails';

const pause = ({ askAsOperator }: Stage, network: string) =>
  askAsOperator(
    `mutation { pauseNetwork(input: { network: "${network}", reason: "node is behind" }) { errors { code message } } }`,
  );
const resume = ({ askAsOperator }: Stage, network: string) =>
  askAsOperator(`mutation { resumeNetwork(input: { network: "${network}" }) { errors { code message } } }`);

/** @returns the networks that are paused, as the review queue has them. */
async function paused({ askAsOperator }: Stage): Promise<readonly string[]> {
  const { reviewQueue } = await askAsOperator(
    '{ reviewQueue(kinds: [PAUSED_NETWORK], first: 50) { nodes { reference } } }',
  );
  return reviewQueue.nodes.map(({ reference }: { readonly reference: string }) => reference);
}

/** Rows of the table. */
export const TREASURY_ROWS: readonly ActRow[] = [
  {
    act: 'BookCapital',
    who: 'platform',
    begin: async (stage, { way }) => {
      const amount = way === 'with script' ? '4711.21' : '4711.22';
      return {
        path: BOOKS,
        typed: { direction: 'IN', currency: 'TRX', amount },
        seen: '4,711.2',
        check: async () => {
          const { manualJournals } = await stage.askAsOperator(
            '{ manualJournals(state: PROPOSED) { amount currency debit credit } }',
          );
          expect(manualJournals).toContainEqual({
            ...{ amount, currency: 'TRX_TRX', debit: 'A.custody', credit: 'E.capital' },
          });
        },
      };
    },
  },
  {
    act: 'PauseNetwork',
    who: 'platform',
    begin: async (stage) => ({
      path: RAILS,
      typed: { network: 'BASE', reason: 'node is behind' },
      object: 'BASE',
      check: async () => {
        expect(await paused(stage)).toContain('BASE');
        await resume(stage, 'BASE');
      },
    }),
  },
  {
    act: 'ResumeNetwork',
    who: 'platform',
    begin: async (stage) => {
      await pause(stage, 'BSC');
      return {
        path: `/console/review/case?id=${encodeURIComponent('PAUSED_NETWORK:0:BSC')}`,
        given: { network: 'BSC' },
        object: 'BSC',
        check: async () => expect(await paused(stage)).not.toContain('BSC'),
      };
    },
  },
];
