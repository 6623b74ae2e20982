/**
 * Goal: each request of examples/bruno is answered as its documentation says, in an order that a person may send them in. Method: Bruno's own
 * parser (test/tools, TOOLS_TEST=1) reads the files; variables come from earlier answers as the files say. Members that a person would change
 * are changed: the URL of the webhooks, and the kind of an offramp.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { useReceiver } from '../support/receiver.ts';
import { requireTool, toolPath } from '../support/tools.ts';
import { SILENT } from '../support/webhooks.ts';

interface BrunoRequest {
  readonly http: { readonly method: string; readonly url: string };
  readonly params?: readonly { name: string; value: string; enabled: boolean; type: string }[];
  readonly headers?: readonly { name: string; value: string; enabled: boolean }[];
  readonly body?: { readonly json: string };
  readonly vars?: { readonly res: readonly { name: string; value: string }[] };
}

const FOLDER = fileURLToPath(new URL('../../examples/bruno/', import.meta.url));
const PARSER = '@usebruno/lang';
const requests = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.bru') && path.includes('/') && !path.startsWith('environments'),
);
const sent = new Set<string>();

describe.skipIf(!toolPath(PARSER))('the collection for Bruno', () => {
  const app = useApp();
  const receiver = useReceiver();
  const variables = new Map<string, string>();
  let parse: (text: string) => BrunoRequest;
  let worker: WebhookWorker;
  let openApi: { paths: Record<string, Record<string, { responses: object }>> };
  beforeAll(async () => {
    const lang = requireTool(PARSER);
    parse = lang.bruToJsonV2;
    worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
    const environment = lang.bruToEnvJsonV2(readFileSync(`${FOLDER}environments/sandbox.bru`, 'utf8'));
    for (const { name, value } of environment.variables) variables.set(name, value);
    variables.set('baseUrl', app.baseUrl);
    variables.set('apiKey', (await app.addAccount()).apiKey);
    openApi = (await app.get('/v2/openapi.json')).json;
  });
  afterAll(() => worker?.stop());

  const filled = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => variables.get(name) ?? name);

  /** Sends a request as Bruno does. @param changes - of the body, by a person. @returns status and code of a refusal. */
  async function send(path: string, changes: object = {}): Promise<string> {
    sent.add(`${path}.bru`);
    const {
      http,
      params = [],
      headers = [],
      body,
      vars,
    } = parse(readFileSync(`${FOLDER}${path}.bru`, 'utf8'));
    const template = http.url.replace('{{baseUrl}}', '').replace(':id', '{id}');
    const ids = params.filter(({ type }) => type === 'path');
    const url = ids.reduce((text, { name, value }) => text.replace(`:${name}`, value), http.url);
    const response = await fetch(filled(url), {
      method: http.method.toUpperCase(),
      headers: {
        authorization: filled('Bearer {{apiKey}}'),
        ...(body && { 'content-type': 'application/json' }),
        ...Object.fromEntries(
          headers.filter(({ enabled }) => enabled).map(({ name, value }) => [name, value]),
        ),
      },
      ...(body && { body: JSON.stringify({ ...JSON.parse(filled(body.json)), ...changes }) }),
    });
    const text = await response.text();
    const { responses = {} } = openApi.paths[template]?.[http.method] ?? {};
    expect(Object.keys(responses), `${path}: ${text}`).toContain(String(response.status));
    const json = JSON.parse(text);
    if (!response.ok) return `${response.status} ${json.code}`;
    for (const { name, value } of vars?.res ?? [])
      variables.set(name, String(new Function('res', `return ${value}`)({ body: json })));
    return String(response.status);
  }

  /** Sends requests one after the other. @returns the first that was refused. */
  async function all(...paths: string[]): Promise<string | undefined> {
    for (const path of paths) {
      const answer = await send(path);
      if (!/^20\d$/.test(answer)) return `${path}: ${answer}`;
    }
    return undefined;
  }
  const trigger = (scenario: string) =>
    // Its PIX code or address may still be on its way.
    expect.poll(() => send('sandbox/sandbox-trigger', { scenario })).toBe('200');

  test('reads an account that has a balance', async () => {
    expect(
      await all('sandbox/sandbox-fund', 'account/get-balance', 'account/get-statement', 'events/get-events'),
    ).toBe(undefined);
  });

  test.each(['checkout', 'onramp'])('pays and refunds one %s, and cancels another', async (kind) => {
    const of = (name: string) => `${kind}s/${name}-${kind}`;
    expect(await all(of('create'), of('get'), `${kind}s/list-${kind}s`, `${kind}s/get-${kind}-actions`)).toBe(
      undefined,
    );
    // The example has named the customer, and nothing waits for approval.
    for (const name of ['identity', 'confirm-identity', 'approve', 'reject'])
      expect(await send(of(name))).toBe('409 STEP_CONFLICT');
    await trigger('pay');
    await expect.poll(() => send(of('refund'))).toMatch(/^20[02]$/);
    expect(await all(of('create'), of('cancel'))).toBe(undefined);
  });

  test('names the customer of a checkout', async () => {
    const unnamed = { client_name: undefined, client_tax_id: undefined };
    expect(await send('checkouts/create-checkout', unnamed)).toBe('201');
    expect(await all('checkouts/identity-checkout', 'checkouts/confirm-identity-checkout')).toBe(undefined);
  });

  test('pays out of the balance, and resolves deposits', async () => {
    const of = (name: string) => `offramps/${name}-offramp`;
    expect(
      await all(
        'sandbox/sandbox-fund',
        of('create'),
        of('get'),
        'offramps/list-offramps',
        'offramps/get-offramp-actions',
      ),
    ).toBe(undefined);
    for (const name of ['identity', 'refund', 'resolve', 'approve', 'reject'])
      expect(await send(of(name))).toBe('409 STEP_CONFLICT');
    for (const end of ['resolve', 'refund']) {
      expect(await send(of('create'), { from: 'external' })).toBe('201');
      await trigger('deposit-wrong');
      await expect.poll(() => send(of(end))).toMatch(/^20[02]$/);
    }
    expect(await send(of('create'), { from: 'external' })).toBe('201');
    expect(await all(of('cancel'))).toBe(undefined);
  });

  test('administers the whitelist, and withdraws', async () => {
    const of = (name: string) => `whitelist/${name}`;
    expect(
      await all(
        ...[
          'create-whitelist-group',
          'add-whitelist-entry',
          'get-whitelist-group',
          'get-whitelist-entry',
        ].map(of),
        ...['list-whitelist-groups', 'add-whitelist-proof', 'withdraw-whitelist-proof'].map(of),
      ),
    ).toBe(undefined);
    const { apiKey } = Object.fromEntries(variables) as { apiKey: string };
    variables.set('apiKey', app.platformKey);
    expect(await send('sandbox/sandbox-clock', { advance: '2d' })).toBe('200');
    variables.set('apiKey', apiKey);
    const withdrawal = (name: string) => `withdrawals/${name}-withdrawal`;
    expect(
      await all(
        'sandbox/sandbox-fund',
        withdrawal('create'),
        withdrawal('get'),
        'withdrawals/list-withdrawals',
        'withdrawals/get-withdrawal-actions',
      ),
    ).toBe(undefined);
    for (const name of ['approve', 'reject', 'cancel'])
      expect(await send(withdrawal(name))).toBe('409 STEP_CONFLICT');
    expect(await all(of('remove-whitelist-entry'))).toBe(undefined);
  });

  test('administers webhooks', async () => {
    const of = (name: string) => `webhooks/${name}`;
    expect(await send(of('create-webhook-endpoint'), { url: receiver.url('bruno') })).toBe('201');
    expect(
      await all(
        ...['get-webhook-endpoint', 'list-webhook-endpoints', 'update-webhook-endpoint'].map(of),
        ...['list-webhook-endpoint-secrets', 'rotate-webhook-endpoint-secret'].map(of),
        ...['list-webhook-secrets', 'rotate-webhook-secret'].map(of),
        ...['pause-webhook-endpoint', 'resume-webhook-endpoint', 'test-webhook-endpoint'].map(of),
      ),
    ).toBe(undefined);
    await receiver.until('bruno', 1);
    expect(
      await all(
        ...['list-webhook-deliveries', 'get-webhook-delivery', 'redeliver-webhook', 'redeliver-webhooks'].map(
          of,
        ),
      ),
    ).toBe(undefined);
    // The gateway has not disabled it.
    expect(await send(of('recover-webhook-endpoint'))).toBe('409 STEP_CONFLICT');
    expect(await all(of('remove-webhook-endpoint'))).toBe(undefined);
  });

  test('administers keys and links', async () => {
    expect(
      await all('keys/create-api-key', 'keys/list-api-keys', 'keys/rotate-api-key', 'keys/revoke-api-key'),
    ).toBe(undefined);
    const links = ['create-static-link', 'get-static-link', 'list-static-links', 'disable-static-link'];
    expect(await all(...links.map((name) => `links/${name}`))).toBe(undefined);
  });

  test('has no other request', () => {
    expect([...sent].sort()).toEqual(requests.sort());
  });
});
