/** The table of `/v2`: one entry is one operation, a path may have several methods, and no operation is there twice. */
import { expect, it } from 'vitest';
import { openApiDocument } from '../../src/rest-compat/openapi.ts';
import { type Route, routeTable } from '../../src/rest-compat/route.ts';
import { methodsOf, routeFinder } from '../../src/server/rest.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const route = (method: Route['method'], path: Route['path']): Route => ({
  method,
  path,
  scope: 'read',
  summary: `${method} ${path}`,
  parameters: [],
  status: 200,
  answer: { kind: 'balance' },
  handle: () => Promise.reject(new Error('not asked')),
});
const TABLE = routeTable([
  route('GET', '/v2/thing'),
  route('POST', '/v2/thing'),
  route('GET', '/v2/thing/{id}'),
  route('POST', '/v2/thing/{id}/act'),
]);

it('is keyed by method and path', () => {
  expect([...TABLE.keys()]).toEqual([
    ...['GET /v2/thing', 'POST /v2/thing', 'GET /v2/thing/{id}', 'POST /v2/thing/{id}/act'],
  ]);
});

it('refuses an operation that is there twice', () => {
  expect(() => routeTable([route('GET', '/v2/thing'), route('GET', '/v2/thing')])).toThrow('GET /v2/thing');
});

it('C-51: finds the routes of a path with their methods', () => {
  const find = routeFinder(TABLE);
  const taken = (path: string) => {
    const match = find(path);
    return match && [methodsOf(match), match.id];
  };
  expect(taken('/v2/thing')).toEqual([['GET', 'HEAD', 'POST'], '']);
  expect(taken('/v2/thing/a%20b')).toEqual([['GET', 'HEAD'], 'a b']);
  expect(taken('/v2/thing/a/act')).toEqual([['POST'], 'a']);
  for (const path of ['/v2/other', '/v2/thing/', '/v2/thing/a/other', '/v2/thing/{id}/act/more'])
    expect(taken(path)).toBeUndefined();
  expect(find('/v2/thing')?.routes.get('POST')?.summary).toBe('POST /v2/thing');
  expect(find('/v2/thing')?.routes.get('HEAD')?.summary).toBe('GET /v2/thing');
});

it('OpenAPI has every method of a path', () => {
  const { paths } = openApiDocument(REGISTRY, TABLE, 'http://localhost') as {
    paths: Record<string, Record<string, { summary: string }>>;
  };
  expect(Object.keys(paths['/v2/thing'] ?? {})).toEqual(['get', 'post']);
});
