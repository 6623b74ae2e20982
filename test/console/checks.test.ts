/**
 * Goal: the console shows each check of `doctor` with a title and advice in the language of the reader. Method: the names of checks in
 * the sources of rails and of operation, and the screen of the rails.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test, vi } from 'vitest';
import { CHECK_TEXTS, checkText } from '../../src/console/words/checks.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const PATIENCE = { timeout: 40_000, interval: 500 };
const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
/** Forms in which sources name a check; `…` stands for a value. */
const NAMES = /(?:\bcheck(?:: | = )|(?:checking|checkOf|certificateChecks)\()(?:'([^']+)'|`([^`]+)`)/g;

const MODE = /\$\{mode\}/;
/** Name of a certificate, before the check of its key. */
const OF_PAIR = /\$\{name\}/;

/** @returns the names of the checks that the console shows, with a value in place of each `${…}`. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...readFileSync(join(SRC, folder, path), 'utf8').matchAll(NAMES)])
    .flatMap(([, text, template]) => text ?? template ?? [])
    .flatMap((name) => (MODE.test(name) ? ['sandbox', 'live'].map((mode) => name.replace(MODE, mode)) : name))
    .flatMap((name) =>
      OF_PAIR.test(name)
        ? ['certificate', 'callback certificate'].map((each) => name.replace(OF_PAIR, each))
        : name.replace(/\$\{[^}]+\}/g, 'X'),
    );
}

/** `examineLedger` is made by the command alone. */
const OF_COMMAND = ['ledger'];
const SHOWN = [...new Set(['rails', 'resolvers/rails'].flatMap(namesIn))].filter(
  (name) => !OF_COMMAND.includes(name),
);

test('every check that the console shows has a title and advice in both languages', () => {
  expect(SHOWN).toEqual(
    expect.arrayContaining(['worker', 'disk', 'gas', 'token', 'certificate key', 'list X']),
  );
  expect(SHOWN.filter((name) => !checkText(name, 'en'))).toEqual([]);
  for (const language of ['en', 'pt'] as const)
    for (const { title, advice } of Object.values(CHECK_TEXTS))
      expect([title[language], advice[language]]).not.toContain('');
  expect(checkText('list ofac', 'pt')?.title).toBe('Lista ofac');
  expect(checkText('bureau', 'pt', 'screening')?.title).toBe('Provedor bureau');
  expect(checkText('of another version', 'pt', 'pix')).toBeUndefined();
});

const app = useApp();
let risk: SignedInForTest;
beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  risk = await signInAs(app, platform, { email: 'rails@platform.invalid', role: 'platform_operator' });
});

test('the screen of the rails shows them in the language of the reader, and the finding as it is', async () => {
  // A busy machine may take more than the seconds that a page waits for.
  const read = (language: string) =>
    vi.waitFor(async () => {
      const page = await visit(app, risk, `/console/rails?lang=${language}`);
      expect(page.status, page.text).toBe(200);
      return page.text;
    }, PATIENCE);
  const english = await read('en');
  for (const text of ['Verification of the ledger', 'Connections to the database', 'lang="en"'])
    expect(english).toContain(text);
  const translated = await read('pt');
  for (const text of ['Conferência do razão', 'Conexões com o banco de dados', 'Relógio deste processo'])
    expect(translated).toContain(text);
  expect(translated).not.toContain('connection slots');
}, 60_000);
