/** Goal: a second template of a pair can be created. Method: what templates say of themselves, in a registry with more of them. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/base/errors/errors.ts';
import { chooseTemplate } from '../../src/resolvers/orders/create-transaction.ts';
import { defineTemplate, type Template } from '../../src/templates/define.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { registryOf, type TemplateUse } from '../../src/templates/registry.ts';

const onramp = REGISTRY.of('onramp');
const another = (name: string, traits: Partial<Template> = {}) =>
  defineTemplate({ ...onramp, name, typeName: name, ...traits });
const USE: TemplateUse = { family: 'onramps', crypto: 'balance', currency: 'USDT_TRX' };
const named = (value: string) => ({ name: 'input.template', value });
const registry = registryOf([
  ...REGISTRY.templates,
  another('onramp_boleto'),
  another('onramp_bitcoin', { currencies: ['BTC_BTC'] }),
]);
const chosen = (use: TemplateUse, name?: string) =>
  chooseTemplate(registry, use, name === undefined ? undefined : named(name), 'input.currency').name;

describe('a template is chosen by its own declaration', () => {
  it.each([
    [{ family: 'checkouts', crypto: 'balance' }, 'crossramp_checkout'],
    [{ family: 'onramps', crypto: 'balance' }, 'onramp'],
    [{ family: 'onramps', crypto: 'external' }, 'onramp_instant'],
    [{ family: 'offramps', crypto: 'balance' }, 'offramp'],
    [{ family: 'offramps', crypto: 'external' }, 'offramp_instant'],
    [{ family: 'withdrawals', crypto: 'external' }, 'withdraw_dash_same_curr'],
  ] as const)('%j: %s, whatever else there is', (use, name) => {
    expect(chosen({ ...use, currency: 'USDT_TRX' })).toBe(name);
  });

  it('one for a single currency precedes one for all', () => {
    expect(chosen({ ...USE, currency: 'BTC_BTC' })).toBe('onramp_bitcoin');
  });

  it('a caller can name any that fits', () => {
    expect(chosen(USE, 'onramp_boleto')).toBe('onramp_boleto');
    expect(chosen({ ...USE, currency: 'BTC_BTC' }, 'onramp')).toBe('onramp');
  });

  it.each([
    ['another family', 'offramp'],
    ['another destination', 'onramp_instant'],
    ['another currency', 'onramp_bitcoin'],
    ['nothing', 'no_template'],
  ])('C-13: a template of %s is refused, and those that fit are named', (_what, name) => {
    expect(() => chosen(USE, name)).toThrow(GatewayError);
    expect(() => chosen(USE, name)).toThrow('input.template: must be one of onramp, onramp_boleto');
  });

  it('C-13: a currency that no template accepts is refused by its name', () => {
    const narrow = registryOf([another('onramp_bitcoin', { currencies: ['BTC_BTC'] })]);
    expect(() => chooseTemplate(narrow, USE, undefined, 'currency_code')).toThrow(
      'currency_code: no template takes this currency',
    );
  });
});
