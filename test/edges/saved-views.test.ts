/**
 * Goal: a person keeps screens under names, in each account apart; nobody else sees them, and no address leads elsewhere (C-15,
 * C-40). Method: over GraphQL by people and keys, and the form of the console.
 */

import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const LATE = '/console/transactions?status=EXPIRED';
let rita: SignedInForTest;
let leo: SignedInForTest;

beforeAll(async () => {
  rita = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  leo = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'viewer' });
});

const SAVE =
  'mutation ($name: String!, $path: String!) { saveView(input: { name: $name, path: $path }) { savedView { name path } errors { code message path } } }';
const save = async (name: string, path = LATE, person = rita) =>
  (await person.graphql(SAVE, { name, path })).json;
const remove = async (name: string, person = rita) =>
  (
    await person.graphql(
      'mutation ($name: String!) { removeView(input: { name: $name }) { savedView { name } errors { code message path } } }',
      { name },
    )
  ).json;
const views = async (person = rita) =>
  (await person.graphql('{ viewer { person { savedViews { name path } } } }')).json.data.viewer.person
    .savedViews;
const codeOf = (json: { errors?: { extensions: { code: string } }[] }) =>
  errorsIn(json)?.[0]?.extensions.code;

test("a view is kept, gives way to one of its name, and is forgotten; it is its person's alone", async () => {
  expect((await save(' Late ')).data.saveView.savedView).toEqual({ name: 'Late', path: LATE });
  await save('Big', '/console/transactions?amountMin=1000');
  await save('Late', '/console/transactions?status=EXPIRED&family=CHECKOUTS');
  expect(await views()).toEqual([
    { name: 'Big', path: '/console/transactions?amountMin=1000' },
    { name: 'Late', path: '/console/transactions?status=EXPIRED&family=CHECKOUTS' },
  ]);
  expect(await views(leo)).toEqual([]);
  expect(codeOf(await remove('Late', leo))).toBe('NOT_FOUND');
  expect((await remove('Late')).data.removeView.savedView).toEqual({ name: 'Late' });
  for (const name of ['Late', '', 'x\u0000']) expect(codeOf(await remove(name))).toBe('NOT_FOUND');
  await remove('Big');
});

test.each([
  ['name', '', LATE],
  ['name', '   ', LATE],
  ['name', 'x'.repeat(61), LATE],
  ['name', 'x\u0000', LATE],
  ['name', 'x\u202ey', LATE],
  ['path', 'Elsewhere', 'https://elsewhere.invalid/console'],
  ['path', 'Elsewhere', '//elsewhere.invalid/console'],
  ['path', 'Elsewhere', '/pay/x'],
  ['path', 'Long', `/console?x=${'x'.repeat(2_000)}`],
])('a wrong %s is refused by its name', async (parameter, name, path) => {
  const refused = await save(name, path);
  expect(codeOf(refused)).toBe('INVALID_PARAMETER');
  expect(errorsIn(refused)[0].extensions.violations).toMatchObject([{ parameter: `input.${parameter}` }]);
});

test('there are fifty at most; a key has none', async () => {
  for (let each = 0; each < 50; each++) await save(`view ${each}`, LATE, leo);
  expect(codeOf(await save('one more', LATE, leo))).toBe('INVALID_PARAMETER');
  expect((await save('view 7', '/console', leo)).data.saveView.savedView.path).toBe('/console');
  const { json } = await app.graphql(SAVE, { name: 'Late', path: LATE });
  expect(codeOf(json)).toBe('FORBIDDEN');
});

test('the console stores the present list, without its page, and leads back to it; a removed member loses their views', async () => {
  const shown = `${LATE}&at=25&after=x&lang=en`;
  const page = await visit(app, rita, LATE);
  expect(page.text).toContain(`name="path" value="${LATE}"`);
  const form = { back: shown, name: 'Late ones', path: LATE };
  expect((await visit(app, rita, '/console/acts/SaveView', { form })).status).toBe(303);
  const after = await visit(app, rita, '/console/transactions');
  expect(after.text).toContain(`href="${LATE}">Late ones</a>`);
  expect((await visit(app, leo, '/console/statement')).text).toContain('view 49');
  await rita.graphql(
    'mutation ($id: String!) { removeMember(input: { personId: $id }) { member { personId } errors { code message path } } }',
    {
      id: leo.personId,
    },
  );
  const { rows } = await app.owner.query('select count(*)::int as n from saved_view where person_id = $1', [
    leo.personId,
  ]);
  expect(rows).toEqual([{ n: 0 }]);
});
