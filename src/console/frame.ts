/** Frame of every screen: account, navigation, test mode, code of the screen, language. */
import { PLATFORM_SCOPES, type Scope } from '../base/access/api-key.ts';
import { type Html, html } from '../ui/html.ts';
import { type IconName, icon } from '../ui/icons.ts';
import { LANGUAGES, type Language, TAGS } from '../ui/language.ts';
import { initials, note } from '../ui/parts.ts';
import { roleWord } from '../ui/role-words.ts';
import { UNCHANGED } from './action.ts';
import { ISLAND, STYLE } from './assets.ts';
import { actionOfMutation, may, mayDo, pathTo, type ScreenContext, sameWith, type View } from './context.ts';
import type { FrameFragment } from './generated/graphql.ts';
import { OPERATIONS } from './operations.ts';
import { KINDS } from './screens/new.ts';
import { CODES, type Code } from './show-code.ts';
import { actionText } from './words/actions.ts';
import { hasWord, type Word } from './words.ts';

/** An item of the console's navigation. */
export interface NavigationItem {
  readonly path: string;
  readonly word: Word;
  readonly icon: IconName;
  /** Required scope: one of the listed scopes, if there are several. */
  readonly scope: Scope | readonly Scope[];
  /** Key that is pressed after `g`. */
  readonly key: string;
  /** Whether it appears in the bar of a phone, not below *More*. */
  readonly isMain?: boolean;
}

/** The items, in the order of the navigation. */
export const NAVIGATION: readonly NavigationItem[] = [
  { path: '', word: 'today', icon: 'home', scope: 'read', key: 'd', isMain: true },
  { path: '/transactions', word: 'transactions', icon: 'convert', scope: 'read', key: 't', isMain: true },
  { path: '/statement', word: 'statement', icon: 'receipt', scope: 'read', key: 's', isMain: true },
  { path: '/review', word: 'reviewQueue', icon: 'held', scope: 'read', key: 'q', isMain: true },
  { path: '/approvals', word: 'approvals', icon: 'approve', scope: 'read', key: 'a' },
  { path: '/whitelist', word: 'whitelist', icon: 'wallet', scope: 'read', key: 'w' },
  { path: '/customers', word: 'customers', icon: 'person', scope: 'read', key: 'u' },
  { path: '/developers', word: 'developers', icon: 'code', scope: 'read', key: 'k' },
  { path: '/events', word: 'events', icon: 'bolt', scope: 'read', key: 'e' },
  { path: '/people', word: 'people', icon: 'people', scope: 'admin', key: 'p' },
  { path: '/settings', word: 'settings', icon: 'settings', scope: 'read', key: 'y' },
  { path: '/audit', word: 'audit', icon: 'shield', scope: 'admin', key: 'l' },
  {
    path: '/operator',
    word: 'operator',
    icon: 'sort',
    scope: ['platform:risk', 'platform:books'],
    key: 'o',
  },
  { path: '/rails', word: 'rails', icon: 'activity', scope: ['platform:risk', 'platform:rails'], key: 'r' },
  { path: '/books', word: 'books', icon: 'receipt', scope: 'platform:books', key: 'b' },
  { path: '/reconciliation', word: 'reconciliation', icon: 'convert', scope: 'platform:books', key: 'm' },
  { path: '/accounts', word: 'holders', icon: 'bank', scope: PLATFORM_SCOPES, key: 'c' },
];

type Viewer = FrameFragment['viewer'];

/** A page without its frame. */
export interface Framed {
  readonly context: ScreenContext;
  readonly view: View;
  /** The shown account, and the signed-in person. */
  readonly viewer: Viewer;
  /** The same screen as code, if requested. */
  readonly code: { readonly name: Code; readonly text: string } | null;
}

/** @returns the whole page. */
export function framed({ context, view, viewer, code }: Framed): string {
  const { translate, language } = context;
  const { account } = viewer;
  const isTest = account.mode === 'SANDBOX';
  return html`<!doctype html>
<html lang="${TAGS[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark">
<title>${view.title} · ${account.name}</title>
<link rel="stylesheet" href="${STYLE.path}"><script type="module" src="${ISLAND.path}"></script></head>
<body class="desk shell"${islandWords(context, viewer)}>
${isTest && html`<section class="test" aria-label="${translate('testMode')}"><b>${translate('testMode')}</b> ${translate('testModeWhy')}</section>`}
${side(context, viewer)}
<main id="main" tabindex="-1">${doneNote(context, view)}${code && codePanel(context, code)}${view.main}${foot(context)}</main>
<p id="say" class="unseen" role="status"></p><p id="line" class="toast no-print" hidden></p></body></html>`
    .text;
}

/** Texts of the script in a language: the same on every page, so they are rendered once. */
const SCRIPT_TEXTS = new Map<Language, Html>();

function scriptTexts({ translate, language }: ScreenContext): Html {
  const before = SCRIPT_TEXTS.get(language);
  if (before) return before;
  const words = {
    newer: translate('newer', { count: '#' }),
    copied: translate('copied'),
    lost: translate('lost'),
    back: translate('backAgain'),
    keys: translate('keys'),
    search: translate('searchOrGo'),
    find: translate('search'),
    found: translate('found'),
    move: translate('keysMove'),
    open: translate('keysOpen'),
    filter: translate('keysFilter'),
    all: translate('keysAll'),
    palette: translate('keysPalette'),
    close: translate('close'),
    newPayment: translate('newPayment'),
    newTitle: translate('newTitle'),
    goTo: translate('goTo'),
    views: translate('views'),
    here: translate('onThisScreen'),
  };
  const rendered = html` data-words="${JSON.stringify(words)}"`;
  SCRIPT_TEXTS.set(language, rendered);
  return rendered;
}

/** Texts of the script, and the screens that this person may open. */
function islandWords(context: ScreenContext, { account, person }: Viewer): Html {
  const { translate, session } = context;
  const items = NAVIGATION.filter(({ scope }) => may({ session }, scope));
  const data = {
    places: items.map(({ path, word, key }) => [pathTo(path), translate(word), key]),
    kinds: KINDS.filter(({ mutation }) => mayDo({ session }, mutation)).map(({ name, word }) => [
      pathTo('/new', { kind: name }),
      translate(word),
    ]),
    views: (person?.savedViews ?? []).map(({ name, path }) => [path, name]),
    here: sameWith(context, {}),
    now: account.now,
    mayCreate: may({ session }, 'create'),
    csrf: session.csrf,
    account: session.accountId,
  };
  return html`${scriptTexts(context)} data-told="${JSON.stringify(data)}"`;
}

function side(context: ScreenContext, viewer: Viewer): Html {
  const { translate, session } = context;
  const account = viewer.account.name;
  const { name = '', role } = viewer.person ?? {};
  const items = NAVIGATION.filter(({ scope }) => may(context, scope));
  const rest = items.filter(({ isMain }) => !isMain);
  const item = (item: NavigationItem) =>
    html`<li${!item.isMain && html` class="wide"`}>${navigationLink(context, item)}</li>`;
  return html`<header class="side"><a class="btn skip" href="#main">${translate('skip')}</a>
<button class="quiet" type="button" popovertarget="accounts"><span class="logo" aria-hidden="true">${initials(account)}</span> ${account} ${icon('down')}</button>
<a class="btn find push" href="${pathTo('/search')}" data-palette>${icon('search')} <span class="wide">${translate('searchOrGo')}</span><span class="unseen narrow">${translate('search')}</span><kbd class="wide push" data-script hidden>⌘K</kbd></a>
<nav aria-label="${translate('main')}"><ul>${items.map(item)}${rest.length > 0 && html`<li class="narrow"><button type="button" popovertarget="more">${icon('more')} ${translate('more')}</button></li>`}</ul></nav>
<button class="quiet wide left" type="button" popovertarget="me">${icon('person')} <span>${name}</span> <span class="soft push">${role && roleWord(role, context.language)}</span></button></header>
<div id="accounts" class="menu" popover>${accountForms(context, viewer)}${cellLinks(context)}${languageLinks(context)}<a class="btn narrow" href="${pathTo('/security')}">${icon('person')} ${name}</a></div>
<div id="more" class="menu" popover>${rest.map((item) => navigationLink(context, item, 'btn'))}</div>
<div id="me" class="menu" popover><a class="btn" href="${pathTo('/security')}">${translate('sessions')}</a>${languageLinks(context)}<form method="post" action="${pathTo('/sign-out')}"><input type="hidden" name="csrf" value="${session.csrf}"><button>${translate('signOut')}</button></form></div>`;
}

function navigationLink({ translate, path }: ScreenContext, item: NavigationItem, kind?: string): Html {
  const isHere = item.path === '' ? path === '' : path === item.path || path.startsWith(`${item.path}/`);
  return html`<a href="${pathTo(item.path)}"${kind && html` class="${kind}"`}${isHere && html` aria-current="page"`}>${icon(item.icon)} ${translate(item.word)}</a>`;
}

/** Each account is a form, because opening another one changes the session. */
function accountForms({ session }: ScreenContext, { account, person }: Viewer): Html[] {
  const { csrf } = session;
  return (person?.accounts ?? []).map(({ accountId, name }) =>
    accountId === account.accountId
      ? html`<p class="in-x"><b>${name}</b></p>`
      : html`<form method="post" action="${pathTo('/account')}"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="accountId" value="${accountId}"><button>${name}</button></form>`,
  );
}

/**
 * Links to the other cells of the installation: with the sign-in if the cells transfer it, otherwise to their sign-in
 * page.
 */
function cellLinks({ session, translate }: ScreenContext): Html[] {
  const [own = '', ...others] = session.cells;
  if (others.length === 0) return [];
  const links = others.map((cell) =>
    session.takesSignIn
      ? html`<form method="post" action="${pathTo('/cell')}"><input type="hidden" name="csrf" value="${session.csrf}"><input type="hidden" name="cell" value="${cell}"><button>${translate('openCell', { cell })}</button></form>`
      : html`<a class="btn" href="${pathTo('', { cell })}">${translate('openCell', { cell })}</a>`,
  );
  return [html`<p class="in-x"><b>${translate('inCell', { cell: own })}</b></p>`, ...links];
}

function languageLinks(context: ScreenContext): Html[] {
  const others = (Object.keys(LANGUAGES) as Language[]).filter((each) => each !== context.language);
  return others.map(
    (each) =>
      html`<a class="btn" href="${sameWith(context, { lang: each, done: null })}" lang="${TAGS[each]}" hreflang="${TAGS[each]}">${LANGUAGES[each]}</a>`,
  );
}

function doneNote({ path, query, refused, translate, language }: ScreenContext, { main }: View): Html | null {
  if (refused) {
    const data = main.text.includes(' aria-invalid="true"') ? translate('formWrong') : refused.message;
    // Only a developer can use the message of the API.
    const detail = path === '/developers' && html` <code>${refused.detail}</code>`;
    return html`<div role="alert">${note('failed', html`<b>${translate('notDone')}</b> ${data}${detail}`, true)}</div>`;
  }
  const done = query.get('done') ?? '';
  if (done === UNCHANGED) return html`<div role="status">${note('done', translate('nothingChanged'))}</div>`;
  const action = actionOfMutation(OPERATIONS.get(done)?.field);
  if (action === null) return null;
  const outcomeWord = `became_${query.get('became')}`;
  return html`<div role="status">${note('done', hasWord(outcomeWord) ? translate(outcomeWord) : `${actionText(action, language)}.`)}</div>`;
}

/** Code of the same screen, in three languages, at the foot of every screen. */
function foot(context: ScreenContext): Html {
  const links = (Object.keys(CODES) as Code[]).map(
    (name) =>
      html`<a class="go" href="${sameWith(context, { code: name, done: null })}" rel="nofollow">${CODES[name]}</a>`,
  );
  return html`<p class="row small soft no-print">${icon('code')} ${context.translate('showAsCode')}: ${links}</p>`;
}

function codePanel(
  context: ScreenContext,
  { name, text }: { readonly name: Code; readonly text: string },
): Html {
  const { translate } = context;
  return html`<section class="card code" aria-labelledby="code"><header><h2 id="code">${CODES[name]}</h2><span class="small soft">${translate('codeWhy')}</span><button class="pill push" type="button" data-copy="code-text" hidden>${icon('copy')} ${translate('copy')}</button><a class="btn pill" href="${sameWith(context, { code: null })}">${translate('close')}</a></header><pre id="code-text" tabindex="0">${text}</pre></section>`;
}
