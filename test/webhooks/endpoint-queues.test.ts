/**
 * Goal: what was leased ahead is sent when its endpoint has room, in order, and not sent once an attempt fails or a second is over (C-62).
 * Method: queues without a dispatcher, on a clock that the test sets.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LeasedDelivery } from '../../src/store/webhooks/deliveries.ts';
import { type Admitted, EndpointQueues } from '../../src/webhooks/endpoint-queues.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const ENDPOINT = { accountId: 1n, endpointId: 'e' };
const delivery = (id: number, facts: Partial<LeasedDelivery> = {}) =>
  ({ ...ENDPOINT, id: BigInt(id), most: 2, isByHand: false, ...facts }) as LeasedDelivery;

/** Queues in which deliveries 1 to 5 entered at this moment, and what is said of each: for how long it waited, or that it is not sent. */
async function withFive() {
  const queues = new EndpointQueues();
  const said: Record<number, number | 'not sent'> = {};
  const admitted: Admitted[] = [];
  const enter = async (id: number, facts?: Partial<LeasedDelivery>) => {
    const place = await queues.enter(delivery(id, facts));
    said[id] = place?.waitedMs ?? 'not sent';
    if (place) admitted.push(place);
  };
  for (const id of [1, 2, 3, 4, 5]) void enter(id);
  await settle();
  return { queues, said, admitted, enter };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('C-62: as many deliveries as the endpoint allows are sent in parallel, and the next in order after each that ends', async () => {
  const { said, admitted } = await withFive();
  expect(said).toEqual({ 1: 0, 2: 0 });
  vi.advanceTimersByTime(100);
  admitted[1]?.leave(true);
  await settle();
  expect(said).toEqual({ 1: 0, 2: 0, 3: 100 });
});

test('C-62: waiting deliveries go first when the endpoint allows more', async () => {
  const { said, enter } = await withFive();
  void enter(6, { most: 4 });
  await settle();
  expect(said).toEqual({ 1: 0, 2: 0, 3: 0, 4: 0 });
});

test('C-62: deliveries that wait when an attempt fails are not sent', async () => {
  const { said, admitted } = await withFive();
  admitted[0]?.leave(false);
  await settle();
  expect(said).toEqual({ 1: 0, 2: 0, 3: 'not sent', 4: 'not sent', 5: 'not sent' });
});

test('C-62: deliveries that have waited for a second are not sent, even if no request has ended', async () => {
  const { queues, said } = await withFive();
  vi.advanceTimersByTime(999);
  queues.tend();
  await settle();
  expect(said).toEqual({ 1: 0, 2: 0 });
  vi.advanceTimersByTime(1);
  queues.tend();
  await settle();
  expect(said).toEqual({ 1: 0, 2: 0, 3: 'not sent', 4: 'not sent', 5: 'not sent' });
});

test('C-64: redeliveries do not wait', async () => {
  const { said, enter } = await withFive();
  void enter(6, { isByHand: true });
  await settle();
  expect(said[6]).toBe(0);
});

test('C-62: as many deliveries are leased ahead as the endpoint accepted in a second, until one is not sent', async () => {
  const { queues, admitted } = await withFive();
  expect(queues.ahead(ENDPOINT)).toBe(0);
  for (let at = 0; at < 4; at++) {
    admitted[at]?.leave(true);
    await settle();
  }
  expect(queues.ahead(ENDPOINT)).toBe(0);
  queues.tend();
  expect(queues.ahead(ENDPOINT)).toBe(4);
  queues.tend();
  expect(queues.ahead(ENDPOINT), 'a second without any says nothing').toBe(4);
  for (const id of [7, 8, 9]) void queues.enter(delivery(id));
  admitted[4]?.leave(false);
  expect(queues.ahead(ENDPOINT)).toBe(0);
});
