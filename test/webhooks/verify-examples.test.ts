/**
 * Goal: the code of docs/webhooks.md accepts what the gateway signs and refuses anything else, in each language (C-60). Method: the
 * files that the document shows run on the vector that it prints. Without Python or PHP their part is skipped.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isAuthentic } from '../../docs/examples/verify-webhook.ts';
import { signV1 } from '../../src/webhooks/sign.ts';
import { isInstalled } from '../support/installed.ts';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const DOCUMENT = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const printed = (name: string) => new RegExp(`^${name} +(.+)$`, 'm').exec(DOCUMENT)?.[1] ?? '';
const VECTOR = {
  secret: printed('secret'),
  id: printed('webhook-id'),
  timestamp: printed('webhook-timestamp'),
  body: printed('body'),
  signature: printed('webhook-signature'),
};

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string;
  readonly now: number;
}

const PYTHON = `import json, sys, verify_webhook
each = json.load(sys.stdin)
print(verify_webhook.is_authentic(each["headers"], each["body"].encode(), each["secret"], each["now"]))`;
const PHP = `require 'verify-webhook.php';
$each = json_decode(stream_get_contents(STDIN), true);
echo is_authentic($each['headers'], $each['body'], $each['secret'], $each['now']) ? 'True' : 'False';`;
const runs = (program: string, options: readonly string[]) => (request: Request) =>
  execFileSync(program, options, {
    cwd: EXAMPLES,
    input: JSON.stringify(request),
    encoding: 'utf8',
  }).trim() === 'True';

const LANGUAGES = [
  [
    'verify-webhook.ts',
    true,
    ({ headers, body, secret, now }: Request) => isAuthentic(headers, Buffer.from(body), secret, now),
  ],
  ['verify_webhook.py', isInstalled('python3'), runs('python3', ['-B', '-c', PYTHON])],
  ['verify-webhook.php', isInstalled('php'), runs('php', ['-r', PHP])],
] as const;

const request = (changes: Partial<Request> = {}, headers: Record<string, string> = {}): Request => ({
  headers: {
    'webhook-id': VECTOR.id,
    'webhook-timestamp': VECTOR.timestamp,
    'webhook-signature': VECTOR.signature,
    ...headers,
  },
  body: VECTOR.body,
  secret: VECTOR.secret,
  now: Number(VECTOR.timestamp) + 299,
  ...changes,
});
const OTHER = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('C-60: the vector of docs/webhooks.md equals the gateway’s signature', () => {
  const { secret, id, timestamp, body, signature } = VECTOR;
  expect(signV1(secret, id, Number(timestamp), body)).toBe(signature);
});

describe.each(LANGUAGES)('%s', (name, isThere, accepts) => {
  test('is in docs/webhooks.md as it runs here', () => {
    expect(DOCUMENT).toContain(readFileSync(`${EXAMPLES}${name}`, 'utf8').trim());
  });

  test.runIf(isThere).each([
    ['the vector', request(), true],
    [
      'a second signature, during a rotation',
      request({}, { 'webhook-signature': `v1,AAAA v1a,AAAA ${VECTOR.signature}` }),
      true,
    ],
    ['another body', request({ body: `${VECTOR.body} ` }), false],
    ['another secret', request({ secret: OTHER }), false],
    ['another id', request({}, { 'webhook-id': `${VECTOR.id}x` }), false],
    ['a request of five minutes ago', request({ now: Number(VECTOR.timestamp) + 301 }), false],
    ['a time that is no number', request({}, { 'webhook-timestamp': 'soon' }), false],
    ['no signature', request({}, { 'webhook-signature': '' }), false],
    [
      'a signature of another version',
      request({}, { 'webhook-signature': VECTOR.signature.replace('v1', 'v2') }),
      false,
    ],
  ])('%s: %o is %s', (_what, given, expected) => {
    expect(accepts(given)).toBe(expected);
  });
});
