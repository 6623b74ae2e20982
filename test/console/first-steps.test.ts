/** Goal: the start, the empty Home of the console and README lead a person through the same four steps. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { banner } from '../../src/server/process/banner.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
let owner: SignedInForTest;
beforeAll(async () => {
  const { accountId } = await app.addAccount();
  owner = await signInAs(app, accountId, { email: 'nova@shop.invalid', role: 'owner' });
});

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const stepsOf = (text: string, step: RegExp) => [...text.matchAll(step)].map(([, title]) => title);

/** Links of the steps, with their titles. */
async function home(language: string): Promise<string> {
  const { text } = await visit(app, owner, '/console', { headers: { 'accept-language': language } });
  return /<ol class="steps how">(.*?)<\/ol>/s.exec(text)?.[1] ?? '';
}

test.each([
  ['en', 'README.md'],
  ['pt-BR', 'README.pt-BR.md'],
])('the empty Home in %s has the four steps of %s', async (language, readme) => {
  const steps = stepsOf(read(readme), /^\*\*\d\. ([^.*]+)\.?\*\*/gm);
  expect(steps).toHaveLength(4);
  await expect.poll(async () => stepsOf(await home(language), /<a [^>]*>([^<]+)<\/a>/g)).toEqual(steps);
});

test('the start prints them', () => {
  const sandbox = {
    ...{ baseUrl: 'http://127.0.0.1:4000', graphqlUrl: 'http://127.0.0.1:4000/graphql', accountId: '1' },
    ...{ apiKey: 'a', platformKey: 'b', isNewKey: true, isNewPlatformKey: true },
    paths: { json: '/home/sandbox.json', header: '/home/sandbox.header' },
    holder: undefined,
    release: () => {},
  };
  const text = banner({ config: readConfig({}), sandbox, entrance: undefined, isTerminal: false });
  const titles = stepsOf(read('README.md'), /^\*\*(\d\. [^.*]+)\.?\*\*/gm);
  const printed = stepsOf(text, /^ {2}(\d\. .*)$/gm);
  expect(printed).toEqual(titles.map((title) => expect.stringMatching(new RegExp(`^${title}\\b`))));
});

test('each step of Home leads to a page that opens', async () => {
  const links = stepsOf(await home('en'), /href="([^"]+)"/g);
  expect(links).toHaveLength(4);
  for (const link of links) expect((await visit(app, owner, link as string)).status).toBe(200);
});
