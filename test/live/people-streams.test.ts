/** Goal: a session that was ended ends its streams, and leaves those of another session (C-40). Method: streams over fetch with cookies. */
import { expect, test } from 'vitest';
import { operatorContext } from '../../src/cli/with-store.ts';
import { acceptLink, makeSignInLink } from '../../src/resolvers/people/links.ts';
import { useApp } from '../support/app.ts';
import { signInAs, tokenOf } from '../support/people.ts';
import { makeOnramp } from './streams.ts';

const app = useApp();
const EVENTS = 'subscription { events { ... on TransactionEvent { transaction { end2end } } } }';

test('C-40: a session that was ended ends its streams, and leaves those of another session', async () => {
  const shop = await app.addAccount();
  const who = { email: 'streams@shop.invalid', role: 'viewer' } as const;
  const person = await signInAs(app, shop.accountId, who);
  const open = (token: string) =>
    fetch(`${app.baseUrl}/graphql?query=${encodeURIComponent(EVENTS)}`, {
      headers: { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin', accept: 'text/event-stream' },
    });
  const { url } = await makeSignInLink(await operatorContext(app.services, shop.accountId), who.email);
  const device = { origin: { requestId: null, address: null }, userAgent: null };
  const other = await acceptLink(app.services, tokenOf(url), device, undefined);
  const [ended, left] = [await open(person.token), await open(other)];
  expect([ended.status, left.status]).toEqual([200, 200]);
  await person.graphql(
    `mutation { revokeSession(input: { sessionId: "${person.sessionId}" }) { sessionId errors { code message path } } }`,
  );
  expect(await ended.text()).toContain('UNAUTHORIZED');
  const end2end = await makeOnramp(app, shop.apiKey);
  let text = '';
  const reader = left.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes(end2end)) text += (await reader?.read())?.value;
  await reader?.cancel();
});
