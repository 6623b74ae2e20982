/** Webhooks that run in a test, on a clock that the test sets ahead. */
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { Notifier } from '../../src/resolvers/services/notifier.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { startWebhooks, type WebhookOptions, type WebhookWorker } from '../../src/webhooks/worker.ts';
import type { TestApp } from './app.ts';
import { SECRET } from './events.ts';
import type { Received } from './receiver.ts';
import { TEST_SECRETS } from './secrets.ts';

/** Log of the tests. */
export const SILENT = pino({ level: 'silent' });
/** Milliseconds of units. */
export const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** A time that only goes by itself and by the test. */
export class TestClock {
  #aheadMs = 0;
  readonly notifier = new Notifier();

  readonly nowMs = async () => Date.now() + this.#aheadMs;
  readonly aheadMs = async () => this.#aheadMs;

  /** Sets the clock ahead, and says so as the sandbox does. */
  advance(byMs: number): void {
    this.#aheadMs += byMs;
    this.notifier.notifyMoved([{ accountId: 0n, transactionId: 0n }]);
  }
}

/** Starts relay and dispatcher as the gateway does. */
export function runWebhooks(
  database: Database,
  clock: TestClock,
  options: Partial<WebhookOptions> = {},
): WebhookWorker {
  const services = {
    database,
    clock,
    mode: 'sandbox',
    notifier: clock.notifier,
    secrets: TEST_SECRETS,
  } as const;
  return startWebhooks(services, SILENT, { allowsLoopback: true, ...options });
}

/** Makes an onramp that waits to be paid, with the events until then. @returns its id. */
export async function openOnramp(app: TestApp, key: string, webhook?: string): Promise<string> {
  const { json, status } = await app.post(
    '/v2/onramp',
    {
      currency_exit_received_code: 'USDT_TRX',
      amount_payment: '50',
      client_name: 'Ana Souza',
      client_tax_id: '52998224725',
      webhook,
    },
    { key },
  );
  expect(status, JSON.stringify(json)).toBe(201);
  return json.end2end;
}

/** Fails unless the request is signed under the secret, as receivers check it. */
export function expectSigned(received: Received, secret = SECRET): void {
  expect(() => new Webhook(secret).verify(received.body, { ...received.headers })).not.toThrow();
}
