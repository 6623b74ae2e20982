/** GraphiQL over HTTP: its page, and its files, which a browser caches. */
import { notFound } from '../base/errors/errors.ts';
import { GRAPHIQL_PATH, graphiqlOptions, loadGraphiql } from '../docs/graphiql.ts';
import { graphiqlHtml } from '../docs/graphiql-page.ts';
import { OWN, policyFrom } from '../ui/policy.ts';
import { checkMethod } from './http/check-request.ts';
import { acceptsEncoding, type Exchange, GRAPHQL_PATH, READ_METHODS, send } from './http/http.ts';
import { pageHeaders } from './http/page-headers.ts';

/** Monaco, the editor of GraphiQL, creates styles and workers. */
const HEADERS = pageHeaders({
  policy: policyFrom({
    script: OWN,
    worker: `${OWN} blob:`,
    style: `${OWN} 'unsafe-inline'`,
    img: `${OWN} data:`,
    font: `${OWN} data:`,
    connect: OWN,
  }),
  vary: 'cookie',
  isPublic: true,
});

/** Answers with the page. @param isSignedIn - whether a session of the console answers for its requests. */
export async function serveGraphiql(exchange: Exchange, isSignedIn: boolean): Promise<void> {
  const { paths } = await loadGraphiql();
  const page = graphiqlHtml(paths, graphiqlOptions(GRAPHQL_PATH, isSignedIn), isSignedIn);
  send(exchange, 200, 'text/html; charset=utf-8', page, HEADERS);
}

/** Answers with a file of GraphiQL. */
export async function serveGraphiqlFile(exchange: Exchange): Promise<void> {
  exchange.route = `${GRAPHIQL_PATH}/{file}`;
  checkMethod(exchange.request.method, READ_METHODS);
  const file = (await loadGraphiql()).assets.get(exchange.path.slice(GRAPHIQL_PATH.length + 1));
  if (!file) throw notFound();
  const acceptsBrotli = acceptsEncoding(exchange.request, 'br');
  send(exchange, 200, file.type, acceptsBrotli ? await file.compressed : file.text, {
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(acceptsBrotli && { 'content-encoding': 'br' }),
  });
}
