/** API keys in `/v2` (C-40). */
import { SCOPES } from '../base/access/api-key.ts';
import { assert } from '../base/errors/assert.ts';
import { parseInstant } from '../base/time/instant.ts';
import {
  ALLOWED_CIDRS_MAX,
  API_KEYS_MAX,
  issueKey,
  KEY_OVERLAP_SECONDS,
  type KeyInput,
  revokeApiKey,
  rotateKey,
} from '../resolvers/account/manage-keys.ts';
import { KEYS_LISTED_MAX, listApiKeys, readApiKey } from '../resolvers/account/read-keys.ts';
import type { CreationChecks } from '../resolvers/checks/check-creation.ts';
import type { NamedList } from '../resolvers/checks/check-event-names.ts';
import { inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { ListedKey } from '../store/account/api-keys.ts';
import { type Body, parseInteger } from './input.ts';
import { text, texts, whole } from './members.ts';
import { listSchema, oneSchema, type RecordRead, type RecordWrite } from './record-route.ts';
import { membersOf, type RecordShape, recordJson } from './record-shape.ts';

const key = membersOf<ListedKey>();

/** Keys without their text. */
export const API_KEY: RecordShape<ListedKey> = {
  name: 'ApiKey',
  members: {
    key_id: key.text('Identifier, `key_…`; not the text of the key.', ({ id }) => id),
    name: key.text('Your own name for it.', ({ name }) => name),
    hint: key.text('Last four characters of its text.', ({ hint }) => hint),
    mode: key.text('Whether it may use the sandbox or real rails.', ({ mode }) => mode, {
      enum: ['test', 'live'],
    }),
    scopes: key.texts('Its rights.', ({ scopes }) => scopes),
    allowed_cidrs: key.texts(
      'Networks that it may be used from; empty: any.',
      ({ allowedCidrs }) => allowedCidrs,
    ),
    made_by: key.textOrNull(
      '`key_id` of the key, or id of the person, that created it; null: the operator did.',
      ({ madeBy, madeByPerson }) => madeBy ?? madeByPerson,
    ),
    replaces: key.textOrNull('`key_id` of the key that it replaced.', ({ replaces }) => replaces),
    created_at: key.time('When it was issued.', ({ createdAt }) => createdAt),
    expires_at: key.timeOrNull('When it stops working; null: never.', ({ expiresAt }) => expiresAt),
    revoked_at: key.timeOrNull('When it was revoked.', ({ revokedAt }) => revokedAt),
    last_used_at: key.timeOrNull('When it was last used, to about a minute.', ({ lastUsedAt }) => lastUsedAt),
  },
};

const TAG = 'keys';
const ID = 'The key, `key_…`.';
const ISSUED = {
  type: 'object',
  properties: {
    api_key: {
      type: ['string', 'null'],
      description:
        'Text of the key. Store it: it is shown here once, and null when this answer is given again under its idempotency key.',
    },
    key: oneSchema(API_KEY.name),
  },
  required: ['api_key', 'key'],
  additionalProperties: false,
};

async function one(context: Context, id: string) {
  return { answer: recordJson(API_KEY, await readApiKey(context, id), context) };
}

async function issued(context: Context, { keyId, apiKey }: { keyId: string; apiKey: string | null }) {
  const shown = recordJson(API_KEY, await readApiKey(context, keyId), context);
  return { answer: { api_key: apiKey, key: shown }, stored: { key_id: keyId } };
}

/** The text of a key is stored nowhere, so a replay is answered without it. */
const again: RecordWrite['again'] = async (context, stored) => {
  const { key_id: keyId } = stored as { key_id?: string };
  assert(keyId, 'the stored answer names the key');
  return (await issued(context, { keyId, apiKey: null })).answer;
};

/** Routes for reading. */
export const KEY_READS: readonly RecordRead[] = [
  {
    path: '/v2/api_keys',
    ...{ tag: TAG, operation: 'list_api_keys', schema: listSchema(API_KEY.name) },
    summary: `Lists the keys of the account: valid ones first, each part newest first, at most ${inProse(KEYS_LISTED_MAX)}`,
    scope: 'admin',
    respond: async (context, _request, violations) => {
      violations.refuse();
      return { results: (await listApiKeys(context)).map((row) => recordJson(API_KEY, row, context)) };
    },
  },
];

function inputOf(body: Body, checks: CreationChecks): KeyInput {
  const name = body.get('name');
  const end = body.get('expires_at');
  const expiresAt = end && parseInstant(end.value);
  if (end && !expiresAt)
    checks.add({ parameter: end.name, message: 'must be a time such as 2027-01-31T12:00:00Z' });
  const each = (list: NamedList | undefined) =>
    (list?.values ?? []).map((value, at) => ({ name: `${list?.name}.${at}`, value }));
  return {
    name: name ?? { name: 'name', value: '' },
    scopes: each(body.list('scopes')),
    expiresAt: end && expiresAt ? { name: end.name, value: expiresAt } : undefined,
    allowedCidrs: each(body.list('allowed_cidrs')),
    names: { scopes: 'scopes', allowedCidrs: 'allowed_cidrs' },
  };
}

/** Routes for writing. */
export const KEY_WRITES: readonly RecordWrite[] = [
  {
    path: '/v2/api_key',
    ...{ tag: TAG, operation: 'create_api_key', schema: ISSUED },
    action: 'key.create',
    summary: `Creates a key with scopes of the key that creates it. An account can have ${API_KEYS_MAX} that are valid`,
    status: 201,
    shape: {
      name: text('Your own name for it.', {
        ...{ example: 'shop', minLength: 1, maxLength: REFERENCE_LENGTH_MAX },
      }),
      scopes: texts('Its rights; only scopes of the key that creates it.', {
        ...{ example: ['read', 'create'], maxItems: SCOPES.length, of: { enum: SCOPES } },
      }),
      expires_at: text(
        'When it stops working. Default: when the key that creates it does; not later than that.',
        { format: 'date-time' },
      ),
      allowed_cidrs: texts(
        'Networks that it may be used from, such as `203.0.113.0/24`. Default: those of the key that creates it; not outside of them.',
        { maxItems: ALLOWED_CIDRS_MAX },
      ),
    },
    needs: { all: ['name', 'scopes'] },
    perform: async (context, { made, bind }, { body, checks }) => {
      const input = inputOf(body, checks);
      return issued(
        context,
        made ? { keyId: made, apiKey: null } : await issueKey(context, input, checks, { bind }),
      );
    },
    again,
  },
  {
    path: '/v2/api_key/{id}/rotate',
    ...{ tag: TAG, operation: 'rotate_api_key', schema: ISSUED, id: ID },
    action: 'key.rotate',
    summary:
      'Creates a key that replaces another, with the same name, scopes, networks and end; the old one stays valid for a while',
    shape: {
      overlap_seconds: whole(
        `Time for which the old key stays valid, in seconds. Only 0 while ${API_KEYS_MAX} keys are valid.`,
        { minimum: 0, maximum: KEY_OVERLAP_SECONDS.max, default: KEY_OVERLAP_SECONDS.default },
      ),
    },
    perform: async (context, { made, bind }, { id, body, checks }) => {
      const name = 'overlap_seconds';
      const seconds = parseInteger(body.get(name), 0, KEY_OVERLAP_SECONDS.max, checks);
      checks.refuse();
      const overlap = { name, value: seconds ?? KEY_OVERLAP_SECONDS.default };
      return issued(
        context,
        made ? { keyId: made, apiKey: null } : await rotateKey(context, id, overlap, { bind }),
      );
    },
    again,
  },
  {
    path: '/v2/api_key/{id}/revoke',
    ...{ tag: TAG, operation: 'revoke_api_key', schema: oneSchema(API_KEY.name), id: ID },
    action: 'key.revoke',
    summary: 'Revokes a key: every process refuses it within a second',
    perform: async (context, _attempt, { id, checks }) => {
      checks.refuse();
      await revokeApiKey(context, id);
      return one(context, id);
    },
  },
];
