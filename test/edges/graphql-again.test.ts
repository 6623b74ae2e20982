/**
 * Goal: a query is answered alike whether it is executed as it came, compiled, or answered from memory (decisions 0044, 0045).
 * Method: each comes so often over HTTP that all three have their turn, for both media types.
 */
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';

const app = useApp();
const TIMES = 4;
/** Variables as JSON text: what JavaScript makes of `{ __proto__: … }` is something else. */
const QUERIES: readonly (readonly [query: string, variables: string])[] = [
  [
    'query($__proto__: Boolean!) { a: __typename @include(if: $__proto__) b: __typename }',
    '{"__proto__":false}',
  ],
  ['query($__proto__: Boolean!) { a: __typename @skip(if: $__proto__) b: __typename }', '{"__proto__":true}'],
  ['query($__proto__: Int) { transactions(first: $__proto__) { nodes { end2end } } }', '{"__proto__":101}'],
  [
    'query($__proto__: TransactionFilter) { transactions(filter: $__proto__) { totalCount } }',
    '{"__proto__":{"text":"zzz"}}',
  ],
  ['query($constructor: Int) { transactions(first: $constructor) { totalCount } }', '{}'],
  ['{ __proto__: currencies { constructor: code __proto__: asset toString: __typename } }', '{}'],
  ['query($yes: Boolean = true) { a: __typename @include(if: $yes) b: __typename }', '{"yes":null}'],
  ['query($yes: Boolean = true) { currencies { code @skip(if: $yes) asset } }', '{"yes":null}'],
  ['query($yes: Boolean!) { a: __typename @include(if: $yes) }', '{"yes":"true"}'],
  ['{ statement(first: 101) { totalCount } currencies { code } }', '{}'],
  ['{ paymentSession { sequence } currencies { code } }', '{}'],
];

async function request(query: string, variables: string, accept: string) {
  const answer = await fetch(`${app.baseUrl}/graphql`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json', accept },
      'x-request-id': 'the-same',
    },
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  });
  return [answer.status, answer.headers.get('content-type'), await answer.text()];
}

describe.each(['application/json', 'application/graphql-response+json'])('as %s', (accept) => {
  test.each(QUERIES)('%s %s is answered in the same way', async (text, variables) => {
    const query = `# ${accept}\n${text}`;
    const first = await request(query, variables, accept);
    for (let time = 2; time <= TIMES; time++) expect(await request(query, variables, accept)).toEqual(first);
  });
});

test('a variable of any name is accepted', async () => {
  const query =
    'query($__proto__: Int) { currencies { code } transactions(first: $__proto__) { nodes { id } } }';
  const [, , text] = await request(query, '{"__proto__":1}', 'application/json');
  expect(JSON.parse(text as string).data.transactions.nodes).toHaveLength(1);
});
