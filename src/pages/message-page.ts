/** A page that says one thing: that a link leads nowhere, or that something failed. */
import type { Html } from './html.ts';
import { html } from './html.ts';
import type { Language } from './language.ts';
import { layout } from './layout.ts';
import { sayIn } from './words.ts';

/** What is said. */
export interface Message {
  readonly language: Language;
  readonly title: string;
  readonly text: string;
  /** Path of this page, with what it asks for. */
  readonly path: string;
  readonly requestId: string;
}

/** @returns the page. */
export function messagePage({ language, title, text, path, requestId }: Message): string {
  const say = sayIn(language);
  const main: Html = html`<main id="co"><h1>${title}</h1><p>${text}</p><p><small>${say('reference')} <code>${requestId}</code></small></p></main>`;
  return layout({
    language,
    say,
    title,
    branding: null,
    logo: null,
    languagePath: (other) => `${path}?lang=${other}`,
    isRefreshed: false,
    isTest: false,
    main,
  });
}
