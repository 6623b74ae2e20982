/** Goal: the AsyncAPI document says what is sent. Method: its names and bodies beside the templates and the OpenAPI document. */
import { expect, test } from 'vitest';
import { NOTIFICATION_NAMES } from '../../src/events/notification-names.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { isRuled } from '../../src/templates/out-kinds.ts';
import { useApp } from '../support/app.ts';

const app = useApp();

test('C-61: it names every event of every template, and bodies that the OpenAPI document has', async () => {
  const { json } = await app.get('/v2/asyncapi.json', { key: null });
  const { json: openApi } = await app.get('/v2/openapi.json', { key: null });
  expect(json.asyncapi).toBe('3.0.0');
  const names = Object.values<{ 'x-event-names': string[] }>(json.components.messages).flatMap(
    (message) => message['x-event-names'],
  );
  const published = REGISTRY.templates.flatMap(({ name, steps, machine }) => {
    const beside = machine.transitions.flatMap(({ event }) => event ?? []);
    const isRuledOut = machine.transitions.some(({ moneyOut }) => isRuled(moneyOut));
    const held = isRuledOut ? ['money_out.held'] : [];
    const places = [
      ...steps.map(({ component, state }) => `${component}.${state}`),
      ...new Set(beside),
      ...held,
    ];
    return places.map((place) => `${name}.${place}`.toLowerCase());
  });
  expect(names.toSorted()).toEqual([...published, ...NOTIFICATION_NAMES].toSorted());
  for (const [typeName, { payload }] of Object.entries<{ payload: { $ref: string } }>(
    json.components.messages,
  )) {
    expect(payload.$ref).toBe(`#/components/schemas/${typeName}`);
    expect(json.components.schemas[typeName]).toEqual(openApi.components.schemas[typeName]);
  }
  const references = [...JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, target = '']) => target,
  );
  for (const target of references)
    expect([
      target,
      target
        .slice(2)
        .split('/')
        .reduce((at, name) => at?.[name], json),
    ]).toEqual([expect.stringMatching(/^#\//), expect.any(Object)]);
  const types = REGISTRY.templates.map((each) => each.typeName);
  expect(Object.keys(json.channels.events.messages).sort()).toEqual(types.toSorted());
  // Notifications have no place in the log.
  expect(Object.keys(json.channels.webhook.messages).sort()).toEqual([...types, 'Notification'].sort());
});
