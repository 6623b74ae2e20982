/** Goal: the reason of a refund is true while the money goes back, and afterwards. */
import { expect, test } from 'vitest';
import { REGISTRY } from '../../src/templates/index.ts';
import { reasonOf } from '../../src/templates/messages/find.ts';

test('a deposit of a different amount, or a late one, is not called held once it goes back', () => {
  const template = REGISTRY.of('offramp_instant');
  const errors = template.steps.filter(
    ({ component, state }) =>
      component === 'crypto_deposit' && ['UNDERPAID', 'OVERPAID', 'LATE'].includes(state),
  );
  expect(errors).toHaveLength(3);
  for (const { errorMessage } of errors) {
    const reason = reasonOf(template, errorMessage.en);
    expect([reason?.en, reason?.pt]).toEqual([expect.any(String), expect.any(String)]);
    expect(`${reason?.en} ${reason?.pt}`).not.toMatch(/held|retido/);
  }
});
