/**
 * Goal: the Python client makes nothing twice, loses no event and tells refusals apart. Method: Python itself, against the real gateway with
 * answers that are lost on their way, and over the vector of docs/webhooks.md; the examples of its README run. Skipped without Python.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeEventCursor } from '../../src/events/cursor.ts';
import { signV1 } from '../../src/webhooks/sign.ts';
import { useApp } from '../support/app.ts';
import { isInstalled } from '../support/installed.ts';
import { ANSWER_TROUBLES, startTroubled, type TroubledGateway } from '../support/troubled-gateway.ts';

const PACKAGE = fileURLToPath(new URL('../../packages/python/', import.meta.url));
/** Python of the system, before another that a person may have. */
const PYTHON = ['/usr/bin/python3', 'python3'].find((each) => isInstalled(each));
const app = useApp();
let troubled: TroubledGateway;
let key: string;
let accountId: bigint;
beforeAll(async () => {
  troubled = await startTroubled(() => app.baseUrl);
});
beforeEach(async () => {
  ({ apiKey: key, accountId } = await app.addAccount());
  troubled.requests.length = 0;
});
afterAll(() => troubled?.close());

/** @returns what a program prints. */
function python(code: string, input: unknown = null): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PYTHONPATH: PACKAGE };
    const child = execFile(
      PYTHON ?? '',
      ['-B', '-W', 'error', '-c', code],
      { env },
      (error, stdout, stderr) => (error ? reject(new Error(stderr)) : resolve(stdout.trim())),
    );
    child.stdin?.end(JSON.stringify(input));
  });
}
/** @returns a program with a client of the gateway whose answers are lost, and an order. */
const program = (code: string, timeout = 5) => `
from crossramp import *
client = Client("${troubled.baseUrl}", "${key}", timeout=${timeout})
order = dict(amount_payment="150.00", currency_exit_received_code="USDT_TRX", client_name="Ana Souza", client_tax_id="52998224725")
${code}`;
const orders = async () => (await app.get('/v2/crossramp_checkouts', { key })).json;

describe.runIf(PYTHON)('the Python client', () => {
  describe.each(ANSWER_TROUBLES)('C-52: while the answer is %s', (_name, troubles) => {
    test.each([
      ['REST', 'print(client.post("/v2/crossramp_checkout", **order)["end2end"])'],
      [
        'GraphQL',
        'print(client.mutate("createCheckout", {"amount": {"brl": "150.00"}, "currency": "USDT_TRX"}, "transaction { end2end }")["transaction"]["end2end"])',
      ],
    ])('%s makes one order under one key', async (_interface, code) => {
      troubled.next.push(...troubles);
      const end2end = await python(program(code, troubles[0]?.kind === 'late' ? 1.5 : 5));
      expect(troubled.requests.length).toBe(troubles.length + 1);
      expect(new Set(troubled.requests).size).toBe(1);
      const { total, results } = await orders();
      expect([total, results[0].end2end]).toEqual([1, end2end]);
    });
  });

  test('does not repeat requests that happen each time', async () => {
    const { end2end } = (await app.post('/v2/onramp', { ...ORDER }, { key })).json;
    troubled.next.push({ kind: 'drop' });
    const code = `
try:
    client.post("/v2/sandbox/trigger", scenario="pay", end2end="${end2end}")
except NoAnswer as error:
    print(type(error).__name__)`;
    expect(await python(program(code))).toBe('NoAnswer');
    expect(troubled.requests.length).toBe(1);
  });

  test('C-52: repeats play money, which has an idempotency key', async () => {
    troubled.next.push({ kind: 'drop' });
    await python(program('client.post("/v2/sandbox/fund", currency="BRL", amount="10.00")'));
    expect(new Set(troubled.requests).size).toBe(1);
    expect((await app.get('/v2/balance', { key })).json.calculated_BRL_total_balance).toBe(10);
  });

  test('names the reason when nothing answers, and refuses an address without a scheme', async () => {
    const code = `
from crossramp import *
try:
    Client("http://127.0.0.1:1", "crx_test_x", retries=0).get("/v2/balance")
except NoAnswer as error:
    print(error)
try:
    Client("localhost:4000", "crx_test_x")
except ValueError as error:
    print(error)`;
    const [none, wrong] = (await python(code)).split('\n');
    expect(none).toMatch(/^no answer from \/v2\/balance: .*refused/);
    expect(wrong).toBe('base_url must begin with http:// or https://');
  });

  test('has no answer where half of a refusal came', async () => {
    const code = `
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
class Half(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(404)
        self.send_header("content-length", "100")
        self.end_headers()
        self.wfile.write(b'{"code": "NOT_')
    def log_message(self, *_):
        pass
server = HTTPServer(("127.0.0.1", 0), Half)
threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    Client(f"http://127.0.0.1:{server.server_port}", "crx_test_x", retries=0).get("/v2/balance")
except CrossrampError as error:
    print(type(error).__name__)
server.shutdown()
server.server_close()`;
    expect(await python(program(code))).toBe('NoAnswer');
  });

  test('C-3: reads amounts digit for digit', async () => {
    const code = `
client.post("/v2/sandbox/fund", currency="ETH_ETH", amount="0.123456789012345678")
print(repr(client.get("/v2/statement", limit=1)["entries"][0]["balance"]))
try:
    client.post("/v2/offramp", amount_paid=1, currency_entry_paid_code="ETH_ETH", pix_key="ana@example.com", pix_key_type="email",
        client_name=order["client_name"], client_tax_id=order["client_tax_id"])
except Refused as error:
    print(repr(error.refusals[0].facts["limit"]["maximum"]))`;
    const decimal = "Decimal('0.123456789012345678')";
    expect((await python(program(code))).split('\n')).toEqual([decimal, decimal]);
  });

  test('raises refusals by their next action', async () => {
    const after = encodeEventCursor(accountId, { seq: 1_000n, token: '01234567' });
    const code = `
def caught(run):
    try:
        run()
    except Refused as error:
        print(type(error).__name__, error.code, error.action)
caught(lambda: client.post("/v2/crossramp_checkout", **{**order, "client_tax_id": "1"}))
caught(lambda: client.mutate("createCheckout", {"amount": {"brl": "0.50"}, "currency": "USDT_TRX"}, "transaction { end2end }"))
caught(lambda: client.graphql("{ nothing }"))
caught(lambda: client.get("/v2/onramp/{id}", id="CRX"))
caught(lambda: next(client.events(after="${after}")))`;
    expect((await python(program(code))).split('\n')).toEqual([
      'FixRefused INVALID_PARAMETER FIX',
      'FixRefused LIMIT_EXCEEDED FIX',
      'FixRefused BAD_REQUEST FIX',
      'StopRefused NOT_FOUND STOP',
      'CursorExpired CURSOR_EXPIRED FIX',
    ]);
  });

  test('yields each event once, also after lost answers', async () => {
    troubled.next.push({ kind: 'drop' }, { kind: 'other', status: 502 });
    const { end2end } = (await app.post('/v2/onramp', { ...ORDER }, { key })).json;
    const code = `
from itertools import islice
for event in islice(client.events(after=""), 4):
    print(event.name, event.sequence, event.transaction["end2end"])`;
    const names = ['quote.quote', 'quote.accepted', 'valida_id.initial', 'depositpix.qrcode'];
    expect((await python(program(code))).split('\n')).toEqual(
      names.map((name, index) => `onramp.${name} ${index + 1} ${end2end}`),
    );
  });

  test('C-60: verifies the vector of docs/webhooks.md, and refuses all others', async () => {
    const document = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
    const printed = (name: string) => new RegExp(`^${name} +(.+)$`, 'm').exec(document)?.[1] ?? '';
    const given = {
      secret: printed('secret'),
      headers: {
        'Webhook-Id': printed('webhook-id'),
        'webhook-timestamp': printed('webhook-timestamp'),
        'webhook-signature': printed('webhook-signature'),
      },
      body: printed('body'),
      now: Number(printed('webhook-timestamp')),
    };
    const other = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const cases = [
      [given, true],
      [{ ...given, secret: [other, given.secret] }, true],
      [{ ...given, secret: other }, false],
      [{ ...given, body: `${given.body} ` }, false],
      [{ ...given, now: given.now + 301 }, false],
      [{ ...given, headers: {} }, false],
      [{ ...given, headers: { ...given.headers, 'webhook-signature': 'v1,% é' } }, false],
    ] as const;
    const code = `
import json, sys
from crossramp import verify_webhook, WebhookRefused
for each in json.load(sys.stdin):
    try:
        print(verify_webhook(**{**each, "body": each["body"].encode()}).transaction["state"])
    except WebhookRefused:
        print("refused")`;
    const answers = await python(
      code,
      cases.map(([each]) => each),
    );
    expect(answers.split('\n')).toEqual(cases.map(([, isAuthentic]) => (isAuthentic ? 'PAID' : 'refused')));
  });

  test('a notification has no transaction, whatever its unsigned header says', async () => {
    const body = '{"event":"account.notification.key","subject":"key_1"}';
    const seconds = Math.floor(Date.now() / 1_000);
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const headers = {
      'webhook-id': 'ntf_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': signV1(secret, 'ntf_1', seconds, body),
      'crossramp-event': 'onramp.success.done',
    };
    const code = `
import json, sys
from crossramp import verify_webhook
given = json.load(sys.stdin)
event = verify_webhook(**{**given, "body": given["body"].encode()})
print(event.name, event.transaction, event.notification["subject"])`;
    expect(await python(code, { secret, headers, body })).toBe('account.notification.key {} key_1');
  });

  test('runs the examples of its README, the first of which is in docs/sdk.md', async () => {
    const text = readFileSync(`${PACKAGE}README.md`, 'utf8');
    const [, first] = /```python\n([\s\S]*?)```/.exec(text) ?? [];
    expect(readFileSync(new URL('../../docs/sdk.md', import.meta.url), 'utf8')).toContain(first);
    const [checkout = '', refusals = '', webhook = ''] = [...text.matchAll(/```python\n([\s\S]*?)```/g)].map(
      ([, code = '']) => code.replaceAll('http://localhost:4000', app.baseUrl).replaceAll('crx_test_…', key),
    );
    expect(await python(checkout)).toMatch(/pays at http\S+\n\d+\.\d+ USDT$/);
    expect(await python(refusals)).toMatch(/^INVALID_PARAMETER input\.amount\.brl /);
    const [secret, body] = [`whsec_${Buffer.alloc(24, 7).toString('base64')}`, '{"end2end":"CRX"}'];
    const seconds = Math.floor(Date.now() / 1_000);
    const headers = {
      'webhook-id': 'evt_1_x',
      'webhook-timestamp': String(seconds),
      'webhook-signature': signV1(secret, 'evt_1_x', seconds, body),
    };
    const call = `${webhook.replace('whsec_…', secret)}\nimport json, sys\ngiven = json.load(sys.stdin)\nprint(receive(given["headers"], given["body"].encode()), receive({}, b""))`;
    expect(await python(call, { headers, body })).toBe('evt_1_x CRX\n204 400');
  });
});

const ORDER = {
  amount_payment: '60.00',
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};
