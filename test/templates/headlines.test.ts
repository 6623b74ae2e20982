/** Goal: every step and event has a headline in both languages. Method: the steps of every template. */
import { expect, test } from 'vitest';
import { eventHeadlineOf, HEADLINES, headlineOf } from '../../src/templates/headlines.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { STAY_EVENTS } from '../../src/templates/stay-events.ts';

const STEPS = REGISTRY.templates.flatMap(({ steps }) => steps);

test('every step of every template has a headline of its own, and no headline is of no step', () => {
  const names = STEPS.map(({ component, state }) => `${component.replace(/_v\d+$/, '')}/${state}`);
  expect(Object.keys(HEADLINES).sort()).toEqual([...new Set(names)].sort());
});

test('headlines fit a row, and name no machinery', () => {
  const [step] = STEPS;
  if (!step) throw new Error('there is a step');
  const events = Object.keys(STAY_EVENTS).map((name) => eventHeadlineOf(`onramp.${name}`, step));
  for (const { en, pt } of [...STEPS.map(headlineOf), ...events]) {
    expect([en, en.length <= 28, pt.length <= 28]).toEqual([en, true, true]);
    expect([en, /KYC|divergent|substatus|successfully/i.test(en)]).toEqual([en, false]);
  }
});

test('an offramp collects details of the recipient, any other transaction those of the payer', () => {
  const collecting = REGISTRY.templates.flatMap(({ name, steps }) =>
    steps
      .filter(({ component, state }) => component === 'pre_kyc' && state === 'INFO')
      .map((step) => [name, headlineOf(step).en]),
  );
  expect(Object.fromEntries(collecting)).toEqual({
    crossramp_checkout: 'Waiting for payer details',
    onramp: 'Waiting for payer details',
    onramp_instant: 'Waiting for payer details',
    offramp: 'Needs recipient details',
    offramp_instant: 'Needs recipient details',
  });
});

test('an event beside the steps has its own headline, any other that of its step', () => {
  const step = REGISTRY.stepOf('onramp', 'success', 'DONE');
  expect(eventHeadlineOf('onramp.partial_refund.done', step).en).toBe('Partially refunded');
  expect(eventHeadlineOf('onramp.success.done', step)).toBe(headlineOf(step));
});

test('a step of another version has the same headline; a step of history alone its published label', () => {
  const published = { en: 'Old Words', pt: 'Palavras antigas' };
  const step = { ...REGISTRY.stepOf('onramp', 'of_history', 'DONE'), substatus: published };
  expect(headlineOf(step)).toBe(published);
  expect(headlineOf({ ...step, component: 'depositpix_v3', state: 'QRCODE' })).toBe(
    HEADLINES['depositpix/QRCODE'],
  );
});
