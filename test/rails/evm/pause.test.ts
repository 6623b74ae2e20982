/** Goal: a person pauses what is sent on a network, with a reason; it is written down, and only the operator may (C-40). Method: GraphQL. */

import { beforeAll, expect, test } from 'vitest';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { readNetwork } from '../../../src/store/rails/chain-network.ts';
import { useApp } from '../../support/app.ts';
import { errorsIn } from '../../support/refusals.ts';

const app = useApp();
const KEY = { mode: 'sandbox', network: 'ETH' } as const;
let platform: bigint;

beforeAll(async () => {
  platform = await platformAccount(app.database, 'sandbox');
});
const ask = (call: string, key = app.platformKey) =>
  app.graphql(
    `mutation { ${call} { sending { network pausedAt pausedBy reason } errors { code message path } } }`,
    {},
    { key },
  );
const actions = async () => {
  const { rows } = await app.owner.query(
    `select act, object_id as id, before, after from audit_entry where account_id = $1 and act like 'network.%' order by id`,
    [String(platform)],
  );
  return rows;
};

test('pausing with a reason and resuming are in the audit log', async () => {
  const { json } = await ask('pauseNetwork(input: { network: "ETH", reason: "case 4712" })');
  expect(json.data.pauseNetwork.sending).toMatchObject({
    network: 'ETH',
    reason: 'case 4712',
    pausedAt: expect.any(String),
  });
  expect(await readNetwork(app.database, KEY)).toMatchObject({ pauseReason: 'case 4712', height: null });
  for (let again = 0; again < 2; again++)
    expect(
      (await ask('resumeNetwork(input: { network: "ETH" })')).json.data.resumeNetwork.sending,
    ).toMatchObject({
      pausedAt: null,
    });
  expect(await readNetwork(app.database, KEY)).toMatchObject({ pausedAt: null, pauseReason: null });
  expect(await actions()).toMatchObject([
    { act: 'network.pause', id: 'ETH' },
    { act: 'network.resume', id: 'ETH' },
  ]);
});

test('an unknown network, an empty reason, and callers other than the operator are refused', async () => {
  const codeOf = async (call: string, key?: string) =>
    errorsIn((await ask(call, key)).json)?.[0]?.extensions?.code;
  expect(await codeOf('pauseNetwork(input: { network: "ETC", reason: "x" })')).toBe('INVALID_PARAMETER');
  expect(await codeOf('resumeNetwork(input: { network: "__proto__" })')).toBe('INVALID_PARAMETER');
  expect(await codeOf('pauseNetwork(input: { network: "ETH", reason: "" })')).toBe('INVALID_PARAMETER');
  expect(await codeOf('pauseNetwork(input: { network: "ETH", reason: "x" })', app.apiKey)).toBe('FORBIDDEN');
});
