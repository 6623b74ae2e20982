/** The first page of a gateway: what runs here, and where to go. */
import { type Label, label } from '../base/text/label.ts';
import { html } from '../ui/html.ts';
import { framed } from './docs-layout.ts';

/** Facts of the running gateway. */
export interface Home {
  readonly publicUrl: string;
  readonly hasSandbox: boolean;
  readonly hasGraphiql: boolean;
  readonly language: keyof Label;
  readonly stylePath: string;
}

const WORDS = {
  what: label(
    'Accept PIX, settle in crypto, and back. Every merchant account is kept on a double-entry ledger.',
    'Receba por Pix, liquide em cripto, e vice-versa. Cada conta de lojista fica em um livro-razão de partidas dobradas.',
  ),
  test: label('Test mode: no real money moves.', 'Modo de teste: nenhum dinheiro real é movimentado.'),
  people: label('Get started', 'Comece aqui'),
  programs: label('API', 'API'),
  console: label('Payments, balances and approvals.', 'Pagamentos, saldos e aprovações.'),
  docs: label('Guides and API reference.', 'Guias e referência da API (em inglês).'),
  graphiql: label('Try queries in the browser.', 'Experimente consultas no navegador.'),
  consoleName: label('Console', 'Console'),
  docsName: label('Docs', 'Documentação'),
  rest: label('The REST interface', 'A interface REST'),
  graphql: label('GraphQL, with live subscriptions', 'GraphQL, com assinaturas ao vivo'),
  health: label('Health check', 'Status do serviço'),
} as const satisfies Readonly<Record<string, Label>>;

/** @returns the page. */
export function homeHtml({ publicUrl, hasSandbox, hasGraphiql, language, stylePath }: Home): string {
  const translate = (name: keyof typeof WORDS) => WORDS[name][language];
  const link = (path: string, name: string, words: string) =>
    html`<li class="card"><a href="${path}"><b>${name}</b></a><p class="soft">${words}</p></li>`;
  const address = (path: string, words: string) =>
    html`<div><dt>${words}</dt><dd><a href="${path}"><code>${publicUrl}${path}</code></a></dd></div>`;
  return framed({
    title: 'Crossramp Gateway',
    stylePath,
    language: language === 'pt' ? 'pt-BR' : 'en',
    body: html`${hasSandbox && html`<section class="test" aria-label="${translate('test')}">${translate('test')}</section>`}
<main class="home"><h1>Crossramp Gateway</h1>
<p>${translate('what')}</p>
<h2>${translate('people')}</h2>
<ul class="ways">${link('/console', translate('consoleName'), translate('console'))}${link('/docs', translate('docsName'), translate('docs'))}
${hasGraphiql && link('/graphql', 'GraphiQL', translate('graphiql'))}</ul>
<h2>${translate('programs')}</h2>
<dl class="kv tall">${address('/docs/api/rest', translate('rest'))}${address('/docs/api/graphql', translate('graphql'))}
${address('/v2/openapi.json', 'OpenAPI 3.1')}${address('/v2/asyncapi.json', 'AsyncAPI 3.0')}${address('/readyz', translate('health'))}</dl></main>`,
  });
}
