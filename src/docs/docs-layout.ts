/** The frame of the pages below `/docs`, and of the first page of a gateway. */
import { Html, html } from '../ui/html.ts';
import { type DocGroup, type DocPage, docPath } from './doc-page.ts';
import type { DocsSite } from './docs-site.ts';
import { QUESTION_MAX } from './search.ts';

const GROUPS: readonly (readonly [group: DocGroup, title: string])[] = [
  ['tutorials', 'Tutorials'],
  ['how-to', 'How-to guides'],
  ['reference', 'Reference'],
  ['explanations', 'Explanations'],
  ['project', 'Project'],
];

/** Parts of which these pages are built. */
export interface Frame {
  readonly title: string;
  readonly stylePath: string;
  readonly language: string;
  readonly body: Html;
}

/** @returns a document without anything that another place would have to give. */
export function framed({ title, stylePath, language, body }: Frame): string {
  return html`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${stylePath}"></head>
<body class="docs">
${body}
</body></html>`.text;
}

/** @returns a page of the site with its navigation. */
export function docHtml(site: DocsSite, page: DocPage, stylePath: string): string {
  const own = page.sections.filter(({ anchor }, at) => at > 0 && anchor !== '').slice(0, CONTENTS_MAX);
  return framed({
    title: `${page.title} · Crossramp Gateway`,
    stylePath,
    language: page.path === 'leia-me' ? 'pt-BR' : 'en',
    body: inSite(
      site,
      page.path,
      '',
      html`<main id="main"><article>${new Html(page.body)}</article></main>
${own.length > 1 && html`<nav class="contents" aria-label="On this page"><ul>${own.map(({ anchor, title }) => html`<li><a href="#${anchor}">${title}</a></li>`)}</ul></nav>`}`,
    ),
  });
}

/** Maximum number of headings next to a page: longer lists help no reader. */
const CONTENTS_MAX = 60;

/** @returns the search results. */
export function searchHtml(site: DocsSite, question: string, stylePath: string): string {
  const found = site.search(question);
  const count = found.length === 1 ? 'One place' : `${found.length} places`;
  return framed({
    title: `${question} · Search · Crossramp Gateway`,
    stylePath,
    language: 'en',
    body: inSite(
      site,
      '',
      question,
      html`<main id="main"><h1>Search</h1>
<p role="status">${question === '' ? 'Write a word above.' : found.length === 0 ? html`Nothing has all the words of “${question}”. Try one word, or a part of it.` : html`${count} for “${question}”.`}</p>
<ol class="found">${found.map(({ url, page, title, excerpt }) => html`<li><a href="${url}"><b>${title}</b></a> <span class="soft">${page}</span><p>${excerpt}</p></li>`)}</ol></main>`,
    ),
  });
}

function inSite({ listed }: DocsSite, current: string, question: string, content: Html): Html {
  const links = (group: DocGroup) =>
    listed
      .filter((page) => page.group === group)
      .map(
        ({ path, title }) =>
          html`<li><a href="${docPath(path)}"${path === current && html` aria-current="page"`}>${title}</a></li>`,
      );
  return html`<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a href="/"><b>Crossramp Gateway</b></a> <a class="small-only" href="#documents">All documents</a>
<form role="search" action="${docPath('search')}"><label class="unseen" for="q">Search the documents</label>
<input id="q" name="q" type="search" maxlength="${QUESTION_MAX}" placeholder="Search" value="${question}"><button>Search</button></form></header>
<div class="columns">${content}
<nav class="side" id="documents" aria-label="Documents">
${GROUPS.map(([group, title]) => html`<h2>${title}</h2><ul>${links(group)}</ul>`)}</nav></div>`;
}
