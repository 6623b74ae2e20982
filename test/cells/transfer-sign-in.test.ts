/**
 * Goal: one sign-in serves all cells in which the same person has a role, and gives nobody more than their own sign-in there would. Method: two
 * applications on two databases, as cells of one origin, and browsers that carry cookies between them.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formToken } from '../../src/base/access/person-token.ts';
import { makeTransfer } from '../../src/base/access/sign-in-transfer.ts';
import { cellUnserved } from '../../src/compose/other-cells.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import { callerOfSession } from '../../src/resolvers/people/signed-in.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import { addIdentity } from '../../src/store/people/identities.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { startApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { inviteByOperator, tokenOf } from '../support/people.ts';

const stores = { first: useDatabase(), a1: useDatabase() };
const KEY = randomBytes(32);
const ISSUER = 'https://login.invalid';
type Cell = keyof typeof stores;
const gateways = {} as Record<Cell, Awaited<ReturnType<typeof startApp>>>;
const accounts = {} as Record<Cell, bigint>;

beforeAll(async () => {
  for (const cell of ['first', 'a1'] as const) {
    const other = cell === 'first' ? 'a1' : 'first';
    const cells = { own: cell, others: [cellUnserved(other === 'first' ? '' : other)], signInKey: KEY };
    gateways[cell] = await startApp(stores[cell].database, 0, { cells });
    const templates = REGISTRY.templates.map(({ name }) => name);
    accounts[cell] = await createAccount(stores[cell].database, 'Loja', { templates, mode: 'sandbox' });
  }
}, 60_000);
afterAll(async () => {
  for (const gateway of Object.values(gateways)) await gateway.close();
});

let people = 0;
const newEmail = () => {
  people += 1;
  return `person${people}@example.invalid`;
};

/** Makes a person of a cell, and signs them in by a link. @param subject - by which the provider knows them. */
async function personIn(cell: Cell, email: string, subject?: string) {
  const { services } = gateways[cell];
  const { database } = stores[cell];
  const who = { email, role: 'owner' } as const;
  const { url, member } = await inviteByOperator(services, accounts[cell], who);
  const device = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: null };
  const token = await acceptLink(services, tokenOf(url), device, undefined);
  if (subject) await addIdentity(database, { issuer: ISSUER, subject }, member.id, new Date());
  return { id: member.id, token };
}

/** Sends the form of the console's header. @returns the address in the other cell, and the cookie of the browser. */
async function leave(token: string, to = 'a1') {
  const answer = await fetch(`${gateways.first.publicUrl}/console/cell`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: `session=${token}` },
    body: new URLSearchParams({ csrf: formToken(token), cell: to }),
  });
  const location = answer.headers.get('location') ?? '';
  const cookie = answer.headers.get('set-cookie') ?? '';
  return { status: answer.status, location, cookie, secret: cookie.split(';')[0] ?? '' };
}

async function arrive(location: string, cookie: string, cell: Cell = 'a1') {
  const path = location.replace(/^\/cells\/\w+/, '');
  const answer = await fetch(gateways[cell].publicUrl + path, { redirect: 'manual', headers: { cookie } });
  const [, token] = /(?:^|, )session=([\w-]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
  return { status: answer.status, location: answer.headers.get('location'), token };
}
const REFUSED = { status: 303, location: '/console/sign-in?cell=a1', token: undefined };

test('a sign-in in one cell opens the other, as the same person', async () => {
  const email = newEmail();
  const { token } = await personIn('first', email, 'one');
  const there = await personIn('a1', email, 'one');
  const left = await leave(token);
  expect(left.location).toMatch(/^\/cells\/a1\/console\/transfer\?of=/);
  expect(left.cookie).toMatch(/^transfer=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=60$/);
  const arrived = await arrive(left.location, left.secret);
  expect(arrived).toMatchObject({ status: 303, location: '/console?cell=a1' });
  const caller = await callerOfSession(stores.a1.database, arrived.token ?? '');
  expect(caller?.id).toBe(there.id);
  const page = await fetch(`${gateways.a1.publicUrl}/console`, {
    headers: { cookie: `session=${arrived.token}` },
  });
  expect(await page.text()).toContain('Abrir célula first');
  const { rows } = await stores.a1.owner.query(
    `select after ->> 'way' as way from audit_entry where act = 'person.sign_in' order by at desc, seq desc limit 1`,
  );
  expect(rows[0].way).toBe('CELL');
});

test('it counts neither as a passkey nor as a new sign-in, and lasts no longer than the first', async () => {
  const email = newEmail();
  const { token } = await personIn('first', email, 'two');
  await personIn('a1', email, 'two');
  const begun = `select created_at as at from person_session where id = $1`;
  const own = await callerOfSession(stores.first.database, token);
  await stores.first.owner.query(
    `update person_session set created_at = now() - interval '3 days', verified_at = now() where id = $1`,
    [own?.person.sessionId],
  );
  const { location, secret } = await leave(token);
  const arrived = await arrive(location, secret);
  const there = await callerOfSession(stores.a1.database, arrived.token ?? '');
  expect(there?.person).toMatchObject({ verifiedAt: null, hasJustSignedIn: false });
  const [first, second] = await Promise.all([
    stores.first.owner.query(begun, [own?.person.sessionId]),
    stores.a1.owner.query(begun, [there?.person.sessionId]),
  ]);
  expect(second.rows[0].at).toEqual(first.rows[0].at);
});

test('it does not count as a new sign-in right after one', async () => {
  const email = newEmail();
  const { token } = await personIn('first', email, 'three');
  await personIn('a1', email, 'three');
  const { location, secret } = await leave(token);
  const arrived = await arrive(location, secret);
  const there = await callerOfSession(stores.a1.database, arrived.token ?? '');
  expect(there?.person.hasJustSignedIn).toBe(false);
});

describe('nothing is opened', () => {
  const email = newEmail();
  let token: string;
  beforeAll(async () => {
    ({ token } = await personIn('first', email, 'four'));
    await personIn('a1', email, 'four');
  });

  test('twice, also at the same time', async () => {
    const { location, secret } = await leave(token);
    const arrived = await Promise.all([1, 2, 3, 4].map(() => arrive(location, secret)));
    expect(arrived.filter((each) => each.token !== undefined)).toHaveLength(1);
    expect(await arrive(location, secret)).toEqual(REFUSED);
  });

  test('in another browser, or without one', async () => {
    const { location } = await leave(token);
    const { secret } = await leave(token);
    expect(await arrive(location, secret)).toEqual(REFUSED);
    expect(await arrive(location, '')).toEqual(REFUSED);
  });

  test('in another cell than was named', async () => {
    const { location, secret } = await leave(token);
    expect((await arrive(location, secret, 'first')).token).toBeUndefined();
  });

  test.each([
    ['changed', (text: string) => text.replace(/of=./, 'of=A')],
    ['unsigned', (text: string) => text.replace(/\.[\w-]+$/, '')],
    ['with another signature', (text: string) => text.replace(/.{43}$/, 'A'.repeat(43))],
    ['empty', () => '/console/transfer'],
  ])('%s', async (_, forge) => {
    const { location, secret } = await leave(token);
    expect(await arrive(forge(location), secret)).toEqual(REFUSED);
  });

  const made = (key: Buffer, madeAt: number) => {
    const identities = [{ issuer: ISSUER, subject: 'four' }];
    const { secret, text } = makeTransfer(key, {
      from: 'first',
      to: 'a1',
      identities,
      signedInAt: madeAt,
      madeAt,
    });
    return arrive(`/console/transfer?of=${text}`, `transfer=${secret}`);
  };
  test('later than a minute, and by another key', async () => {
    const nowMs = stores.a1.database.nowMs();
    expect((await made(KEY, nowMs)).token).toBeDefined();
    expect(await made(KEY, nowMs - 61_000)).toEqual(REFUSED);
    expect(await made(KEY, nowMs + 61_000)).toEqual(REFUSED);
    expect(await made(randomBytes(32), nowMs)).toEqual(REFUSED);
  });

  test('to a person who only has the same e-mail address: the inviter holds their link, too', async () => {
    const same = newEmail();
    const victim = await personIn('a1', same, 'victim');
    const { token: invited } = await personIn('first', same);
    const { location, secret } = await leave(invited);
    expect(await arrive(location, secret)).toEqual(REFUSED);
    expect(victim.id).toBeDefined();
  });

  test('to a person without a role there', async () => {
    const { token: alone } = await personIn('first', newEmail(), 'five');
    const { location, secret } = await leave(alone);
    expect(await arrive(location, secret)).toEqual(REFUSED);
  });

  test('for a cell that is not there, a forged form, or without a session', async () => {
    expect((await leave(token, 'zz')).status).toBe(404);
    const forged = await fetch(`${gateways.first.publicUrl}/console/cell`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: `session=${token}` },
      body: new URLSearchParams({ csrf: 'x'.repeat(43), cell: 'a1' }),
    });
    expect(forged.status).toBe(403);
  });
});
