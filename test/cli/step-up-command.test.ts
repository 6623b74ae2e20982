/**
 * Goal: an operator decides step-ups on the command line, with a reason (C-22, C-40). Method: the command, next to a
 * running gateway.
 */
import { expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const { until } = graphqlClient(app, () => app.apiKey);
const stepUp = (...args: string[]) => command({ DATABASE_URL: app.url }, 'step-up', ...args, '--json');

/** @returns the id of an onramp whose customer waits for extra verification. */
async function waiting(): Promise<string> {
  const { json } = await app.post('/v2/onramp', {
    amount_payment: 60,
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana Souza',
    client_tax_id: '52998224725',
    external_code: 'sandbox:step-up-require',
  });
  await until(json.end2end, 'valida_id/PENDING');
  return json.end2end;
}

async function audited(end2end: string) {
  const { rows } = await app.owner.query<{ act: string; reason: string }>(
    `select act, after ->> 'reason' as reason from audit_entry where object_id = $1 and act like 'step_up.%' order by seq`,
    [end2end],
  );
  return rows;
}

test.each([
  ['approve', 'depositpix/QRCODE', 'cancelTransaction'],
  ['deny', 'valida_id/DENIED', 'nothing'],
])(
  'C-40: `step-up %s` decides once, with a reason, and the gateway continues',
  async (name, step, possible) => {
    const end2end = await waiting();
    const listed = async () => JSON.parse((await stepUp('list')).stdout);
    expect(await listed()).toMatchObject([{ end2end, step: 'valida_id/PENDING' }]);
    const bare = await stepUp(name, end2end);
    expect([bare.code, bare.stdout, bare.stderr]).toEqual([2, '', expect.stringContaining('--reason')]);
    const done = await stepUp(name, end2end, '--reason', 'case 4715');
    expect([done.code, done.stderr]).toEqual([0, '']);
    expect(JSON.parse(done.stdout)).toMatchObject({ end2end, template: 'onramp' });
    await until(end2end, step);
    const decision = { act: `step_up.${name}`, reason: 'case 4715' };
    expect([await audited(end2end), await listed()]).toEqual([[decision], []]);
    const again = await stepUp(name, end2end, '--reason', 'case 4716');
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining(
        `the transaction is at step ${step}, which does not allow this; possible now: ${possible}\n`,
      ),
    ]);
    expect(await audited(end2end)).toEqual([decision]);
  },
  60_000,
);
