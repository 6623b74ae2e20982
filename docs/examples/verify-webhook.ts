import { createHmac, timingSafeEqual } from 'node:crypto';

/** @param body - the bytes as they came, before any parser. @returns whether a valid secret signed the request within five minutes. */
export function isAuthentic(
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
  secret: string,
  nowSeconds = Date.now() / 1000,
): boolean {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!/^\d+$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
