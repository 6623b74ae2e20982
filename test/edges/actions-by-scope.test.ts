/**
 * Goal: every act can be done with the scope that it needs and with no other (C-40). Method: the acts as the code has them:
 * every mutation of the schema with arguments made from it, every route of `/v2`, every form of the pages, every command; each
 * mutation and route with a key of each single scope, and with one of all scopes but the needed one.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS } from '../../src/base/access/actions.ts';
import { grantableScopes, PLATFORM_SCOPES, SCOPES, type Scope } from '../../src/base/access/api-key.ts';
import { COMMAND_ACTIONS } from '../../src/cli/command-actions.ts';
import { crossrampProgram } from '../../src/cli/program.ts';
import { PAGE_ACTIONS } from '../../src/pages/actions.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { creation } from '../support/graphql-client.ts';
import { documentOf, ENTRIES, MUTATIONS, missingScope, otherScopeOf, scopeOf } from '../support/mutations.ts';
import { errorsIn } from '../support/refusals.ts';
import { query, ROUTES, scopeOfBody, TARGETS } from '../support/rest-routes.ts';

const app = useApp({ rateLimit: null });
const ALL: readonly Scope[] = [...SCOPES, ...PLATFORM_SCOPES];

/** Reads that tell secrets, or who may do what. */
const READ_BY_ADMIN = ['/v2/webhook_endpoint/{id}/secrets', '/v2/webhook_secrets', '/v2/api_keys'];

let account: string;
let end2end: string;
/** Keys of one scope each. */
const alone = new Map<Scope, string>();
/** Keys of all scopes but one, of the account and of the platform. */
const without = new Map<Scope, readonly string[]>();

beforeAll(async () => {
  const shop = await app.addAccount();
  account = String(shop.accountId);
  const platform = await platformAccount(app.database, 'sandbox');
  const keyOf = async (holder: bigint, scopes: readonly Scope[]) => (await app.addKey(holder, scopes)).apiKey;
  const ofPlatform = grantableScopes({ isPlatform: true });
  for (const scope of ALL) {
    const isPlatform = PLATFORM_SCOPES.some((each) => each === scope);
    alone.set(scope, await keyOf(isPlatform ? platform : shop.accountId, [scope]));
    without.set(scope, [
      await keyOf(
        shop.accountId,
        SCOPES.filter((each) => each !== scope),
      ),
      await keyOf(
        platform,
        ofPlatform.filter((each) => each !== scope),
      ),
    ]);
  }
  const input = { currency: 'USDT_TRX' };
  const { json } = await app.graphql(creation('createCheckout'), { input }, { key: shop.apiKey });
  end2end = json.data.createCheckout.transaction.end2end;
});

describe('mutations', () => {
  test('each is an action, and each action names existing mutations', () => {
    const named = ENTRIES.flatMap(([, { mutations }]) => mutations);
    expect([...new Set(named)].sort()).toEqual(MUTATIONS.map(({ name }) => name).sort());
  });

  test.each(MUTATIONS.map((field) => [field.name, field] as const))('C-40: %s', async (name, field) => {
    const needed = scopeOf(name) as Scope;
    const lacks = async (key: string | undefined) => {
      const { json } = await app.graphql(documentOf(field, { account, end2end }), {}, { key: key ?? '' });
      return missingScope(errorsIn(json)?.[0]?.message);
    };
    const other = otherScopeOf(name);
    for (const scope of ALL)
      expect(await lacks(alone.get(scope)), scope).toBe(
        scope === needed || scope === other ? undefined : needed,
      );
    const [own, ofPlatform] = without.get(needed) ?? [];
    expect(await lacks(own)).toBe(other === 'move' ? undefined : needed);
    expect(await lacks(ofPlatform)).toBe(other === 'platform:risk' ? undefined : needed);
  });
});

describe('routes of /v2', () => {
  test('each that writes is an action, with its scope', () => {
    const reading = (path: string) => (READ_BY_ADMIN.includes(path) ? 'admin' : 'read');
    for (const { method, action, scope, path } of ROUTES)
      expect(method === 'GET' ? reading(path) : action && ACTIONS[action].scope, path).toBe(scope);
  });

  test.each(
    TARGETS.map((target) => [`${target.method} ${target.route}`, target] as const),
  )('C-40: %s', async (_name, target) => {
    const lacks = async (key: string | undefined) =>
      missingScope((await query(app, target, { key: key ?? '' })).json.detail);
    const needed = scopeOfBody(target);
    // Of a transaction that there is not, either scope is enough to be told so.
    const either = target.route.includes('{id}') ? target.otherScope : undefined;
    for (const scope of ALL)
      expect(await lacks(alone.get(scope)), scope).toBe(
        scope === needed || scope === either ? undefined : scope === target.scope ? needed : target.scope,
      );
    const [own, ofPlatform] = without.get(needed) ?? [];
    expect(await lacks(own)).toBe(either ? undefined : needed);
    expect(await lacks(ofPlatform)).toBe(target.scope);
  });
});

describe('pages and commands', () => {
  test('each form of a page is an action that a payer may perform', () => {
    for (const action of Object.values(PAGE_ACTIONS).flat())
      expect(['create', 'move'], action).toContain(ACTIONS[action].scope);
  });

  test('each command is an action, or reads', async () => {
    const program = await crossrampProgram();
    const commandsOf = (command: typeof program, path: readonly string[] = []): string[] => [
      ...(command.commands.length === 0 || path.join(' ') === 'trigger' ? [path.join(' ')] : []),
      ...command.commands.flatMap((each) => commandsOf(each as typeof program, [...path, each.name()])),
    ];
    expect(Object.keys(COMMAND_ACTIONS).sort()).toEqual(commandsOf(program).sort());
  });

  test('each action can be performed by some interface, or says where', () => {
    const elsewhere = [...Object.values(PAGE_ACTIONS).flat(), ...Object.values(COMMAND_ACTIONS)];
    const routes = ROUTES.flatMap(({ action }) => (action ? [action] : []));
    const nowhere = ENTRIES.filter(
      ([name, { mutations, description }]) =>
        mutations.length === 0 &&
        !/By .* only\.$/.test(description) &&
        ![...elsewhere, ...routes].some((each) => each === name),
    );
    expect(nowhere).toEqual([]);
  });
});
