/**
 * Goal: creations that wait for the workers of other processes look for them together, however many there are (C-52). Method: a process that
 * serves and has no worker anywhere; what it sends to PostgreSQL is counted.
 */
import { expect, test } from 'vitest';
import { useApp } from '../../support/app.ts';
import { beginCount, counted } from '../../support/count-statements.ts';
import { cpfOf } from '../../support/load.ts';

const CALLERS = 24;
/** A creation waits for five seconds and looks five times in each. Each for itself would make 600 looks. */
const POLLS_MAX = 4 * 25;

const app = useApp({ role: 'serve', rateLimit: null });

test('one poll serves all waiting callers', async () => {
  beginCount();
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) =>
      app.post('/v2/onramp', {
        amount_payment: 100,
        currency_exit_received_code: 'USDT_TRX',
        client_name: 'Ana Souza',
        client_tax_id: cpfOf(n + 1),
      }),
    ),
  );
  const { byName } = counted();
  for (const { status, json } of answers) expect([status, json.code]).toEqual([503, 'UNAVAILABLE']);
  const looks = byName.get('job_pending_of') ?? 0;
  expect(looks).toBeGreaterThan(0);
  expect(looks).toBeLessThanOrEqual(POLLS_MAX);
}, 60_000);
