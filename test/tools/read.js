/**
 * Reads the interfaces of the gateway with tools of others, as a company that connects to it would: prints one line for each tool, and ends
 * with an error when one of them finds something. OpenAPI and AsyncAPI are those that a running gateway serves (BASE_URL). `npm ci` in this
 * folder installs the tools; nothing here needs a network after that.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asyncapi from '@asyncapi/parser';
import { diff } from '@graphql-inspector/core';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { composeServices } from '@theguild/federation-composition';
import { buildSchema, parse } from 'graphql';

const ROOT = new URL('../../', import.meta.url);
const pathOf = (name) => fileURLToPath(new URL(name, ROOT));
const read = (name) => readFileSync(pathOf(name), 'utf8');

const served = async (path) => (await fetch(process.env.BASE_URL + path)).text();
const openapi = await served('/v2/openapi.json');
const asyncapiDocument = await served('/v2/asyncapi.json');

const checks = {
  'graphql-eslint, contract of merchants': () => lint('schema.graphql'),
  'graphql-eslint, contract of the operator': () => lint('schema.operator.graphql'),
  'graphql-eslint, documents of the console': () => lint('src/console/documents'),
  'federation-composition': compose,
  'graphql-inspector, contract of merchants': () => inspect('schema.graphql'),
  'graphql-inspector, contract of the operator': () => inspect('schema.operator.graphql'),
  'redocly lint': redocly,
  spectral: () => {
    const folder = mkdtempSync(join(tmpdir(), 'crossramp-openapi-'));
    const file = join(folder, 'openapi.json');
    writeFileSync(file, openapi);
    const program = pathOf('test/tools/node_modules/@stoplight/spectral-cli/dist/index.js');
    const lines = linesOf(program, 'lint', file, '--ruleset', pathOf('test/tools/spectral.yaml'), '--quiet');
    rmSync(folder, { recursive: true });
    return lines;
  },
  'parser of AsyncAPI': async () => {
    const { diagnostics } = await new asyncapi.Parser().parse(asyncapiDocument);
    // 0 is an error; the others are advice.
    return diagnostics
      .filter(({ severity }) => severity === 0)
      .map(({ message, path }) => `${path.join('.')}: ${message}`);
  },
};

/** One process for each: graphql-eslint keeps the schema that it reads first. */
function lint(name) {
  return linesOf(pathOf('test/tools/lint.js'), name);
}

/** @returns what a program prints. */
function linesOf(...args) {
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return (stdout + stderr).split('\n').filter((line) => line !== '');
}

/** A subgraph of Apollo Federation 2 with conventions of Relay, too. */
const SHOP = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable"])
  scalar DateTime
  interface Node { id: ID! }
  type Shop implements Node @key(fields: "id") { id: ID!, name: String!, openedAt: DateTime! }
  type Shops { nodes: [Shop!]!, pageInfo: PageInfo! }
  type PageInfo @shareable { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
  type Query { shops: Shops!, node(id: ID!): Node @shareable }
`;

/** The contract beside another subgraph. */
function compose() {
  const { errors = [] } = composeServices([
    { name: 'gateway', typeDefs: parse(read('schema.graphql')) },
    { name: 'shop', typeDefs: parse(SHOP) },
  ]);
  return errors.map(({ message }) => message);
}

/** Breaking changes since the snapshot of 1.0. */
async function inspect(name) {
  const changes = await diff(buildSchema(read(`releases/1.0/${name}`)), buildSchema(read(name)));
  return changes
    .filter(({ criticality }) => criticality.level === 'BREAKING')
    .map(({ path, message }) => `${path}: ${message}`);
}

/** Members that are required where no type of theirs can stand (decision 0099). */
const UNTYPED = /\/not\/required\/\d+$|\/Balance\/properties\/balances\/additionalProperties\/required\/0$/;

/** Warnings count too. */
async function redocly() {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: openapi, config });
  return problems
    .filter(({ location }) => !UNTYPED.test(location[0]?.pointer))
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
