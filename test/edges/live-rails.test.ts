/**
 * Goal: a live account is only read where there are no live rails, and never reads the words of the sandbox where there are
 * (C-40). Method: every mutation of the schema with a live key on a gateway without live rails; orders on one with a double of
 * them.
 */

import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { PLATFORM_SCOPES, SCOPES } from '../../src/base/access/api-key.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { errorsIn } from '../support/refusals.ts';
import { BODIES } from '../support/rest-routes.ts';

const without = useApp();
const withRails = useApp({ liveRails: LIVE_RAILS });

const schema = buildSchema(readFileSync(new URL('../../schema.operator.graphql', import.meta.url), 'utf8'));
const MUTATIONS = Object.values(schema.getMutationType()?.getFields() ?? {});
/** What a live account may do without rails, and what is no act of a live account at all. */
const OTHERS: Readonly<Record<string, string | undefined>> = {
  createStreamToken: undefined,
  // What ends somebody's way in is never refused.
  revokeApiKey: 'NOT_FOUND',
  removeMember: 'NOT_FOUND',
  revokeSession: 'NOT_FOUND',
  // Work on the queue moves nothing.
  assignReviewCase: 'NOT_FOUND',
  releaseReviewCase: 'NOT_FOUND',
  addReviewNote: 'NOT_FOUND',
  // Which act it is depends on what is cancelled, and here there is nothing.
  cancelTransaction: 'NOT_FOUND',
  // Only a person has passkeys.
  removePasskey: 'FORBIDDEN',
  sandboxTrigger: 'FORBIDDEN',
  sandboxFund: 'FORBIDDEN',
  sandboxAdvanceClock: 'FORBIDDEN',
};

/** A value that an argument takes, as it stands in a document; where texts have a form, one that fits. */
function textOf(type: GraphQLInputType, name: string): string {
  if (isNonNullType(type)) return textOf(type.ofType, name);
  if (isListType(type)) return `[${textOf(type.ofType, name)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    // Of a choice, the first is taken.
    const members = type.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
    return `{ ${members.map((each) => `${each.name}: ${textOf(each.type, each.name)}`).join(', ')} }`;
  }
  const known: Readonly<Record<string, string>> = {
    currency: '"USDT_TRX"',
    url: '"https://shop.example.com/hook"',
    scopes: '"read"',
    since: '"2026-05-01T00:00:00Z"',
    taxId: '"52998224725"',
    day: '"2026-05-01"',
    brl: '"100"',
    by: '"1s"',
  };
  return (
    known[name] ?? ({ Int: '1', Boolean: 'true', DateTime: '"2026-05-01T00:00:00Z"' }[String(type)] || '"1"')
  );
}

/** A document that calls a mutation with the arguments that it must have. */
function callOf({ name, args }: (typeof MUTATIONS)[number]): string {
  const given = args.filter((each) => isRequiredInputField(each) || each.name === 'input');
  const list = given.map((each) => `${each.name}: ${textOf(each.type, each.name)}`).join(', ');
  return `mutation { ${name}(${list}) { errors { code message path } } }`;
}

describe('a gateway without live rails', () => {
  let live: Awaited<ReturnType<typeof without.addAccount>>;
  let platformKey: string;

  beforeAll(async () => {
    live = await without.addAccount({ mode: 'live' });
    const platform = await platformAccount(without.database, 'live');
    platformKey = (await without.addKey(platform, ['read', 'admin', ...PLATFORM_SCOPES])).apiKey;
  });

  test.each(
    MUTATIONS.map((each) => [each.name, each] as const),
  )('C-40: %s is refused to live keys', async (name, mutation) => {
    const document = callOf(mutation);
    const expected = name in OTHERS ? OTHERS[name] : 'RAILS_MISSING';
    const codes = [];
    for (const key of [live.apiKey, platformKey]) {
      const { json } = await without.graphql(document, {}, { key });
      codes.push(errorsIn(json)?.[0].extensions.code);
    }
    // Each act needs a scope that one of the two has.
    expect(codes).toContain(expected);
    expect([expected, 'FORBIDDEN']).toEqual(expect.arrayContaining(codes));
  });

  test('C-40: nothing of it was stored', async () => {
    const { rows } = await without.owner.query(
      `select act from audit_entry where account_id = $1 and act <> 'stream_token.create'`,
      [live.accountId],
    );
    expect(rows).toEqual([]);
    const keys = await without.owner.query('select from api_key where account_id = $1', [live.accountId]);
    expect(keys.rowCount).toBe(1);
  });

  test('C-40: records can be read, and a leaked key can be revoked', async () => {
    expect((await without.get('/v2/balance', { key: live.apiKey })).status).toBe(200);
    const leaked = await without.addKey(live.accountId, SCOPES);
    const { json } = await without.graphql(
      `mutation { revokeApiKey(input: { keyId: "${leaked.keyId}" }) { apiKey { revokedAt } errors { code message path } } }`,
      {},
      { key: live.apiKey },
    );
    expect(json.data.revokeApiKey.apiKey.revokedAt).toEqual(expect.any(String));
  });
});

describe('a gateway with live rails', () => {
  let live: Awaited<ReturnType<typeof withRails.addAccount>>;

  beforeAll(async () => {
    live = await withRails.addAccount({ mode: 'live' });
  });

  test('C-40: live keys are created, and work', async () => {
    const made = await withRails.graphql(
      'mutation { createApiKey(input: { name: "Till", scopes: ["create", "read"] }) { issuedApiKey { apiKey } errors { code message path } } }',
      {},
      { key: live.apiKey },
    );
    const { apiKey } = made.json.data.createApiKey.issuedApiKey;
    expect(apiKey).toMatch(/^crx_live_/);
    const { status, json } = await withRails.post('/v2/onramp', BODIES['/v2/onramp'], { key: apiKey });
    expect([status, json.code]).toEqual([201, undefined]);
  });

  test.each([
    ['/v2/onramp', 'sandbox:hold,swap-fail'],
    ['/v2/crossramp_checkout', 'order 7 sandbox:swap-fail'],
  ])('C-40: POST %s on a live account takes "%s" as any other reference', async (path, words) => {
    const plansOf = async (key: string) => {
      const { status, json } = await withRails.post(path, { ...BODIES[path], external_code: words }, { key });
      expect([status, json.code]).toEqual([201, undefined]);
      const { rows } = await withRails.owner.query(
        `select external_code as words, count(p.scenario)::int as plans from transaction t
           left join sandbox_plan p on p.account_id = t.account_id and p.transaction_id = t.id
          where t.end2end = $1 group by external_code`,
        [json.end2end],
      );
      return rows;
    };
    expect(await plansOf(live.apiKey)).toEqual([{ words, plans: 0 }]);
    const sandboxKey = (await withRails.addAccount()).apiKey;
    expect(await plansOf(sandboxKey)).toEqual([{ words, plans: words.split(',').length }]);
  });
});
