/** The console of a test: a person who is signed in, as a browser has them. */
import type { BrowserContext } from 'playwright-core';
import { formToken } from '../../src/base/access/person-token.ts';
import type { TestApp } from './app.ts';
import type { SignedInForTest } from './people.ts';

/** A page of the console; no redirect is followed. A form has the token of the session, unless it has another. */
export async function visit(
  { baseUrl }: Pick<TestApp, 'baseUrl'>,
  person: Pick<SignedInForTest, 'token' | 'headers'> | null,
  path: string,
  options: {
    headers?: Record<string, string>;
    form?: Readonly<Record<string, string | readonly string[]>>;
  } = {},
) {
  const { headers, form } = options;
  const csrf = person ? formToken(person.token) : '';
  const response = await fetch(baseUrl + path, {
    redirect: 'manual',
    headers: { 'accept-language': 'en', ...person?.headers, ...headers },
    ...(form && { method: 'POST', body: formBody({ csrf, ...form }) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A form as a browser sends it: a list as one field for each member. */
function formBody(form: Readonly<Record<string, string | readonly string[]>>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(form).flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
  );
}

/** Signs a browser in. */
export async function signIn(
  context: BrowserContext,
  { baseUrl }: Pick<TestApp, 'baseUrl'>,
  { token }: Pick<SignedInForTest, 'token'>,
): Promise<void> {
  await context.addCookies([
    { name: 'session', value: token, url: baseUrl, httpOnly: true, sameSite: 'Lax' },
  ]);
}
