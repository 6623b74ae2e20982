/** The sign-in pages: the form, a link, and the person's own sessions. All of these pages work without script. */
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import type { OwnPasskey } from '../../store/people/passkeys.ts';
import type { OwnAccount } from '../../store/people/people.ts';
import type { OpenLink } from '../../store/people/person-links.ts';
import type { OwnSession } from '../../store/people/person-sessions.ts';
import { browserName } from '../../ui/browser-name.ts';
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import type { Language } from '../../ui/language.ts';
import { card, keyValues, more, note, pair } from '../../ui/parts.ts';
import { roleWord } from '../../ui/role-words.ts';
import { showTime } from '../../ui/times.ts';
import { type DoorPage, signInTranslator } from './frame.ts';
import type { SignInWord } from './words.ts';

/** Path of the sign-in page. */
export const SIGN_IN_PATH = `${CONSOLE_PATH}/sign-in`;
/** Path of the page with the person's own sessions. */
export const SECURITY_PATH = `${CONSOLE_PATH}/security`;
/** Path of the page on which a person presents a passkey again. */
export const CONFIRM_PATH = `${CONSOLE_PATH}/confirm`;
/** Path that removes a passkey. */
export const REMOVE_PASSKEY_PATH = `${SECURITY_PATH}/remove-passkey`;
/** Path that ends the session. */
export const SIGN_OUT_PATH = `${CONSOLE_PATH}/sign-out`;
/** Path that changes the account. */
export const SWITCH_PATH = `${CONSOLE_PATH}/account`;

/**
 * @param companyPath - path to the sign-in provider; null if there is none.
 * @returns the page on which people sign in; they continue at `next`.
 */
export function signInPage(language: Language, next: string, companyPath: string | null): DoorPage {
  const translate = signInTranslator(language);
  return {
    language,
    path: SIGN_IN_PATH,
    title: translate('signIn'),
    isTest: false,
    main: html`<div class="card stack"><div><h1>${translate('signIn')}</h1><p class="soft">${translate('noPasswords')}</p></div>
${passkeyButton(language, 'sign-in', 'withPasskey', next)}
<noscript><p>${translate('needsScript')} ${translate('byLink')}</p></noscript>
${companyPath && html`<p class="or">${translate('or')}</p><a class="btn full" href="${companyPath}">${icon('people')} ${translate('withCompany')}</a>`}
${more(translate('noWay'), html`<p class="soft">${translate('noWayOther')}</p><p class="soft">${translate('noWayHow')}</p>`)}</div>
<p class="small soft">${translate('stay')}</p>`,
  };
}

/** A form that waits for a passkey. */
export interface HeldForm {
  readonly action: string;
  readonly values: Iterable<readonly [name: string, value: string]>;
}

/** Facts about the person who presents a passkey. */
export interface ConfirmTraits {
  readonly hasPasskey: boolean;
  readonly isTest: boolean;
  /** The form as filled in, which is sent afterwards. */
  readonly held?: HeldForm;
}

/** @returns the page on which a person presents a passkey again, and which then leads to `next`. */
export function confirmPage(
  language: Language,
  next: string,
  { hasPasskey, isTest, held }: ConfirmTraits,
): DoorPage {
  const translate = signInTranslator(language);
  const none = html`${note('info', translate('confirmNone'))}<a class="btn full" href="${SECURITY_PATH}">${translate('addPasskey')}</a>`;
  return {
    language,
    path: CONFIRM_PATH,
    title: translate('confirmTitle'),
    isTest,
    main: html`<div class="card stack"><div><h1>${translate('confirmTitle')}</h1><p class="soft">${translate('confirmWhy')}</p></div>
${hasPasskey ? passkeyButton(language, 'confirm', 'confirmNow', next) : none}${held && heldForm(held)}
${held && html`<a class="btn full" href="${next}">${translate('goBack')}</a>`}
<noscript><p>${translate('needsScript')}</p></noscript></div>`,
  };
}

/** Form without visible content: the script sends it after a passkey was presented. */
function heldForm({ action, values }: HeldForm): Html {
  return html`<form method="post" action="${action}" data-held>${[...values].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}</form>`;
}

/** A button that the script shows if the browser supports passkeys. */
function passkeyButton(
  language: Language,
  kind: 'add' | 'confirm' | 'sign-in',
  word: SignInWord,
  next: string,
): Html {
  const translate = signInTranslator(language);
  return html`<button class="primary full big" type="button" data-passkey="${kind}" data-next="${next}" data-failed="${translate('passkeyFailed')}" hidden>${icon('key')} ${translate(word)}</button>
<p id="say" role="status"></p>`;
}

/** Variants of the page of a link. */
export interface LinkTraits {
  /** Whether the link signs in without a passkey. */
  readonly isEnough: boolean;
  readonly isTest: boolean;
  /** Token of its form, so that no other page can send it. */
  readonly csrf: string;
}

/** @returns the page of a link; sending its form consumes the link. */
export function linkPage(
  language: Language,
  path: string,
  link: OpenLink,
  { isEnough, isTest, csrf }: LinkTraits,
): DoorPage {
  const translate = signInTranslator(language);
  const { name, email, accountName: account, kind } = link;
  const isInvitation = kind === 'INVITATION';
  const title = translate('welcome', { name });
  const form = html`<form method="post" action="${path}?lang=${language}"><input type="hidden" name="csrf" value="${csrf}"><button class="primary full big">${icon('key')} ${translate(isInvitation ? 'accept' : 'comeIn')}</button></form>
<p class="small soft">${translate('linkOnce')}</p>`;
  const first = html`${note('info', translate('signInFirst', { email }))}
<a class="btn full" href="${SIGN_IN_PATH}">${translate('signIn')}</a>`;
  return {
    language,
    path,
    title,
    isTest,
    main: html`<div class="card stack"><div><h1>${title}</h1>
<p class="soft">${isInvitation ? translate('invited', { name, email, account }) : `${account} · ${email}`}</p></div>
${isEnough ? form : first}</div>
<p class="small soft">${translate('stay')}</p>`,
  };
}

/** Content of the page of the person's own sessions. */
export interface OwnSignIn {
  readonly name: string;
  readonly email: string;
  readonly accountId: bigint;
  readonly sessionId: string;
  readonly csrf: string;
  readonly isTest: boolean;
  readonly accounts: readonly OwnAccount[];
  readonly sessions: readonly OwnSession[];
  readonly passkeys: readonly OwnPasskey[];
}

/** @returns the page on which a person sees their sessions, and ends them. */
export function securityPage(language: Language, own: OwnSignIn): DoorPage {
  const translate = signInTranslator(language);
  const secret = html`<input type="hidden" name="csrf" value="${own.csrf}">`;
  const form = (path: string, name: string, value: string, word: SignInWord) =>
    html`<form method="post" action="${path}?lang=${language}">${secret}<input type="hidden" name="${name}" value="${value}"><button>${translate(word)}</button></form>`;
  const sessions = own.sessions.map(
    (each) =>
      html`<li class="stack">${keyValues([
        pair(
          browserName(each.userAgent) ?? translate('unknownBrowser'),
          each.id === own.sessionId && html`<b>${translate('thisBrowser')}</b>`,
          true,
        ),
        pair(translate('lastSeen'), showTime(each.seenAt, language)),
        pair(translate('from'), each.address),
      ])}${each.id !== own.sessionId && form(`${SECURITY_PATH}/end`, 'sessionId', each.id, 'end')}</li>`,
  );
  const accounts = own.accounts.map(
    (
      each,
    ) => html`<li class="stack"><p><b>${each.name}</b> <span class="soft">${roleWord(each.role, language)}</span></p>
${each.accountId === own.accountId ? html`<p class="soft">${translate('actsOn')}</p>` : form(SWITCH_PATH, 'accountId', String(each.accountId), 'actOn')}</li>`,
  );
  const passkeys = own.passkeys.map(
    (each) =>
      html`<li class="stack">${keyValues([
        pair(translate('passkeyName'), html`<b>${each.name}</b>`),
        pair(translate('added'), showTime(each.createdAt, language)),
        pair(translate('lastUsed'), each.lastUsedAt && showTime(each.lastUsedAt, language)),
      ])}${form(REMOVE_PASSKEY_PATH, 'id', each.id, 'remove')}</li>`,
  );
  const add = html`<p class="field"><label for="passkey-name">${translate('passkeyName')}</label>
<input id="passkey-name" data-passkey-name value="Passkey" maxlength="60" autocomplete="off"></p>
${passkeyButton(language, 'add', 'addPasskey', SECURITY_PATH)}<noscript><p>${translate('needsScript')}</p></noscript>`;
  return {
    language,
    path: SECURITY_PATH,
    title: translate('security'),
    isTest: own.isTest,
    main: html`<h1>${translate('security')}</h1>
<p>${translate('signedInAs', { name: own.name, email: own.email })}</p>
<a class="btn" href="${CONSOLE_PATH}?lang=${language}">${translate('toConsole')}</a>
${card(translate('passkeys'), html`<div class="stack">${passkeys.length > 0 ? list(passkeys) : html`<p class="soft">${translate('noPasskeys')}</p>`}${add}</div>`)}
${card(translate('sessions'), list(sessions))}
${card(translate('accounts'), list(accounts))}
<form method="post" action="${SIGN_OUT_PATH}?lang=${language}">${secret}<button class="full">${translate('signOut')}</button></form>`,
  };
}

/** @returns a page with one message. */
export function messagePage(
  language: Language,
  path: string,
  [title, text]: readonly [SignInWord, SignInWord],
  requestId?: string,
): DoorPage {
  const translate = signInTranslator(language);
  return {
    language,
    path,
    title: translate(title),
    isTest: false,
    main: html`<div class="card stack"><h1>${translate(title)}</h1><p>${translate(text)}</p>
${requestId && html`<p class="small soft">${translate('reference')} <code>${requestId}</code></p>`}
<a class="btn full" href="${SIGN_IN_PATH}">${translate('signIn')}</a></div>`,
  };
}

function list(items: readonly Html[]): Html {
  return html`<ul class="plain stack">${items}</ul>`;
}
