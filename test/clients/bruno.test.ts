/** Goal: the collection for Bruno in examples/ has every operation of `/v2` as it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BRUNO, brunoCollection } from '../../scripts/bruno.ts';
import { ROUTES } from '../support/rest-routes.ts';

const FOLDER = fileURLToPath(BRUNO);

test('examples/bruno equals the output of `npm run bruno`', () => {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const found = files.map(({ parentPath, name }): [string, string] => {
    const path = `${parentPath}/${name}`;
    return [path.slice(FOLDER.length).replace(/^\//, ''), readFileSync(path, 'utf8')];
  });
  expect(Object.fromEntries(found)).toEqual(brunoCollection());
});

test('each variable is of the environment, or comes from an earlier answer', () => {
  const files = brunoCollection();
  const all = Object.values(files).join('\n');
  const variables = [...all.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  const created = [...all.matchAll(/^ {2}(\w+): res\.body\./gm)].map(([, name]) => name);
  const given: readonly string[] = (files['environments/sandbox.bru'] ?? '').match(/\w+/g) ?? [];
  expect(variables.filter((name = '') => !created.includes(name) && !given.includes(name))).toEqual([]);
});

test('each operation is a request of its own, with a short name', () => {
  const requests = Object.values(brunoCollection()).filter((text) => text.startsWith('meta {'));
  expect(requests).toHaveLength(ROUTES.length);
  for (const text of requests)
    expect((/name: (.*)/.exec(text)?.[1] ?? '').split(' ').length).toBeLessThanOrEqual(5);
  for (const { method, path } of ROUTES) {
    const start = `${method.toLowerCase()} {\n  url: {{baseUrl}}${path.replace('{id}', ':id')}\n`;
    expect(requests.filter((text) => text.includes(start))).toHaveLength(1);
  }
});
