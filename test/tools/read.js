/**
 * Reads the interfaces of the gateway with tools of others, as a company that connects to it would: prints one line for each tool, and ends
 * with an error when one of them finds something. `npm ci` in this folder installs them; nothing here needs a network after that.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asyncapi from '@asyncapi/parser';
import { createClient } from '@hey-api/openapi-ts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import openapiTs, { astToString } from 'openapi-typescript';

const ROOT = new URL('../../', import.meta.url);
const pathOf = (name) => fileURLToPath(new URL(name, ROOT));
const read = (name) => readFileSync(pathOf(name), 'utf8');

const checks = {
  'graphql-eslint, contract of merchants': () => lint('schema.graphql'),
  'graphql-eslint, contract of the operator': () => lint('schema.operator.graphql'),
  'graphql-eslint, documents of the console': () => lint('src/console/documents'),
  'federation-composition': compose,
  'openapi-typescript': async () => {
    const text = astToString(await openapiTs(JSON.parse(read('releases/1.0/openapi.json'))));
    return text.includes('export interface paths') ? [] : ['no paths'];
  },
  'Hey API': heyApi,
  'redocly lint': redocly,
  'parser of AsyncAPI': async () => {
    const { diagnostics } = await new asyncapi.Parser().parse(read('releases/1.0/asyncapi.json'));
    // 0 is an error; the others are advice.
    return diagnostics
      .filter(({ severity }) => severity === 0)
      .map(({ message, path }) => `${path.join('.')}: ${message}`);
  },
};

/** One process for each: graphql-eslint keeps the schema that it reads first. */
function lint(name) {
  const { stdout, stderr } = spawnSync(process.execPath, [pathOf('test/tools/lint.js'), name], {
    encoding: 'utf8',
  });
  return (stdout + stderr).split('\n').filter((line) => line !== '');
}

/** The contract beside another subgraph. */
function compose() {
  const other = parse('type Query { shop: Shop } type Shop { name: String! }');
  const { errors = [] } = composeServices([
    { name: 'gateway', typeDefs: parse(read('schema.graphql')) },
    { name: 'shop', typeDefs: other },
  ]);
  return errors.map(({ message }) => message);
}

async function heyApi() {
  const output = mkdtempSync(join(tmpdir(), 'hey-api-'));
  try {
    await createClient({
      input: pathOf('releases/1.0/openapi.json'),
      output,
      logs: { level: 'silent' },
      plugins: ['@hey-api/typescript'],
    });
    return readdirSync(output).some((name) => name.startsWith('types')) ? [] : ['no types'];
  } finally {
    rmSync(output, { recursive: true });
  }
}

async function redocly() {
  const config = await createConfig({ extends: ['minimal'] });
  const problems = await lintFromString({ source: read('releases/1.0/openapi.json'), config });
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

let isBad = false;
for (const [name, check] of Object.entries(checks)) {
  const found = await Promise.resolve()
    .then(check)
    .catch((error) => [String(error?.stack ?? error)]);
  process.stdout.write(`${name}: ${found.length === 0 ? 'no errors' : `${found.length} errors`}\n`);
  for (const each of found.slice(0, 20)) process.stdout.write(`  ${each}\n`);
  isBad ||= found.length > 0;
}
process.exitCode = isBad ? 1 : 0;
