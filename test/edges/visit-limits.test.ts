/**
 * Goal: visits of static links are limited by address and link, so that nobody can take a link from others, and what is no link
 * costs nothing (C-20). Method: visitors from several addresses of this machine.
 */
import { request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { findOpenLink } from '../../src/resolvers/payer/open-static-link.ts';
import { useApp } from '../support/app.ts';
import { eventually } from '../support/receiver.ts';

const app = useApp({ rateLimit: readConfig({}).rateLimit });
/** More than come at once from one visitor. */
const MANY = 60;
/** Fewer than a visitor may come at once, and more than a visitor who was slowed down a moment ago may. */
const PARALLEL_MAX = 25;
let slug: string;

beforeAll(async () => {
  const make =
    'mutation { createStaticLink(input: { name: "Shop", currency: "USDT_TRX" }) { staticLink { slug } errors { code message path } } }';
  slug = (await app.graphql(make)).json.data.createStaticLink.staticLink.slug;
});

/** @returns the status of a visit from an address of this machine. */
const visit = (path: string, localAddress: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${app.baseUrl}/pay/l/${path}`, { localAddress }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
/** Visits until one is slowed down: on a slow machine some more are allowed meanwhile. @returns the statuses that came. */
async function visitsUntilSlowed(pathOf: (n: number) => string, localAddress: string) {
  const statuses = new Set<number | undefined>();
  await eventually('a visitor who is slowed down', async () => {
    for (const each of await Promise.all(
      Array.from({ length: MANY }, (_, n) => visit(pathOf(n), localAddress)),
    ))
      statuses.add(each);
    return statuses.has(429);
  });
  return statuses;
}

test('C-20, C-53: too many visits of a link slow down only their visitor', async () => {
  expect(await visitsUntilSlowed(() => slug, '127.0.0.2')).toEqual(new Set([303, 429]));
  expect(await visit(slug, '127.0.0.3')).toBe(303);
});

test('C-20, C-53: requests for missing links are slowed down; existing ones still open', async () => {
  const unknown = (n: number) => `unknown${String(n).padStart(9, '0')}`;
  expect(await visitsUntilSlowed(unknown, '127.0.0.4')).toEqual(new Set([404, 429]));
  expect(await visit(slug, '127.0.0.4')).toBe(303);
});

test('C-20, C-53: a request for a missing link uses up no visit', async () => {
  const later = 'later00000000000';
  expect(await visitsUntilSlowed(() => later, '127.0.0.6')).toEqual(new Set([404, 429]));
  await app.owner.query('update static_link set slug = $2 where slug = $1', [slug, later]);
  const statuses = await Promise.all(Array.from({ length: PARALLEL_MAX }, () => visit(later, '127.0.0.6')));
  await app.owner.query('update static_link set slug = $1 where slug = $2', [slug, later]);
  expect(new Set(statuses)).toEqual(new Set([303]));
});

test.each([
  'x',
  'x'.repeat(17),
  'x'.repeat(7_000),
  '%00'.repeat(16),
])('C-20: what cannot be a link is not looked up: %#', async (path) => {
  const blind = {
    ...app.services,
    database: { ...app.database, query: () => Promise.reject(new Error('asked')) },
  };
  expect(await findOpenLink(blind, path)).toBeUndefined();
  expect(await visit(path, '127.0.0.5')).toBe(404);
});
