/** Goal: the console gives every reason of a finding in both languages (C-33). Method: the findings themselves, and the sources that write reasons. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findingReason } from '../../src/console/words/finding-reasons.ts';

const SOURCES = [
  '../../src/resolvers/reconciliation/finding.ts',
  '../../src/resolvers/reconciliation/compare-statement.ts',
  '../../src/rails/chain/statement.ts',
];
/** Texts of a reason, in either quotes; `…` stands for a value. */
const REASON =
  /['`]((?:the ledger has|the rail (?:told|never)|the gateway did not|nobody booked|it (?:was|went)|another amount|\$\{[^}]+\} (?:was ordered|are in flight))[^'`]*)['`]/g;

const PUBLISHED = SOURCES.flatMap((path) => {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  return [...text.matchAll(REASON)].map(([, reason = '']) => reason.replace(/\$\{[^}]+\}/g, 'X'));
});

test('every reason is shown in the language of the reader', () => {
  expect(PUBLISHED.length).toBeGreaterThanOrEqual(18);
  for (const reason of PUBLISHED)
    for (const language of ['en', 'pt'] as const)
      expect(findingReason(reason, language), reason).toEqual(expect.stringMatching(/^[^{}]+$/));
  expect(findingReason('the ledger has it by L1', 'pt')).toBe('Registrado pelo lançamento L1');
  expect(findingReason('the rail never told it; it went to A, and was ordered to B', 'pt')).toBe(
    'O provedor nunca o informou; Foi para A, mas a ordem era para B',
  );
  expect(findingReason('a text of another version', 'pt')).toBeUndefined();
});
