/** Words of `doctor` and the console on a late replica: its two causes have different remedies. */
import { expect, test } from 'vitest';
import { replicaState } from '../../../src/resolvers/rails/operation-checks.ts';

const MB = 1_000_000n;

test.each([
  ['follows', { lag: 0, behind: 0n, unapplied: 0n }, true, 'b is 0 s late'],
  ['has never been late', { lag: null, behind: null, unapplied: null }, true, 'b is 0 s late'],
  [
    'is paused',
    { lag: 43, behind: 12n * MB, unapplied: 12n * MB },
    false,
    'b is 43 s late: it has the changes and does not apply them',
  ],
  [
    'has a slow network',
    { lag: 43, behind: 12n * MB, unapplied: MB },
    false,
    'b is 43 s late: the changes do not reach it',
  ],
])('a replica that %s is described', (_title, figures, ok, detail) => {
  expect(replicaState({ replica: 'b', ...figures })).toEqual({ ok, detail });
});
