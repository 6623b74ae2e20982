/** The request of a screen in the form in which a developer would write it: GraphQL, cURL, TypeScript. */
import type { Variables } from './execute.ts';
import type { Operation } from './operations.ts';

/** The languages of a request's code. */
export const CODES = { graphql: 'GraphQL', curl: 'cURL', typescript: 'TypeScript' } as const;

/** A notation of a request. */
export type Code = keyof typeof CODES;

/** @returns whether a text names a language of the code. */
export function isCode(text: string | null): text is Code {
  return text !== null && Object.hasOwn(CODES, text);
}

/** @returns the request of an operation; it needs a key in `CROSSRAMP_API_KEY`. */
export function codeOf(code: Code, operation: Operation, variables: Variables, publicUrl: string): string {
  const { text } = operation;
  const url = `${publicUrl}/graphql`;
  if (code === 'graphql')
    return `${text}\n# Variables\n${JSON.stringify(variables, null, 2).replace(/^/gm, '# ')}\n`;
  if (code === 'curl') {
    const body = JSON.stringify({ query: text, variables }, null, 2).replaceAll("'", "'\\''");
    return `curl '${url}' \\
  -H "authorization: Bearer $CROSSRAMP_API_KEY" \\
  -H 'content-type: application/json' \\
  --data-binary '${body}'
`;
  }
  return `import { env } from 'node:process';

const query = /* GraphQL */ \`
${text}\`;

const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${env.CROSSRAMP_API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ query, variables: ${JSON.stringify(variables)} }),
});
const { data, errors } = await response.json();
`;
}
