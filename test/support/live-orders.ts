/**
 * Orders of customers on a live account, of four kinds in turn, and how they are paid: by PIX at the bank, by transfers on the network.
 * Customers ask again until there is an answer, and pay once however often they try.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { toMinor } from '../../src/base/money/money.ts';
import { CURRENCY, DECIMALS, type LiveStage } from './live-stage.ts';
import { cpfOf, query } from './load.ts';

/** What is ordered, in turn. */
export const KINDS = ['onramp_instant', 'offramp_instant', 'onramp', 'offramp'] as const;
/** How far it is. */
export interface Progress {
  readonly made: number;
  readonly ended: number;
  /** Onramps to the balance that are over: each pays for one offramp. */
  readonly bought: number;
}

/** The orders. */
export interface LiveOrders {
  /** Makes all of them, by so many customers at once, while fewer than so many are open and fewer than so many were made. */
  readonly make: (at: {
    readonly once: number;
    readonly open: number;
    readonly upTo: () => number;
  }) => Promise<void>;
  /** Pays on the network what is open there: a transfer that was lost with its block is sent again. */
  readonly pay: () => Promise<void>;
  readonly progress: () => Promise<Progress>;
}

const PRICE = '100.00';
const DEPOSIT = '20';
/** What the deposit takes with its last digits at most. */
const PURSE = toMinor('21', DECIMALS);
const ETHER = 10n ** 18n;
const WAIT_MS = 100;
/** Far longer than processes are away. */
const POLLS_MAX = 3_000;
/** Whoever sent money looks after so long whether a block has it. */
const POLL_MS = 6_000;

/** @returns the address that the n-th order is delivered to. */
export const walletOf = (n: number) => addressOf(0xcc_0000 + n);
/** Each customer has a purse of his own, of which he pays once: a transfer that is sent again is the same one. */
const purseOf = (n: number) => addressOf(0xdd_0000 + n);
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;

/** @returns so many orders; the purses that they are paid from are filled. */
export async function liveOrders(stage: LiveStage, owner: pg.Pool, count: number): Promise<LiveOrders> {
  const kindOf = (n: number) => KINDS[n % KINDS.length] as (typeof KINDS)[number];
  const numbers = Array.from({ length: count }, (_, n) => n);
  const payers = new Map(numbers.map((n) => [cpfOf(n), n]));
  const sales = numbers.filter((n) => kindOf(n) === 'offramp');
  const others = numbers.filter((n) => kindOf(n) !== 'offramp');
  const started = { all: 0, sold: 0 };
  /** When each purse paid last. */
  const paidAt = new Map<string, number>();
  for (const n of others.filter((each) => kindOf(each) === 'offramp_instant')) {
    await stage.node.give(purseOf(n), ETHER);
    await stage.node.give(purseOf(n), PURSE, CURRENCY);
  }
  await stage.node.mine(3);
  const rows = async (sql: string, values: readonly unknown[] = []) =>
    (await owner.query(sql, [...values])).rows as Record<string, string>[];
  const progress = async (): Promise<Progress> => {
    const [row] =
      await rows(`select count(*)::int as made, count(*) filter (where outcome <> 'OPEN')::int as ended,
      count(*) filter (where outcome = 'SUCCESS' and template = 'onramp')::int as bought from transaction`);
    return row as unknown as Progress;
  };
  /** An offramp is made when what it sells was bought; the last ones wait for that. */
  const next = async (open: number, upTo: number): Promise<number | undefined | 'wait'> => {
    const { ended, bought } = await progress();
    if (started.all < count && (started.all - ended >= open || started.all >= upTo)) return 'wait';
    const sale = bought > started.sold ? sales.shift() : undefined;
    const n = sale ?? others.shift();
    if (n === undefined) return sales.length > 0 ? 'wait' : undefined;
    started.all += 1;
    if (sale !== undefined) started.sold += 1;
    return n;
  };
  const order = async (n: number): Promise<void> => {
    const end2end = await create(stage, n, bodyOf(n));
    if (!kindOf(n).startsWith('onramp')) return;
    const txid = await until(async () => {
      const sql = `select process ->> 'txid' as txid from transaction where end2end = $1`;
      return (await rows(sql, [end2end]))[0]?.txid;
    });
    // Whoever pays has one PIX: asked again, it is the same.
    const endToEndId = `E99999999202611220000${String(n).padStart(11, '0')}`;
    await control(stage, 'POST', '/pay', {
      ...{ txid, payerTaxId: cpfOf(n), amount: PRICE, endToEndId, wait: false },
    });
  };
  const bodyOf = (n: number): [path: string, body: object] => {
    const customer = { client_name: 'Ana Souza', client_tax_id: cpfOf(n) };
    const payee = { pix_key: `ana${n}@example.com`, pix_key_type: 'email' };
    const bought = { amount_payment: PRICE, currency_exit_received_code: CURRENCY };
    const sold = { ...payee, currency_entry_paid_code: CURRENCY };
    switch (kindOf(n)) {
      case 'onramp':
        return ['/v2/onramp', { ...customer, ...bought }];
      case 'onramp_instant':
        return ['/v2/onramp', { ...customer, ...bought, wallet: walletOf(n) }];
      case 'offramp':
        return ['/v2/offramp', { ...customer, ...sold, amount_paid: '10' }];
      case 'offramp_instant':
        return ['/v2/offramp', { ...customer, ...sold, from: 'external', amount_paid: DEPOSIT }];
    }
  };
  return {
    progress,
    make: async ({ once, open, upTo }) => {
      const client = async () => {
        for (let n = await next(open, upTo()); n !== undefined; n = await next(open, upTo())) {
          if (n === 'wait') await sleep(WAIT_MS);
          else await order(n);
        }
      };
      await Promise.all(Array.from({ length: once }, client));
    },
    pay: async () => {
      const due =
        await rows(`select deposit_address as address, exact_deposit_amount::text as amount, client_tax_id as payer
        from transaction where deposit_address is not null and outcome = 'OPEN'`);
      for (const { address = '', amount = '', payer = '' } of due) {
        const purse = purseOf(payers.get(payer) as number);
        if (Date.now() - (paidAt.get(purse) ?? 0) < POLL_MS) continue;
        paidAt.set(purse, Date.now());
        // It is there already, or the node is away: then it is tried again.
        await stage.node.pay(purse, address, toMinor(amount, DECIMALS), CURRENCY, 0).catch(() => {});
      }
    },
  };
}

/** Looks until something is there. */
export async function until<Found>(look: () => Promise<Found | null | undefined>): Promise<Found> {
  for (let looks = 0; looks < POLLS_MAX; looks++) {
    const found = await look();
    if (found != null) return found;
    await sleep(WAIT_MS);
  }
  throw new Error(`nothing in ${POLLS_MAX} looks: ${look}`);
}

/** Asks under one key until there is an answer. */
export async function create(
  stage: Pick<LiveStage, 'gateway' | 'apiKey'>,
  n: number,
  [path, body]: [string, object],
): Promise<string> {
  return until(async () => {
    const heard = await query(stage.gateway + path, stage.apiKey, { body, idempotencyKey: `live-${n}` });
    if (heard?.status === 201) return heard.json.end2end as string;
    if (heard && heard.status < 500 && heard.status !== 409 && heard.status !== 429)
      throw new Error(`${path} is answered ${heard.status}: ${heard.text}`);
    return undefined;
  });
}

/** Asks the control server of the PSP until it is there. */
export async function control(
  stage: LiveStage,
  method: string,
  path: string,
  body?: object,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
): Promise<any> {
  return until(async () => {
    try {
      const response = await fetch(stage.control + path, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (response.ok) return await response.json();
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return undefined;
    }
  });
}
