/** Acts on webhook endpoints and on what is sent to them: a receiver on this machine gets it. */
import { expect, vi } from 'vitest';
import type { ActRow } from './row.ts';
import { customer, type Stage } from './stage.ts';

const DEVELOPERS = '/console/developers';
const PATIENCE = { timeout: 15_000 };

async function endpoint({ ask, receiver }: Stage, mark: string): Promise<string> {
  const input = `{ url: "${receiver.url(mark)}", description: "${mark}" }`;
  return (
    await ask(
      `mutation { createWebhookEndpoint(input: ${input}) { webhookEndpoint { id: endpointId } errors { code message path } } }`,
    )
  ).createWebhookEndpoint.webhookEndpoint.id;
}

async function endpointOf({ ask }: Stage, mark: string) {
  const { viewer } = await ask(
    '{ viewer { account { webhookEndpoints { id: endpointId description state eventNames } } } }',
  );
  return viewer.account.webhookEndpoints.find(
    ({ description }: { description: string }) => description === mark,
  );
}

async function secretsOf(
  { ask }: Stage,
  endpointId: string,
): Promise<{ secret: string; validUntil: string | null }[]> {
  const { viewer } = await ask(
    `{ viewer { account { webhookSecrets(endpointId: "${endpointId}") { secret validUntil } } } }`,
  );
  return viewer.account.webhookSecrets;
}

/** Something happens, of which endpoints are told. */
async function happen({ create, reach }: Stage): Promise<void> {
  const input = { ...customer(), currency: 'USDT_TRX', amount: { brl: '50' } };
  await reach((await create('createOnramp', input)).transaction.end2end, 'depositpix/QRCODE');
}

async function deliveriesTo({ ask }: Stage, endpointId: string): Promise<{ id: string; state: string }[]> {
  const { viewer } = await ask(
    `{ viewer { account { webhookDeliveries(endpointId: "${endpointId}", first: 100) { nodes { id: deliveryId state } } } } }`,
  );
  return viewer.account.webhookDeliveries.nodes;
}

/** An endpoint that has got something, and waits for no more. */
async function delivered(stage: Stage, mark: string) {
  const id = await endpoint(stage, mark);
  await happen(stage);
  await stage.receiver.until(mark, 1);
  const isDone = async () => {
    const all = await deliveriesTo(stage, id);
    expect([...new Set(all.map(({ state }) => state))]).toEqual(['DELIVERED']);
    return all;
  };
  const all = await vi.waitFor(isDone, PATIENCE);
  return { id, delivery: all[0]?.id ?? '', count: stage.receiver.at(mark).length };
}

/** Waits until the endpoint is as it has to be. */
const becomes = (stage: Stage, mark: string, state: string) =>
  vi.waitFor(async () => expect(await endpointOf(stage, mark)).toMatchObject({ state }), PATIENCE);

/** An endpoint that has refused for good what it was told. */
async function disabled(stage: Stage, mark: string): Promise<string> {
  const id = await endpoint(stage, mark);
  stage.receiver.answer(mark, { status: 410 });
  await happen(stage);
  await becomes(stage, mark, 'DISABLED');
  stage.receiver.answer(mark, { status: 200 });
  return id;
}

/** An act of one button on an endpoint, with what becomes of it. */
function buttonRow(action: string, state: string, before?: string): ActRow {
  return {
    act: action,
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await endpoint(stage, mark);
      if (before)
        await stage.ask(
          `mutation { ${before}(input: { endpointId: "${id}" }) { errors { code message path } } }`,
        );
      const check = async () => expect(await endpointOf(stage, mark)).toMatchObject({ state });
      return { path: DEVELOPERS, given: { id }, object: id, check };
    },
  };
}

/** The rows; they come last, as every endpoint is told of what happens later. */
export const WEBHOOK_ROWS: readonly ActRow[] = [
  {
    act: 'RotateWebhookSecret',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await endpoint(stage, mark);
      const [before] = await secretsOf(stage, id);
      return {
        path: `/console/webhook-secrets?endpoint=${id}`,
        given: { endpointId: id },
        object: id,
        seen: before?.secret ?? '',
        check: async () => {
          const [now, old] = await secretsOf(stage, id);
          expect([now?.validUntil, old?.secret]).toEqual([null, before?.secret]);
          expect(now?.secret).not.toBe(before?.secret);
        },
      };
    },
  },
  {
    act: 'CreateWebhookEndpoint',
    who: 'shop',
    begin: async (stage, { mark }) => ({
      path: DEVELOPERS,
      typed: { url: stage.receiver.url(mark), description: mark },
      seen: stage.receiver.url(mark),
      check: async () => {
        expect(await endpointOf(stage, mark)).toMatchObject({ state: 'ENABLED' });
        await happen(stage);
        await stage.receiver.until(mark, 1);
      },
    }),
  },
  {
    act: 'UpdateWebhookEndpoint',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await endpoint(stage, mark);
      return {
        path: `/console/webhooks/${id}?find=depositpix.paid`,
        given: { id },
        typed: { eventNames: ['onramp.depositpix.paid'] },
        object: id,
        seen: 'onramp.depositpix.paid',
        check: async () =>
          expect(await endpointOf(stage, mark)).toMatchObject({ eventNames: ['onramp.depositpix.paid'] }),
      };
    },
  },
  {
    act: 'SendSampleWebhook',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await endpoint(stage, mark);
      return {
        path: `/console/webhooks/${id}`,
        given: { id },
        typed: { eventName: 'offramp.success.done' },
        object: id,
        check: () => stage.receiver.until(mark, 1),
      };
    },
  },
  buttonRow('PauseWebhookEndpoint', 'PAUSED'),
  buttonRow('ResumeWebhookEndpoint', 'ENABLED', 'pauseWebhookEndpoint'),
  {
    act: 'RecoverWebhookEndpoint',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await disabled(stage, mark);
      const { length } = stage.receiver.at(mark);
      return {
        path: DEVELOPERS,
        given: { id },
        object: id,
        check: async () => {
          await stage.receiver.until(mark, length + 1);
          await becomes(stage, mark, 'ENABLED');
        },
      };
    },
  },
  {
    act: 'SendTestWebhook',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const { id, count } = await delivered(stage, mark);
      const check = () => stage.receiver.until(mark, count + 1);
      return { path: DEVELOPERS, given: { id }, object: id, check };
    },
  },
  {
    act: 'RedeliverWebhook',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const { id, delivery, count } = await delivered(stage, mark);
      const check = () => stage.receiver.until(mark, count + 1);
      return { path: `${DEVELOPERS}?endpoint=${id}`, given: { id: delivery }, check };
    },
  },
  {
    act: 'RedeliverWebhooks',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const { id, count } = await delivered(stage, mark);
      return {
        path: DEVELOPERS,
        given: { dryRun: 'true' },
        typed: { endpointId: id, states: 'DELIVERED' },
        isAskedFirst: true,
        object: id,
        check: () => stage.receiver.until(mark, 2 * count),
      };
    },
  },
  {
    act: 'RemoveWebhookEndpoint',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await endpoint(stage, mark);
      const check = async () => expect(await endpointOf(stage, mark)).toBeUndefined();
      return { path: DEVELOPERS, given: { id }, object: id, check };
    },
  },
];
