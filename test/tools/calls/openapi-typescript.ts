/** Creates a checkout and reads it by types of openapi-typescript. */
import type { operations } from '../generated/openapi-typescript/paths.ts';
import { authorization, baseUrl, order } from './order.ts';

type Create = operations['create_crossramp_checkout'];
type Body = Create['requestBody']['content']['application/json'];
type Created = Create['responses'][201]['content']['application/json'];
type Read = operations['get_crossramp_checkout']['responses'][200]['content']['application/json'];

async function call<Answer>(path: string, body?: Body): Promise<Answer> {
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = await fetch(baseUrl + path, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Answer;
}

const made = await call<Created>('/v2/crossramp_checkout', { ...order, external_code: 'openapi-typescript' });
const read = await call<Read>(`/v2/crossramp_checkout/${made.end2end}`);
process.stdout.write(`${made.end2end} ${read.attributes.external_code}`);
