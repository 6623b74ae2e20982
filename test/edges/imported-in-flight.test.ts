/** C-70: imported transactions are history, also those in flight: every act on them is refused and says why. */
import { expect, it } from 'vitest';
import { useApp } from '../support/app.ts';
import { WRITES } from '../support/rest-routes.ts';
import { HISTORY } from '../support/sandbox.ts';

const app = useApp();
const SINGLE: Readonly<Record<string, string>> = {
  crossramp_checkout: 'crossramp_checkout',
  onramp: 'onramp',
  onramp_instant: 'onramp',
  offramp: 'offramp',
  offramp_instant: 'offramp',
  withdraw_dash_same_curr: 'withdrawal',
};
const RECORDS = HISTORY.trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .filter(({ type }) => type === 'transaction');

it.each(
  RECORDS.map(({ end2end, template, state }) => [template, state, end2end]),
)('%s at %s', async (template, _state, end2end) => {
  const routes = WRITES.filter(({ route }) => route.startsWith(`/v2/${SINGLE[template]}/{id}/`));
  expect(routes).not.toEqual([]);
  const scenarios = ['pay', 'deposit', 'expire', 'release', 'pix-out-reject', 'dispute-open'].map(
    (scenario) => ({
      route: '/v2/sandbox/trigger',
      body: { scenario, end2end },
    }),
  );
  for (const { route, body } of [...routes, ...scenarios]) {
    const { status, json } = await app.post(route.replace('{id}', end2end), body);
    expect({ route, status, code: json.code, detail: json.detail }).toEqual({
      route,
      status: 409,
      code: 'STEP_CONFLICT',
      detail: expect.stringMatching(/was imported as history, so it stays at step .* and accepts no action/),
    });
  }
});
