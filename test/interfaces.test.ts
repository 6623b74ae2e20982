/**
 * Goal: what a release promised stays until a major release (docs/versions.md), and a change says whom it breaks. Method: the
 * interfaces of each release are in the repository and compared with those of this checkout; changes of every kind are planted.
 */
import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { compareInterfaces } from '../scripts/interfaces/compare.ts';
import { type Interfaces, presentInterfaces } from '../scripts/interfaces/interfaces.ts';
import { releasedInterfaces } from '../scripts/interfaces/released.ts';

let present: Interfaces;

beforeAll(async () => {
  present = await presentInterfaces();
});

test.each(
  readdirSync(new URL('../releases/', import.meta.url)),
)('nothing that %s promised is broken', (release) => {
  expect(compareInterfaces(releasedInterfaces(release), present)).toEqual([]);
});

test('the interfaces of 1.0, which is not released yet, are those of this checkout (npm run interfaces -- 1.0)', () => {
  expect(releasedInterfaces('1.0')).toEqual(JSON.parse(JSON.stringify(present)));
});

describe('a planted change is reported with whom it breaks', () => {
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape are changed
  type Document = any;
  const changed = (change: (document: Document) => void) => {
    const copy: Document = structuredClone(JSON.parse(JSON.stringify(present)));
    change(copy);
    return compareInterfaces(present, copy).map(({ whom, what }) => `${whom}: ${what}`);
  };
  const operation = (document: Document) => document.openapi.paths['/v2/onramp'].post;
  const bodyOf = (document: Document) => operation(document).requestBody.content['application/json'].schema;
  const body = (document: Document) => document.openapi.components.schemas.Onramp;

  test.each<readonly [string, (document: Document) => void, RegExp]>([
    [
      'a path',
      (all) => delete all.openapi.paths['/v2/balance'],
      /^clients of \/v2: GET \/v2\/balance is gone$/,
    ],
    [
      'a parameter',
      (all) => all.openapi.paths['/v2/onramps'].get.parameters.splice(0, 1),
      /GET \/v2\/onramps: query \w+ is gone$/,
    ],
    [
      'a required parameter',
      (all) => Object.assign(all.openapi.paths['/v2/onramps'].get.parameters[0], { required: true }),
      /is required now$/,
    ],
    [
      'a status',
      (all) => {
        operation(all).responses[200] = operation(all).responses[201];
        delete operation(all).responses[201];
      },
      /POST \/v2\/onramp: the status 201 is gone$/,
    ],
    [
      'a member that is sent',
      (all) => delete bodyOf(all).properties.client_name,
      /body\.client_name is gone$/,
    ],
    [
      'a member that has to be sent',
      (all) => bodyOf(all).required.push('webhook'),
      /body\.webhook is required now$/,
    ],
    [
      'a member of an answer',
      (all) => delete body(all).properties.state,
      /^clients of \/v2: Onramp\.state is gone$/,
    ],
    [
      'a member that may be missing',
      (all) => body(all).required.splice(body(all).required.indexOf('state'), 1),
      /Onramp\.state may be missing now$/,
    ],
    [
      'a type',
      (all) => {
        body(all).properties.end2end = { type: 'integer' };
      },
      /Onramp\.end2end is integer now; it was string$/,
    ],
    [
      'a field',
      (all) => {
        all.graphql = all.graphql.replace('  available: Decimal!', '  availableNow: Decimal!');
      },
      /^clients of GraphQL: .*available was removed/,
    ],
    [
      'an argument',
      (all) => {
        all.graphql = all.graphql.replace('balances(', 'balances(more: Int!, ');
      },
      /^clients of GraphQL: A required arg more/,
    ],
    [
      'a mutation of the operator',
      (all) => {
        all.graphqlOperator = all.graphqlOperator.replace('  closeBooks(', '  closeAllBooks(');
      },
      /^the operator’s clients of GraphQL: Mutation\.closeBooks was removed/,
    ],
    [
      'an event',
      (all) => (Object.values(all.asyncapi.components.messages)[0] as Document)['x-event-names'].shift(),
      /^receivers of events: the event [\w.]+ is gone$/,
    ],
    ['a command', (all) => delete all.commands['job retry'], /^scripts with commands: job retry is gone$/],
    [
      'an option',
      (all) => delete all.commands['key create'].options['--scopes'],
      /key create --scopes is gone$/,
    ],
    [
      'a required option',
      (all) => {
        all.commands['job list'].options['--live'] = true;
      },
      /job list --live is required now$/,
    ],
    [
      'an argument of a command',
      (all) => {
        all.commands['key create'].arguments = ['<name>'];
      },
      /key create takes <name> now$/,
    ],
    ['a setting', (all) => all.settings.shift(), /^installations: the setting PORT is gone$/],
  ])('%s', (_what, change, told) => {
    expect(changed(change).filter((each) => told.test(each))).toHaveLength(1);
  });

  test.each<readonly [string, (document: Document) => void]>([
    [
      'a new member',
      (all) => {
        body(all).properties.more = { type: 'string' };
      },
    ],
    [
      'a new path',
      (all) => {
        all.openapi.paths['/v2/more'] = all.openapi.paths['/v2/balance'];
      },
    ],
    [
      'a new optional parameter',
      (all) => all.openapi.paths['/v2/onramps'].get.parameters.push({ name: 'more', in: 'query' }),
    ],
    [
      'a new command and option',
      (all) => {
        all.commands.more = all.commands['job list'];
        all.commands['job list'].options['--more'] = false;
      },
    ],
    [
      'another description',
      (all) => {
        body(all).description = 'More.';
        all.graphql = all.graphql.replace('"""', '"""More. ');
      },
    ],
  ])('%s breaks nobody', (_what, change) => {
    expect(changed(change)).toEqual([]);
  });
});
