/** Goal: a second template of a family and destination is created by naming it; nothing else changes. Method: an application with one more. */

import { expect, it } from 'vitest';
import { defineTemplate } from '../../src/templates/define.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { registryOf } from '../../src/templates/registry.ts';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';

const registry = registryOf([
  ...REGISTRY.templates,
  defineTemplate({ ...REGISTRY.of('onramp'), name: 'onramp_slow', typeName: 'OnrampSlow' }),
]);
const app = useApp({ registry });

async function create(template: string | undefined) {
  const input = {
    amount: { brl: '100' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '52998224725',
    ...(template && { template }),
  };
  const { json } = await app.graphql(
    'mutation ($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end template } errors { code message path } } }',
    { input },
  );
  return json;
}

it('it is created by its name, and read in its family', async () => {
  const made = await create('onramp_slow');
  expect(errorsIn(made)).toBeUndefined();
  const { end2end, template } = made.data.createOnramp.transaction;
  expect(template).toBe('onramp_slow');
  expect((await app.get(`/v2/onramp/${end2end}`)).json.template).toBe('onramp_slow');
});

it('without a name the default one is used', async () => {
  expect((await create(undefined)).data.createOnramp.transaction.template).toBe('onramp');
});

it('C-13: one for another purpose is refused by its path', async () => {
  const made = await create('offramp');
  expect(made.data.createOnramp.transaction).toBeNull();
  expect(errorsIn(made)[0].extensions).toMatchObject({
    code: 'INVALID_PARAMETER',
    violations: [{ parameter: 'input.template' }],
  });
});
