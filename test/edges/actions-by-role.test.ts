/**
 * Goal: a person can do what the role has the scope for, and nothing else, whichever way it is asked for (C-40). Method: the
 * roles and acts as the code has them: every mutation over `/graphql`, every form of the console, every route of `/v2`, each by
 * a person of every role.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import { PLATFORM_ROLES, ROLE_NAMES, type Role, scopesOf } from '../../src/base/access/roles.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { creation } from '../support/graphql-client.ts';
import {
  documentOf,
  FORMS,
  fieldsOf,
  MUTATIONS,
  missingScope,
  otherScopeOf,
  scopeOf,
} from '../support/mutations.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';
import { query, TARGETS } from '../support/rest-routes.ts';

const app = useApp({ rateLimit: null });
/** Forms that only owners of the account use: they confirm who was invited, and name roles that need a passkey. */
const OF_OWNERS = ['ConfirmMember', 'UpdatePasskeyRoles'];
/** Roles with the scope `admin` that do not own the account. */
const NO_OWNERS: readonly Role[] = ['developer', 'operator'];
const people = new Map<Role, SignedInForTest>();
let known: { readonly account: string; readonly end2end: string };

beforeAll(async () => {
  const shop = await app.addAccount();
  const platform = await platformAccount(app.database, 'sandbox');
  for (const role of ROLE_NAMES) {
    const accountId = role in PLATFORM_ROLES ? platform : shop.accountId;
    people.set(role, await signInAs(app, accountId, { email: `${role}@people.invalid`, role }));
  }
  const input = { currency: 'USDT_TRX' };
  const { json } = await app.graphql(creation('createCheckout'), { input }, { key: shop.apiKey });
  known = { account: String(shop.accountId), end2end: json.data.createCheckout.transaction.end2end };
});

/** Asks by a person of every role. @returns the roles that were told that they have not the scope. */
async function refused(lacks: (person: SignedInForTest) => Promise<string | undefined>) {
  const found: [Role, string][] = [];
  for (const [role, person] of people) {
    const scope = await lacks(person);
    if (scope !== undefined) found.push([role, scope]);
    // One of the acts names roles that need a passkey, which nobody here has.
    await app.owner.query(`update account set passkey_roles = '{}' where passkey_roles <> '{}'`);
  }
  return found;
}

/** Roles that a mutation refuses, each with the scope that it names. */
const without = (mutation: string) => {
  const scope = scopeOf(mutation) as Scope;
  const enough: readonly Scope[] = [scope, otherScopeOf(mutation) ?? scope];
  return ROLE_NAMES.filter((role) => !enough.some((each) => scopesOf(role).includes(each))).map((role) => [
    role,
    scope,
  ]);
};

describe('C-40: by GraphQL, a person can do what the role has the scope for', () => {
  test.each(MUTATIONS.map((field) => [field.name, field] as const))('%s', async (name, field) => {
    const found = await refused(async (person) => {
      const { json } = await person.graphql(documentOf(field, known));
      return missingScope(errorsIn(json)?.[0]?.message);
    });
    expect(found).toEqual(without(name));
  });
});

describe('C-40: by a form of the console, a person can do what the role has the scope for', () => {
  test.each(FORMS.map((operation) => [operation.name, operation] as const))('%s', async (name, operation) => {
    // A person reads what to do, not the name of a scope.
    const found = await refused(async (person) => {
      const sent = { back: '/console/search', ...fieldsOf(operation, known) };
      const page = await visit(app, person, `/console/acts/${name}`, { form: sent });
      return page.status === 403 ? 'refused' : undefined;
    });
    const others = OF_OWNERS.includes(name) ? NO_OWNERS : [];
    const expected = [...without(operation.field).map(([role]) => role), ...others];
    expect(found.map(([role]) => role).sort()).toEqual(expected.sort());
  });
});

test('C-40: /v2 is for keys: no role opens any of its routes', async () => {
  for (const [role, { headers }] of people)
    for (const target of TARGETS)
      expect([role, target.route, (await query(app, target, { key: null, headers })).status]).toEqual([
        role,
        target.route,
        401,
      ]);
});
