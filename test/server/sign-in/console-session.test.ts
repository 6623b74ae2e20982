/** Goal: the cookie of a session is as strict as its place allows, and a form is taken from our own page only (C-40). */
import { describe, expect, test } from 'vitest';
import { formToken, newPersonToken } from '../../../src/base/access/person-token.ts';
import { consoleOrigin, linkUrl } from '../../../src/base/pages/console-url.ts';
import { consoleSessions, refuseForgedForm } from '../../../src/server/sign-in/console-session.ts';
import { TEST_SECRETS } from '../../support/secrets.ts';

const sessionsAt = (publicUrl: string) =>
  consoleSessions({ publicUrl, database: undefined as never, secrets: TEST_SECRETS });

describe('the cookie', () => {
  test('has its prefix and Secure with https, and neither over plain http', () => {
    const token = newPersonToken();
    expect(sessionsAt('https://pay.example').begin(token)).toEqual([
      `__Host-session=${token}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800`,
      expect.stringMatching(
        /^__Host-device=s1\.[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000$/,
      ),
    ]);
    expect(sessionsAt('http://127.0.0.1:4000').begin(token)).toEqual([
      `session=${token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800`,
      expect.stringMatching(/^device=s1\.[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/),
    ]);
    expect(sessionsAt('https://pay.example').end()).toMatch(/^__Host-session=; .*Max-Age=0$/);
  });
});

describe('a form', () => {
  const token = newPersonToken();
  const session = { csrf: formToken(token) };
  const send = (site: string | undefined, csrf: string) =>
    refuseForgedForm(
      { request: { headers: site === undefined ? {} : { 'sec-fetch-site': site } } as never },
      session,
      new URLSearchParams({ csrf }),
    );
  test.each(['same-origin', 'none', undefined])('with the token of its session is taken (%s)', (site) => {
    expect(() => send(site, session.csrf)).not.toThrow();
  });
  test('of another site, of another session, or without a token is refused', () => {
    expect(() => send('cross-site', session.csrf)).toThrow(/from the page itself only/);
    expect(() => send('same-site', session.csrf)).toThrow(/from the page itself only/);
    for (const forged of ['', token, formToken(newPersonToken()), 'é'.repeat(43)])
      expect(() => send('same-origin', forged)).toThrow(/belongs to another session/);
  });
});

test.each([
  ['http://127.0.0.1:4000', 'http://localhost:4000'],
  ['http://[::1]:4000', 'http://localhost:4000'],
  ['https://pay.example', 'https://pay.example'],
])('links to %s begin with %s', (publicUrl, origin) => {
  expect(consoleOrigin(publicUrl)).toBe(origin);
  expect(linkUrl(publicUrl, 'x')).toBe(`${origin}/console/link/x`);
});
