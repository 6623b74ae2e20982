/**
 * Goal: what a caller gives has a maximum wherever it is a list, so that one request can neither hold up the process nor be
 * answered with megabytes (C-50). Method: bodies and lists at the maximum and above it; the lists are those of the schema, so that a
 * new one without a maximum here fails. Never by time: by the refusal and the size of the answer.
 */
import {
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { NOTIFICATION_KINDS } from '../../src/base/access/notification-kinds.ts';
import { ROLE_NAMES } from '../../src/base/access/roles.ts';
import { GatewayError } from '../../src/base/errors/errors.ts';
import { VIOLATIONS_MAX, Violations } from '../../src/base/errors/violations.ts';
import { checkSize } from '../../src/base/input/input-bounds.ts';
import { ALLOWED_CIDRS_MAX, SCOPES_MAX } from '../../src/resolvers/account/manage-keys.ts';
import { EVENT_NAMES_MAX } from '../../src/resolvers/checks/check-event-names.ts';
import { LISTED_MAX } from '../../src/resolvers/checks/lengths.ts';
import { BRANDING_MAX } from '../../src/resolvers/settings/manage-branding.ts';
import { ORIGINS_MAX } from '../../src/resolvers/settings/manage-origins.ts';
import { parseQuery } from '../../src/rest-compat/input.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { WRITES } from '../support/rest-routes.ts';

const app = useApp();

const ANSWER_MAX = 40_000;
const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
const BODIES = WRITES.map(({ path }) => path);
const list = (count: number, entry: unknown = 1) => JSON.stringify(Array(count).fill(entry));
const nested = (part: string) => `{"address":[{"x":${part}}]}`;
const MEMBERS = 'an object must have at most 200 members';
const ENTRIES = 'a list must have at most 1,000 entries';
const LEVELS = 'lists and objects must nest at most 200 deep';
const VALUES = 'all lists and objects together must have at most 10,000 values';
const TOO_LARGE = [
  [members(201), MEMBERS],
  [members(70_000), MEMBERS],
  [`{${Array(201).fill('"k":1').join(',')}}`, MEMBERS],
  [list(1_001), ENTRIES],
  [nested(members(201)), MEMBERS],
  [nested(list(1_001)), ENTRIES],
  [nested(list(20, Array(1_000).fill(1))), VALUES],
  [nested(list(1_000, Array(10).fill({}))), VALUES],
  [`{"a":${'['.repeat(201)}`, LEVELS],
  // It is not parsed first.
  [`${list(1_001)} is no JSON`, ENTRIES],
] as const;

describe('a body of /v2', () => {
  it.each(BODIES)('%s: at most 200 members are checked, and some of them reported', async (path) => {
    const { status, json, text } = await app.post(path, members(200));
    expect([status, json.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(json.violations).toHaveLength(VIOLATIONS_MAX);
    expect(text.length).toBeLessThan(ANSWER_MAX);
  });

  it.each(BODIES)('%s: larger input is refused at any depth', async (path) => {
    for (const [body, detail] of TOO_LARGE) {
      const { status, json, text } = await app.post(path, body);
      expect([status, json.code, json.detail]).toEqual([400, 'BAD_REQUEST', detail]);
      expect(text.length).toBeLessThan(1_000);
    }
  });

  it('a comma or a bracket in a text counts for nothing, and a list of 1,000 is looked at as before', async () => {
    const notes = JSON.stringify(`",[{${',"'.repeat(400)}`);
    const { json } = await app.post(
      '/v2/withdrawal',
      `{"notes":${notes},"amount_received":[${Array(1_000).fill(1)}]}`,
    );
    expect(json.violations).toContainEqual({
      parameter: 'amount_received',
      message: 'must be a number, or a decimal number in a string',
    });
  });

  it.each([
    '{"a',
    '{"a\\',
    '"',
    '[[[',
    ']]],',
    ',',
  ])('what is no JSON is still told as that: %s', async (body) => {
    const { status, json } = await app.post('/v2/onramp', body);
    expect([status, json.code, json.detail]).toEqual([400, 'BAD_REQUEST', 'the body is not JSON']);
  });
});

describe.each(['/graphql', '/console/passkeys/sign-in'])('a body of %s', (path) => {
  it.each(TOO_LARGE)('that is too large is refused before it is parsed (%#)', async (body, detail) => {
    const { status, json } = await app.post(path, body, { headers: { 'sec-fetch-site': 'same-origin' } });
    expect([status, json.code, json.detail]).toEqual([400, 'BAD_REQUEST', detail]);
  });
});

test.each([
  ['200 levels', '['.repeat(200) + ']'.repeat(200)],
  ['10,000 values', `[${Array(10).fill(list(999)).join(',')}]`],
  ['1,000 entries and 200 members', `[${list(1_000)},${members(200)}]`],
  ['what only begins or ends', ']]}}[{"'],
])('%s are not too large', (_what, text) => {
  expect(() => checkSize(text)).not.toThrow();
});

describe('invalid input', () => {
  it('are reported by parameter, each once, up to a maximum', () => {
    const violations = new Violations();
    for (let at = 0; at < 20_000; at++) violations.add({ parameter: `p${at >> 1}`, message: `${at}` });
    expect(violations.isFull).toBe(true);
    const refused = problemOf(() => violations.refuse());
    expect(refused.violations).toEqual(
      Array.from({ length: VIOLATIONS_MAX }, (_, at) => ({ parameter: `p${at}`, message: `${2 * at}` })),
    );
  });
});

describe('a query of /v2', () => {
  it('that is read strictly reports a maximum of its unknown parameters', () => {
    const violations = new Violations();
    const search = Array.from({ length: 2_500 }, (_, at) => `k${at}`).join('&');
    parseQuery(search, ['limit'], { limitOverflow: 'clamp', strictQuery: true }, violations);
    expect(problemOf(() => violations.refuse()).violations).toHaveLength(VIOLATIONS_MAX);
  });
});

function problemOf(action: () => void): GatewayError {
  try {
    action();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('nothing was refused');
}

/** A list that a caller gives: an operation with it as `$list`, how many entries it takes, and an entry. */
interface ListInput {
  readonly document: string;
  readonly type: string;
  readonly parameter: string;
  readonly max: number;
  readonly entry: string;
}

const listInput = (
  parameter: string,
  max: number,
  entry: string,
  type: string,
  document: string,
): ListInput => ({
  document,
  type,
  parameter,
  max,
  entry,
});
const HOOK =
  'createWebhookEndpoint(input: { url: "https://hooks.example/x", eventNames: $list }) { webhookEndpoint { id: endpointId } errors { code message path } }';
const COUNT = '{ totalCount }';
/** Every list that an operation can give, by its place. Those of transactions are checked by what reads them. */
const LIST_INPUTS: Readonly<Record<string, ListInput>> = {
  'Account.webhookDeliveries(states)': listInput(
    'states',
    LISTED_MAX,
    'DEAD',
    '[WebhookDeliveryState!]',
    `query($list: $type) { viewer { account { webhookDeliveries(states: $list, first: 1) ${COUNT} } } }`,
  ),
  'ChooseNotificationsInput.kinds': listInput(
    'input.kinds',
    NOTIFICATION_KINDS.length,
    'KEY',
    '[NotificationKind!]!',
    'mutation($list: $type) { chooseNotifications(input: { kinds: $list, language: EN }) { notifications { language } errors { code message path } } }',
  ),
  'UpdateBrandingInput.frameHosts': listInput(
    'input.frameHosts',
    BRANDING_MAX.frameHosts,
    'bad',
    '[String!]',
    'mutation($list: $type) { updateBranding(input: { frameHosts: $list }) { branding { accent } errors { code message path } } }',
  ),
  'UpdateBrandingInput.replacesFrameHosts': listInput(
    'input.replacesFrameHosts',
    BRANDING_MAX.frameHosts,
    'bad',
    '[String!]',
    'mutation($list: $type) { updateBranding(input: { frameHosts: [], replacesFrameHosts: $list }) { branding { accent } errors { code message path } } }',
  ),
  'CreateApiKeyInput.allowedCidrs': listInput(
    'input.allowedCidrs',
    ALLOWED_CIDRS_MAX,
    'bad',
    '[String!]',
    'mutation($list: $type) { createApiKey(input: { name: "x", scopes: ["read"], allowedCidrs: $list }) { issuedApiKey { apiKey } errors { code message path } } }',
  ),
  'CreateApiKeyInput.scopes': listInput(
    'input.scopes',
    SCOPES_MAX,
    'bad',
    '[String!]!',
    'mutation($list: $type) { createApiKey(input: { name: "x", scopes: $list }) { issuedApiKey { apiKey } errors { code message path } } }',
  ),
  'CreateWebhookEndpointInput.eventNames': listInput(
    'input.eventNames',
    EVENT_NAMES_MAX,
    'onramp.nothing.at_all',
    '[String!]',
    `mutation($list: $type) { ${HOOK} }`,
  ),
  'UpdatePasskeyRolesInput.roles': listInput(
    'input.roles',
    ROLE_NAMES.length,
    'OWNER',
    '[MemberRole!]!',
    'mutation($list: $type) { updatePasskeyRoles(input: { roles: $list }) { passkeyRoles errors { code message path } } }',
  ),
  'UpdateAllowedOriginsInput.origins': listInput(
    'input.origins',
    ORIGINS_MAX,
    'bad',
    '[String!]!',
    'mutation($list: $type) { updateAllowedOrigins(input: { origins: $list }) { allowedOrigins errors { code message path } } }',
  ),
  'UpdateAllowedOriginsInput.replaces': listInput(
    'input.replaces',
    ORIGINS_MAX,
    'bad',
    '[String!]',
    'mutation($list: $type) { updateAllowedOrigins(input: { origins: [], replaces: $list }) { allowedOrigins errors { code message path } } }',
  ),
  'Query.auditLog(acts)': listInput(
    'acts',
    LISTED_MAX,
    'webhook.creat',
    '[String!]',
    `query($list: $type) { auditLog(acts: $list, first: 1) ${COUNT} }`,
  ),
  'Query.customerCases(states)': listInput(
    'states',
    LISTED_MAX,
    'OPEN',
    '[CaseState!]',
    `query($list: $type) { customerCases(states: $list, first: 1) ${COUNT} }`,
  ),
  'Query.medCases(states)': listInput(
    'states',
    LISTED_MAX,
    'OPEN',
    '[MedCaseState!]',
    `query($list: $type) { medCases(states: $list, first: 1) ${COUNT} }`,
  ),
  'Query.reviewQueue(kinds)': listInput(
    'kinds',
    LISTED_MAX,
    'HOLD',
    '[ReviewKind!]',
    `query($list: $type) { reviewQueue(kinds: $list, first: 1) ${COUNT} }`,
  ),
  'Transaction.possibleActions(only)': listInput(
    'only',
    LISTED_MAX,
    'CANCEL',
    '[TransactionAction!]',
    'query($list: $type) { transactions(first: 1) { nodes { possibleActions(only: $list) { action } } } }',
  ),
  'Query.transactions(families)': listInput(
    'families',
    LISTED_MAX,
    'ONRAMPS',
    '[TransactionFamily!]',
    `query($list: $type) { transactions(families: $list, first: 1) ${COUNT} }`,
  ),
  'Subscription.events(families)': listInput(
    'families',
    LISTED_MAX,
    'ONRAMPS',
    '[TransactionFamily!]',
    'subscription($list: $type) { events(families: $list) { cursor } }',
  ),
  'TransactionFilter.statusCodes': listInput(
    'filter.statusCodes',
    LISTED_MAX,
    'SUCCESS',
    '[TransactionStatus!]',
    `query($list: $type) { transactions(filter: { statusCodes: $list }, first: 1) ${COUNT} }`,
  ),
  'TransactionFilter.templates': listInput(
    'filter.templates',
    LISTED_MAX,
    'onramp',
    '[Template!]',
    `query($list: $type) { transactions(filter: { templates: $list }, first: 1) ${COUNT} }`,
  ),
  'UpdateWebhookEndpointInput.eventNames': listInput(
    'input.eventNames',
    EVENT_NAMES_MAX,
    'onramp.nothing.at_all',
    '[String!]',
    'mutation($list: $type, $id: String!) { updateWebhookEndpoint(input: { endpointId: $id, eventNames: $list }) { webhookEndpoint { id: endpointId } errors { code message path } } }',
  ),
  'WebhookRedeliveryFilter.eventNames': listInput(
    'input.filter.eventNames',
    EVENT_NAMES_MAX,
    'onramp.nothing.at_all',
    '[String!]',
    'mutation($list: $type) { redeliverWebhooks(input: { filter: { eventNames: $list }, dryRun: true }) { redelivery { matched } errors { code message path } } }',
  ),
  'WebhookRedeliveryFilter.states': listInput(
    'input.filter.states',
    LISTED_MAX,
    'DEAD',
    '[WebhookDeliveryState!]',
    'mutation($list: $type) { redeliverWebhooks(input: { filter: { states: $list }, dryRun: true }) { redelivery { matched } errors { code message path } } }',
  ),
};

/** The places of the schema where a list is given; of an interface, not again of each type that has it. */
function listInputs(): string[] {
  const isList = ({ type }: { type: GraphQLInputType }) => isListType(getNullableType(type));
  return Object.values(buildSchema(REGISTRY).getTypeMap()).flatMap((type) => {
    if (isIntrospectionType(type)) return [];
    if (isInputObjectType(type))
      return Object.values(type.getFields())
        .filter(isList)
        .map((field) => `${type.name}.${field.name}`);
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    const inherited = new Set(type.getInterfaces().flatMap((each) => Object.keys(each.getFields())));
    const own = Object.values(type.getFields()).filter(({ name }) => !inherited.has(name));
    return own.flatMap((field) =>
      field.args.filter(isList).map((argument) => `${type.name}.${field.name}(${argument.name})`),
    );
  });
}

describe('a list of an operation', () => {
  it('has a maximum, wherever one can be given', () => {
    expect(listInputs().toSorted()).toEqual(Object.keys(LIST_INPUTS).toSorted());
  });

  let id: string;
  beforeAll(async () => {
    const hook = `mutation($list: [String!]) { ${HOOK} }`;
    id = (await app.graphql(hook)).json.data.createWebhookEndpoint.webhookEndpoint.id;
    await app.graphql(
      'mutation { createCheckout(input: { currency: "USDT_TRX" }) { transaction { end2end } } }',
    );
  });

  const ask = async (place: string, count: number) => {
    const { document, type, parameter, entry } = LIST_INPUTS[place] as ListInput;
    const variables = { list: Array(count).fill(entry), ...(document.includes('$id') && { id }) };
    const headers = place.startsWith('Subscription') ? { accept: 'text/event-stream' } : {};
    const body = { query: document.replace('$type', type), variables };
    const { text } = await app.post('/graphql', body, { headers });
    const said = '"message":"([^"]*)"';
    const form = new RegExp(`"parameter":"${parameter}",${said}|${said},"path":"${parameter}"`);
    const [, ofQuery, ofMutation] = form.exec(text) ?? [];
    return { text, message: ofQuery ?? ofMutation };
  };

  it.each(
    Object.keys(LIST_INPUTS),
  )('%s: one more than its maximum is refused, and nothing else is looked at', async (place) => {
    const { max } = LIST_INPUTS[place] as ListInput;
    for (const count of [max + 1, 1_000]) {
      const { text, message } = await ask(place, count);
      expect(message).toMatch(new RegExp(`^must have at most ${max} `));
      expect(text.match(/"(?:parameter|path)":"/g)).toHaveLength(1);
      expect(text.length).toBeLessThan(2_000);
    }
  });

  it.each(
    Object.keys(LIST_INPUTS).filter((place) => !place.startsWith('Subscription')),
  )('%s: its maximum is taken', async (place) => {
    const { max } = LIST_INPUTS[place] as ListInput;
    expect((await ask(place, max)).message ?? '').not.toMatch(/at most/);
  });
});
