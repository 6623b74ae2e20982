/** The first page, the documents below `/docs`, the pages of error codes, and GraphiQL with its files. */
import { ERRORS, type ErrorCode, notFound } from '../base/errors/errors.ts';
import { qualityOf } from '../base/text/accepted.ts';
import { DOCS_STYLE, DOCS_STYLE_PATH } from '../docs/assets.ts';
import { DOCS_PATH, docPath } from '../docs/doc-page.ts';
import { docHtml, searchHtml } from '../docs/docs-layout.ts';
import { type DocSources, type DocsSite, docsSite } from '../docs/docs-site.ts';
import { readPicture } from '../docs/documents.ts';
import { homeHtml } from '../docs/home-page.ts';
import { llmsText } from '../docs/llms-text.ts';
import { MARKDOWN_END } from '../docs/markdown.ts';
import { QUESTION_MAX } from '../docs/search.ts';
import { chooseLanguage } from '../ui/language.ts';
import { OWN, policyFrom } from '../ui/policy.ts';
import { checkMethod } from './http/check-request.ts';
import { type Exchange, READ_METHODS, send, sendText } from './http/http.ts';
import { pageHeaders } from './http/page-headers.ts';

/** Sources of the site. */
export interface DocsParts extends DocSources {
  readonly hasSandbox: boolean;
  readonly hasGraphiql: boolean;
}

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';
const FOR_EVER = 'public, max-age=31536000, immutable';
const SHORTLY = 'public, max-age=300';
/** Permits only the style, the pictures and the search of the site itself. */
const HEADERS = pageHeaders({ policy: policyFrom({ style: OWN, img: OWN }), vary: 'accept', isPublic: true });

/** @returns whether the client is a browser, which shows pages. */
export function wantsHtml({ request }: Pick<Exchange, 'request'>): boolean {
  return qualityOf('text/html', request.headers.accept) > 0;
}

/** @returns whether the client is a program, which names Markdown and does not prefer a page. */
function wantsMarkdown({ request }: Pick<Exchange, 'request'>): boolean {
  const quality = qualityOf('text/markdown', request.headers.accept);
  return quality > 0 && quality >= qualityOf('text/html', request.headers.accept);
}

/** @returns the answers to requests below `/docs`, and the pages that other paths show to browsers. */
export function docsServer(parts: DocsParts) {
  let site: Promise<DocsSite> | undefined;
  const opened = () => {
    site ??= docsSite(parts).catch((error: unknown) => {
      site = undefined;
      throw error;
    });
    return site;
  };
  const page = (exchange: Exchange, text: string, cacheControl = SHORTLY) =>
    sendText(exchange, 200, HTML, text, { ...HEADERS, 'cache-control': cacheControl });
  const markdown = (exchange: Exchange, text: string) =>
    sendText(exchange, 200, MARKDOWN, text, { vary: 'accept', 'cache-control': SHORTLY });
  const home = (exchange: Exchange) => {
    const { request, search } = exchange;
    const language = chooseLanguage(
      new URLSearchParams(search).get('lang'),
      request.headers['accept-language'],
    );
    const { publicUrl, hasSandbox, hasGraphiql } = parts;
    page(
      exchange,
      homeHtml({ publicUrl, hasSandbox, hasGraphiql, language, stylePath: DOCS_STYLE_PATH }),
      'no-cache',
    );
  };
  const docs = async (exchange: Exchange): Promise<void> => {
    checkMethod(exchange.request.method, READ_METHODS);
    if (exchange.path === DOCS_STYLE_PATH)
      return sendText(exchange, 200, 'text/css; charset=utf-8', DOCS_STYLE, { 'cache-control': FOR_EVER });
    const path = exchange.path.slice(DOCS_PATH.length + 1);
    if (path === '') return redirect(exchange, docPath('readme'));
    if (path === 'search')
      return page(exchange, searchHtml(await opened(), questionOf(exchange), DOCS_STYLE_PATH));
    const picture = readPicture(path);
    if (picture) return send(exchange, 200, 'image/png', picture, { 'cache-control': SHORTLY });
    const pages = await opened();
    const isNamed = path.endsWith(MARKDOWN_END);
    const found = pages.find(isNamed ? path.slice(0, -MARKDOWN_END.length) : path);
    if (!found) throw notFound();
    if (isNamed || wantsMarkdown(exchange)) markdown(exchange, found.markdown);
    else page(exchange, docHtml(pages, found, DOCS_STYLE_PATH));
  };
  const llms = async (exchange: Exchange) => {
    const { publicUrl, openApi } = parts;
    markdown(exchange, llmsText({ publicUrl, tags: openApi().tags }, await opened()));
  };
  const error = (exchange: Exchange, code: string) => {
    if (!Object.hasOwn(ERRORS, code)) throw notFound();
    redirect(exchange, docPath('errors', (code as ErrorCode).toLowerCase()));
  };
  return { home, docs, error, llms };
}

function questionOf({ search }: Exchange): string {
  return (new URLSearchParams(search).get('q') ?? '').trim().slice(0, QUESTION_MAX);
}

function redirect(exchange: Exchange, location: string): void {
  send(exchange, 302, 'text/plain; charset=utf-8', '', { location });
}
