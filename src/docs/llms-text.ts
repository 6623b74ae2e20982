/** `/llms.txt`: what a program that reads needs first: a paid checkout by four calls, and where everything else stands as Markdown. */
import { known } from '../base/errors/assert.ts';
import { docPath } from './doc-page.ts';
import type { DocsSite } from './docs-site.ts';
import { DOCUMENTS_PATH } from './documents.ts';
import { MARKDOWN_END } from './markdown.ts';

/** Sources of the text. */
export interface LlmsParts {
  readonly publicUrl: string;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
}

/** @returns the text: Markdown in the form of llmstxt.org. */
export function llmsText({ publicUrl, tags }: LlmsParts, { find }: Pick<DocsSite, 'find'>): string {
  const parts = tags.map(
    ({ name, description }) =>
      `- [OpenAPI, ${name}](${publicUrl}/v2/openapi/${name}.json)${description ? `: ${description}` : ''}`,
  );
  return `# Crossramp Gateway

> Converts Brazilian PIX payments (BRL) to crypto and back, and keeps a business account in several currencies on a double-entry ledger. REST is at ${publicUrl}/v2, GraphQL at ${publicUrl}/graphql; both need an API key as \`Authorization: Bearer crx_…\`.

Amounts of REST are JSON numbers in units of their currency (\`150\` is R$ 150.00), GraphQL has decimal text. Errors are problem documents (RFC 9457): \`code\` names the fault, \`violations\` the members that are wrong, \`action\` (FIX, WAIT, STOP) and \`next\` the next step.

## A paid checkout by four calls

In a sandbox, the customer is simulated. A repeated call with the same \`Idempotency-Key\` makes nothing a second time.

\`\`\`sh
# 1. Make it. The answer has end2end (its identifier) and payment_link (the page of the payer).
curl -sS -X POST ${publicUrl}/v2/crossramp_checkout -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -H 'Idempotency-Key: order-1' \\
  -d '{"amount_payment": 150, "currency_exit_received_code": "USDT_TRX", "external_code": "order-1", "client_name": "Ana Souza", "client_tax_id": "52998224725"}'
# 2. Pay it, as the customer of the sandbox. A live customer pays the PIX code on the page.
curl -sS -X POST ${publicUrl}/v2/sandbox/trigger -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"scenario": "pay", "end2end": "CRX…"}'
# 3. Read it until status.en is Success; or follow GET /v2/events?after=CURSOR&wait=30, or a webhook (docs/webhooks.md).
curl -sS ${publicUrl}/v2/crossramp_checkout/CRX… -H "Authorization: Bearer $KEY"
# 4. Read the balance that it was credited to.
curl -sS ${publicUrl}/v2/balance -H "Authorization: Bearer $KEY"
\`\`\`

\`npm start\` writes a sandbox key to \`.crossramp/sandbox.json\`. With \`client_name\` and \`client_tax_id\` the page asks for no identity; without them, the payer enters both before the PIX code is shown.

## Interfaces

- [OpenAPI, whole](${publicUrl}/v2/openapi.json)
${parts.join('\n')}
- [AsyncAPI: events and webhooks](${publicUrl}/v2/asyncapi.json)
- Tools over the Model Context Protocol at ${publicUrl}/mcp ([their list](${publicUrl}${docPath('agents')}${MARKDOWN_END}))
- [GraphQL schema](${publicUrl}/graphql/schema.graphql)
- [GraphQL reference](${publicUrl}${docPath('api/graphql')}${MARKDOWN_END}): operations, and a page for each type

## Documents

${documentLines(publicUrl, known(find(DOCUMENTS_PATH), 'the list of documents').markdown)}
`;
}

/** @returns the rows of the list of documents, each as a line that leads to its Markdown. */
function documentLines(publicUrl: string, list: string): string {
  return [...list.matchAll(/^\| \[([^\]]+)\]\((\/docs\/[\w/.-]+)\)[^|]*\| (.*) \|$/gm)]
    .map(([, title, path, what = '']) => `- [${title}](${publicUrl}${path}): ${wordsOf(what)}`)
    .join('\n');
}

/** @returns a text with the words of its links alone. */
function wordsOf(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
