/**
 * Goal: the clients that everybody uses work with the recipes of docs/graphql.md, which are the files that these tests run.
 * Method: the real clients against the real server; `EventSource` in a real browser, on a page of another origin.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { isAbstractType } from 'graphql';
import relay, { type ConcreteRequest } from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { merchantContract } from '../../src/schema/contracts.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { makeOnramp } from '../live/streams.ts';
import { startApp, useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { startProxy, type TestProxy } from '../support/proxy.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { createApollo, POSSIBLE_TYPES } from './recipes/apollo.ts';
import { createSubscriber } from './recipes/graphql-sse.ts';
import { createRelay } from './recipes/relay.ts';
import { createUrql } from './recipes/urql.ts';

const app = useApp();
let network: TestProxy;
beforeAll(async () => {
  network = await startProxy(Number(new URL(app.baseUrl).port));
});
afterAll(() => network?.close());

/** Breaks all connections, and lets something happen while none can be made. */
async function unavailable<Result>(happen: () => Promise<Result>): Promise<Result> {
  network.fail('refuse');
  network.cut();
  const result = await happen();
  network.heal();
  return result;
}

const RECIPES = new URL('recipes/', import.meta.url);
const url = () => `${network.url}/graphql`;
const QUERY =
  'query Name($first: Int) { viewer { account { name } } transactions(families: ONRAMPS, first: $first) { totalCount } }';
const SUBSCRIPTION =
  'subscription Log { events { __typename cursor ... on TransactionEvent { name transaction { end2end } } } }';
const EVENTS_OF_ONRAMP = ['quote.quote', 'quote.accepted', 'valida_id.initial', 'depositpix.qrcode'].map(
  (step) => `onramp.${step}`,
);
const ANSWER = { account: { name: 'Another' } };

/** @returns the transactions of what came, without heartbeats. */
const end2endsOf = (frames: readonly { transaction?: { end2end: string } }[]) => [
  ...new Set(frames.flatMap(({ transaction }) => transaction?.end2end ?? [])),
];

/** @returns the names of the events that came. */
const namesOf = (frames: readonly { name?: string }[]) => frames.flatMap(({ name }) => name ?? []);

test('docs/graphql.md has the recipes as they are run', () => {
  const document = readFileSync(new URL('../../docs/graphql.md', import.meta.url), 'utf8');
  for (const name of readdirSync(RECIPES))
    expect(document, name).toContain(readFileSync(new URL(name, RECIPES), 'utf8').trim());
});

test('graphql-sse', async () => {
  const { apiKey } = await app.addAccount();
  const frames: never[] = [];
  const end = createSubscriber(url(), apiKey)(
    { query: SUBSCRIPTION },
    {
      next: ({ data }) => frames.push((data as { events: never }).events),
      error: (error) => frames.push(error as never),
      complete: () => {},
    },
  );
  await expect.poll(() => app.services.events.size).toBe(1);
  await makeOnramp(app, apiKey);
  await expect.poll(() => namesOf(frames)).toEqual(EVENTS_OF_ONRAMP);
  await unavailable(() => makeOnramp(app, apiKey));
  await expect.poll(() => namesOf(frames)).toEqual([...EVENTS_OF_ONRAMP, ...EVENTS_OF_ONRAMP]);
  end();
});

test('graphql-sse reports a stream that ends with its key, and does not retry repeatedly with it', async () => {
  const { apiKey, keyId } = await app.addAccount();
  // Streams of other tests have ended.
  await expect.poll(() => app.services.events.size).toBe(0);
  const subscribeOnce = () => {
    const told: unknown[] = [];
    createSubscriber(url(), apiKey)(
      { query: SUBSCRIPTION },
      {
        next: ({ errors }) => told.push(...(errors ?? []).map(({ extensions }) => extensions?.code)),
        error: (error) => told.push(String(error)),
        complete: () => told.push('complete'),
      },
    );
    return told;
  };
  const told = subscribeOnce();
  await expect.poll(() => app.services.events.size).toBe(1);
  await revokeKey(app.database, keyId);
  await expect.poll(() => told).toEqual(['UNAUTHORIZED', 'complete']);
  // A process may take it for a second longer.
  await expect.poll(async () => (await app.get('/v2/balance', { key: apiKey })).status).toBe(401);
  const refused = subscribeOnce();
  await expect.poll(() => refused).toEqual([expect.stringContaining('a valid API key is required')]);
});

test('Apollo Client', async () => {
  const { apiKey } = await app.addAccount();
  const client = createApollo(url(), apiKey);
  const { data } = await client.query({ query: gql(QUERY), variables: { first: 5 } });
  expect(data).toMatchObject({ viewer: ANSWER, transactions: { totalCount: 0 } });
  const made = await client.mutate({
    mutation: gql(
      'mutation Quote { createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "60" } }) { quote { id: quoteId } errors { code message path } } }',
    ),
  });
  expect(made.data).toMatchObject({ createQuote: { quote: { id: expect.any(String) }, errors: [] } });
  const frames: never[] = [];
  const subscription = client
    .subscribe({ query: gql(SUBSCRIPTION) })
    .subscribe({ next: (result) => frames.push((result.data as { events: never }).events) });
  await expect.poll(() => frames.length).toBe(1);
  const end2end = await makeOnramp(app, apiKey);
  await expect.poll(() => end2endsOf(frames)).toEqual([end2end]);
  const missed = await unavailable(() => makeOnramp(app, apiKey));
  await expect.poll(() => namesOf(frames)).toEqual([...EVENTS_OF_ONRAMP, ...EVENTS_OF_ONRAMP]);
  expect(end2endsOf(frames)).toEqual([end2end, missed]);
  subscription.unsubscribe();
  client.stop();
});

test('Apollo Client reads fragments on every interface of the merchants’ contract', async () => {
  const schema = merchantContract(buildSchema(REGISTRY));
  const types = Object.values(schema.getTypeMap()).filter(isAbstractType);
  expect(POSSIBLE_TYPES).toEqual(
    Object.fromEntries(
      types.map((type) => [
        type.name,
        schema
          .getPossibleTypes(type)
          .map(({ name }) => name)
          .toSorted(),
      ]),
    ),
  );
  const { apiKey } = await app.addAccount();
  const end2end = await makeOnramp(app, apiKey);
  const client = createApollo(url(), apiKey);
  const query = gql(
    'query ($end2end: String!) { transaction(end2end: $end2end) { __typename ...Shown } } fragment Shown on Transaction { end2end }',
  );
  const { data } = await client.query({ query, variables: { end2end } });
  expect(data).toEqual({ transaction: { __typename: 'Onramp', end2end } });
  client.stop();
});

test.each([
  ['POST', false],
  ['GET', true],
])('Apollo Client with automatic persisted queries by %s sends the text when it is told to', async (method, useGETForHashedQueries) => {
  const { apiKey } = await app.addAccount();
  const requests: [method: string | undefined, hasText: boolean][] = [];
  const link = new HttpLink({
    uri: url(),
    headers: { authorization: `Bearer ${apiKey}` },
    fetch: (uri, options) => {
      requests.push([options?.method, `${uri}${options?.body}`.includes('viewer')]);
      return fetch(uri, options);
    },
  });
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries });
  const client = new ApolloClient({ link: persisted.concat(link), cache: new InMemoryCache() });
  for (const first of [5, 6]) {
    const { data } = await client.query({ query: gql(QUERY), variables: { first } });
    expect(data).toMatchObject({ viewer: ANSWER });
  }
  // Once refused, the client no longer sends hashes.
  expect(requests).toEqual([
    [method, false],
    ['POST', true],
    ['POST', true],
  ]);
  client.stop();
});

test('urql', async () => {
  const { apiKey } = await app.addAccount();
  const client = createUrql(url(), apiKey);
  const { data, error } = await client.query(QUERY, { first: 5 }).toPromise();
  expect([data?.viewer, error]).toMatchObject([ANSWER, undefined]);
  const frames: never[] = [];
  const { unsubscribe } = client
    .subscription(SUBSCRIPTION, {})
    .subscribe((result) => frames.push(result.data.events as never));
  await expect.poll(() => frames.length).toBe(1);
  const end2end = await makeOnramp(app, apiKey);
  await expect.poll(() => end2endsOf(frames)).toEqual([end2end]);
  const missed = await unavailable(() => makeOnramp(app, apiKey));
  await expect.poll(() => namesOf(frames)).toEqual([...EVENTS_OF_ONRAMP, ...EVENTS_OF_ONRAMP]);
  expect(end2endsOf(frames)).toEqual([end2end, missed]);
  unsubscribe();
});

/** As relay-compiler writes it: plain fields under a root field. */
function requestOf(
  kind: 'query' | 'subscription',
  name: string,
  text: string,
  root: object,
): ConcreteRequest {
  const selections = [root];
  return {
    kind: 'Request',
    fragment: {
      kind: 'Fragment',
      name,
      type: kind === 'query' ? 'Query' : 'Subscription',
      metadata: null,
      argumentDefinitions: [],
      selections,
      abstractKey: null,
    },
    operation: { kind: 'Operation', name, argumentDefinitions: [], selections },
    params: { id: null, cacheID: name, name, operationKind: kind, text, metadata: {} },
  } as unknown as ConcreteRequest;
}

const linked = (name: string, concreteType: string, selections: object[]) => ({
  kind: 'LinkedField',
  alias: null,
  args: null,
  name,
  storageKey: null,
  concreteType,
  plural: false,
  selections,
});
const scalar = (name: string) => ({ kind: 'ScalarField', alias: null, args: null, name, storageKey: null });

test('relay-runtime', async () => {
  const { apiKey } = await app.addAccount();
  const environment = createRelay(url(), apiKey);
  const account = linked('account', 'Account', [scalar('name')]);
  const query = requestOf(
    'query',
    'Name',
    'query Name { viewer { account { name } } }',
    linked('viewer', 'Viewer', [account]),
  );
  expect(await relay.fetchQuery(environment, query, {}).toPromise()).toMatchObject({ viewer: ANSWER });
  const frames: unknown[] = [];
  const added = linked('statementEntryAdded', 'StatementEntryAdded', [
    scalar('cursor'),
    linked('entry', 'StatementEntry', [scalar('number')]),
  ]);
  const { dispose } = relay.requestSubscription(environment, {
    subscription: requestOf(
      'subscription',
      'Added',
      'subscription Added { statementEntryAdded { cursor entry { number } } }',
      added,
    ),
    variables: {},
    onNext: (data) => frames.push(data),
    onError: (error) => frames.push(error),
  });
  await expect.poll(() => frames.length).toBe(1);
  const fund = () => app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '2' }, { key: apiKey });
  await fund();
  await expect.poll(() => frames.length).toBe(2);
  await unavailable(fund);
  await expect.poll(() => frames.length).toBe(3);
  expect(frames).toMatchObject([
    { statementEntryAdded: { entry: null } },
    ...[1, 2].map(() => ({ statementEntryAdded: { entry: { number: expect.any(String) } } })),
  ]);
  dispose();
});

describe.skipIf(!hasBrowser)('EventSource in a browser', () => {
  const browser = useBrowser();
  const RECIPE = readFileSync(new URL('event-source.js', RECIPES), 'utf8');
  const page = () => `<!doctype html><link rel="icon" href="data:,"><script type="module">
    ${RECIPE}
    window.names = [];
    window.end = followEvents('${gateway?.publicUrl}/graphql', async () => (await fetch('/token')).text(), ({ name }) => names.push(name));
  </script>`;
  let gateway: Awaited<ReturnType<typeof startApp>> | undefined;
  let shop: Server;
  let key = '';
  let tokens = 0;

  beforeAll(async () => {
    // The merchant's own server: its page is of another origin than the gateway, and its key never leaves it.
    shop = createServer(async ({ url: path }, response) => {
      if (path !== '/token') return void response.setHeader('content-type', 'text/html').end(page());
      tokens += 1;
      // The second time it is asked, it is away itself.
      if (tokens === 2) return void response.destroy();
      const { json } = await app.graphql(
        'mutation { createStreamToken(input: { expiresIn: 10 }) { streamToken { token } errors { code message path } } }',
        {},
        { key },
      );
      response.end(json.data.createStreamToken.streamToken.token);
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    shop?.close();
    gateway?.drain();
    await gateway?.close();
  });

  test('follows events by stream tokens, over a connection that ends, a token that has expired, and a key that has', async () => {
    const account = await app.addAccount();
    key = account.apiKey;
    gateway = await startApp(app.database, await freePort());
    const strangers: string[] = [];
    const opened = await browser.open(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`, {
      strangers,
    });
    const names = () => opened.evaluate('window.names') as Promise<string[]>;
    const once = EVENTS_OF_ONRAMP;
    // The stream begins with the events after its connection, at a time that the page does not tell.
    const hasSome = async () => expect(await names()).not.toEqual([]);
    for (let tries = 0; tries < 3 && (await names()).length === 0; tries += 1) {
      await makeOnramp(app, key);
      await vi.waitFor(hasSome, { timeout: 15_000 }).catch(() => {});
    }
    await expect.poll(async () => (await names()).at(-1)).toBe(once.at(-1));
    await opened.evaluate('window.names.length = 0');
    await makeOnramp(app, key);
    await expect.poll(names).toEqual(once);
    expect(tokens).toBe(1);
    // The gateway is away for a moment, in which the token comes to its end, and something happens.
    gateway.drain();
    await gateway.close();
    await makeOnramp(app, key);
    const now = vi.spyOn(app.database, 'nowMs').mockReturnValue(app.database.nowMs() + 12_000);
    try {
      gateway = await startApp(app.database, Number(new URL(gateway.publicUrl).port));
      await expect.poll(names, { timeout: 20_000 }).toEqual([...once, ...once]);
    } finally {
      now.mockRestore();
    }
    expect(tokens).toBeGreaterThan(2);
    // Another break while the new token holds: the browser says by itself what it had last.
    gateway.drain();
    await gateway.close();
    await makeOnramp(app, key);
    gateway = await startApp(app.database, Number(new URL(gateway.publicUrl).port));
    await expect.poll(names, { timeout: 20_000 }).toEqual([...once, ...once, ...once]);
    // The shop has another key by now, and the one of the stream ends.
    ({ apiKey: key } = await app.addKey(account.accountId, SCOPES));
    const before = tokens;
    await revokeKey(app.database, account.keyId);
    await expect.poll(() => tokens, { timeout: 20_000 }).toBeGreaterThan(before);
    await makeOnramp(app, key);
    await expect.poll(names, { timeout: 20_000 }).toEqual([...once, ...once, ...once, ...once]);
    expect(strangers.every((each) => each.startsWith(`${gateway?.publicUrl}/graphql?`))).toBe(true);
  }, 60_000);
});
