/** People who are signed in, for tests: invited by the operator, let in by their link. */

import type { Role } from '../../src/base/access/roles.ts';
import { operatorContext } from '../../src/cli/with-store.ts';
import { checksOf } from '../../src/resolvers/checks/check-creation.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import { inviteMember } from '../../src/resolvers/people/members.ts';
import { callerOfSession } from '../../src/resolvers/people/signed-in.ts';
import type { Services } from '../../src/resolvers/services/context.ts';
import type { TestApp } from './app.ts';

/** A person, signed in. */
export interface SignedInForTest {
  readonly personId: string;
  readonly sessionId: string;
  readonly token: string;
  /** Headers of a page of our own in the browser of the person. */
  readonly headers: Record<string, string>;
  /** A GraphQL operation, as such a page sends it. */
  readonly graphql: (query: string, variables?: Record<string, unknown>) => ReturnType<TestApp['graphql']>;
}

const DEVICE = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: 'Test/1.0' };

/** @returns the link of an invitation by the operator. */
export async function inviteByOperator(
  services: Services,
  accountId: bigint,
  { email, role }: { email: string; role: Role },
) {
  const context = await operatorContext(services, accountId);
  const input = {
    name: { name: 'name', value: email.split('@')[0] ?? '' },
    email: { name: 'email', value: email },
    role: { name: 'role', value: role },
  };
  return inviteMember(context, input, checksOf(context));
}

/** @returns the token of a link, as its address ends. */
export const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);

/** Invites somebody and lets them in. */
export async function signInAs(
  app: TestApp,
  accountId: bigint,
  who: { email: string; role: Role },
): Promise<SignedInForTest> {
  const { url, member } = await inviteByOperator(app.services, accountId, who);
  const token = await acceptLink(app.services, tokenOf(url), DEVICE, undefined);
  const caller = await callerOfSession(app.database, token);
  const headers = { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' };
  return {
    personId: member.id,
    sessionId: caller?.person.sessionId ?? '',
    token,
    headers,
    graphql: (query, variables) => app.post('/graphql', { query, variables }, { key: null, headers }),
  };
}
