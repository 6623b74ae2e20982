/**
 * Goal: every template has each attribute of `service.md` and each step and label of states.json, and a new template is
 * one file. Method: the registry beside the published data; then a seventh template, made up here, through every part
 * that works on the registry.
 */
import { readFileSync } from 'node:fs';
import { type GraphQLObjectType, graphql, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { label } from '../../src/base/text/label.ts';
import { openApiDocument } from '../../src/rest-compat/openapi.ts';
import { restRoutes } from '../../src/rest-compat/routes.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { attribute, defineTemplate, LATE_EVENT, step } from '../../src/templates/define.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { registryOf } from '../../src/templates/registry.ts';
import { envelopeWriter } from '../../src/wire/envelope.ts';
import { readTransaction } from '../../src/wire/history.ts';

interface PublishedStep {
  component: string;
  state: string;
  status: object;
  substatus: object;
  message: object;
  error_message: object;
  terminal: string | null;
}
const STATES: Record<string, PublishedStep[]> = JSON.parse(
  readFileSync(new URL('../vectors/states.json', import.meta.url), 'utf8'),
).templates;

/** The attribute tables of `service.md` 2.2 to 2.6, in their order. */
const SESSION = 'expiration return_url external_code webhook';
const PIX_IN = `quote ref_quote fees currency_entry currency_exit_received currency_exit_received_code amount_payment amount_received pix_e2e client_name client_tax_id ${SESSION}`;
const PIX_OUT = `pix_key pix_key_type pix_e2e client_name client_tax_id ${SESSION}`;
const ATTRIBUTES: Record<string, string> = {
  crossramp_checkout: `${PIX_IN} fixed_link`,
  onramp: `${PIX_IN} template`,
  onramp_instant: `${PIX_IN} template wallet tx_hash network_fee`,
  offramp: `quote ref_quote fees currency_exit currency_entry_paid currency_entry_paid_code amount_paid amount_sent ${PIX_OUT}`,
  offramp_instant: `quote ref_quote fees currency_payment currency_received amount_payment amount_received amount_payment_display deposit_address deposit_currency exact_deposit_amount tx_hash ${PIX_OUT}`,
  withdraw_dash_same_curr:
    'amount_discounted amount_received currency_received currency_receive_code address tx_hash explorer_url network_fee group_id notes',
};

describe.each(Object.keys(STATES))('template %s', (name) => {
  const template = REGISTRY.find(name);

  test('has the published attributes, in their order, each documented', () => {
    expect(template?.attributes.map((each) => each.name).join(' ')).toBe(ATTRIBUTES[name]);
    expect(template?.attributes.filter(({ doc }) => !/^[A-Z“].*\.$/.test(doc))).toEqual([]);
  });

  test('C-8: has every step with its labels in both languages, and no other', () => {
    expect(
      template?.steps.map(({ errorMessage, ending, component, state, status, substatus, message }) => ({
        component,
        state,
        status,
        substatus,
        message,
        error_message: errorMessage,
        terminal: ending === 'open' ? null : ending === LATE_EVENT ? 'late' : ending,
      })),
    ).toEqual(
      STATES[name]?.map(({ component, state, status, substatus, message, error_message, terminal }) => ({
        component,
        state,
        status,
        substatus,
        message,
        error_message,
        terminal: terminal?.startsWith('final unless') ? 'late' : terminal,
      })),
    );
  });

  test('C-31: no Success step has an error', () => {
    const wrong = template?.steps.filter(
      ({ status, errorMessage }) => status.en === 'Success' && errorMessage.en !== '',
    );
    expect(wrong).toEqual([]);
  });
});

test('the registry has the six templates', () => {
  expect(REGISTRY.templates.map(({ name }) => name).sort()).toEqual(Object.keys(STATES).sort());
});

describe('a seventh template', () => {
  const boletoOnramp = defineTemplate({
    name: 'boleto_onramp',
    typeName: 'BoletoOnramp',
    product: 'Onramp by Boleto',
    direction: 'Customer pays BRL by boleto; crypto is credited to the account balance',
    family: 'onramps',
    attributes: [
      attribute('quote', 'rate', 'quote', 'Effective rate.'),
      attribute('amount_payment', 'amount', 'sourceAmount', 'BRL paid.'),
      attribute('currency_exit_received', 'currency_name', 'targetCurrency', 'Destination asset.'),
      attribute('barcode', 'text', 'externalCode', 'Digits of the boleto.'),
    ],
    steps: [
      step(
        ['boleto', 'OPEN'],
        'Pending',
        label('Awaiting Boleto', 'Aguardando Boleto'),
        label('Boleto issued', 'Boleto emitido'),
      ),
    ],
    stepUp: 'after_payment',
    crypto: 'balance',
    machine: { transitions: [], entering: {} },
  });
  const registry = registryOf([...REGISTRY.templates, boletoOnramp]);
  const body = {
    end2end: 'CRX7',
    component: 'boleto',
    state: 'OPEN',
    template: 'boleto_onramp',
    created_at: '2026-05-01T12:00:00Z',
    updated_at: '2026-05-01T12:00:00Z',
    status: { en: 'Pending', pt: 'Pendente' },
    substatus: { en: 'Awaiting Boleto', pt: 'Aguardando Boleto' },
    message: { en: 'Boleto issued', pt: 'Boleto emitido' },
    error_message: { en: '', pt: '' },
    attributes: { quote: null, amount_payment: null, currency_exit_received: 'USDT (TRX)', barcode: '0019' },
  };
  const row = { ...readTransaction(registry, body), accountId: 1n, id: 1n };

  test('is read and written in the published form', () => {
    expect(JSON.parse(envelopeWriter(registry, { exactIntegers: false }).envelope(row))).toEqual(body);
  });

  test('has its type, fields and descriptions in GraphQL', async () => {
    const schema = buildSchema(registry);
    const type = schema.getType('BoletoOnramp');
    expect(isObjectType(type)).toBe(true);
    const { barcode } = (type as GraphQLObjectType).getFields();
    expect([String(barcode?.type), barcode?.description]).toEqual(['String', 'Digits of the boleto.']);
    const { data } = await graphql({
      schema,
      source: '{ __type(name: "Transaction") { possibleTypes { name } } }',
      contextValue: {},
    });
    expect(JSON.stringify(data)).toContain('BoletoOnramp');
  });

  test('is served by its family in REST and OpenAPI', () => {
    const policy = { limitOverflow: 'clamp', strictQuery: false, exactIntegers: false } as const;
    const document = openApiDocument(registry, restRoutes(registry, policy), 'http://localhost');
    expect(JSON.stringify((document.paths as Record<string, unknown>)['/v2/onramp/{id}'])).toContain(
      '#/components/schemas/BoletoOnramp',
    );
  });

  test('a template that names an attribute or a step twice is refused', () => {
    const twice = { ...boletoOnramp, attributes: [...boletoOnramp.attributes, ...boletoOnramp.attributes] };
    expect(() => defineTemplate(twice)).toThrow(/attribute quote twice/);
    expect(() =>
      defineTemplate({ ...boletoOnramp, steps: [...boletoOnramp.steps, ...boletoOnramp.steps] }),
    ).toThrow(/boleto\/OPEN twice/);
  });
});
