/**
 * The page of GraphiQL. Asks visitors who are not signed in to sign in, or for a key, and sends nothing without
 * either.
 */
import { Html, html } from '../ui/html.ts';
import { GRAPHIQL_PATH, type Graphiql } from './graphiql.ts';

/** Address of the sign-in; `next` names the page after it. */
const SIGN_IN = '/console/sign-in?next=/graphql';

/**
 * @param options - JSON of `graphiqlOptions`.
 * @returns the document.
 */
export function graphiqlHtml(paths: Graphiql['paths'], options: string, isSignedIn: boolean): string {
  const path = (name: keyof Graphiql['paths']) => `${GRAPHIQL_PATH}/${paths[name]}`;
  // A `<` in JSON could end the element that it stands in.
  const json = new Html(options.replaceAll('<', '\\u003c'));
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL · Crossramp Gateway</title>
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${path('style')}"></head>
<body id="body" class="no-focus-outline">
<noscript>GraphiQL needs JavaScript. <a href="/docs/api/graphql">The reference</a> does not.</noscript>
${!isSignedIn && welcome()}
<div id="root"></div>
<script type="application/json" id="options" data-editor-worker="${path('editorWorker')}" data-json-worker="${path('jsonWorker')}" data-graphql-worker="${path('graphqlWorker')}">${json}</script>
<script src="${path('script')}" defer></script>
<script src="${path('start')}" defer></script>
</body></html>`.text;
}

function welcome(): Html {
  return html`<main id="welcome"><h1>GraphiQL</h1>
<p><a href="${SIGN_IN}">Sign in</a>, and what you ask is asked with your rights.</p>
<form id="key-form"><label for="key">Or with an API key</label>
<input id="key" name="key" autocomplete="off" spellcheck="false" placeholder="crx_test_…" required>
<button>Open</button></form>
<p>The key stays in this page. Everybody can read <a href="/docs/api/graphql">the reference</a> without one.</p></main>`;
}
