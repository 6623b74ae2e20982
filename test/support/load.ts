/**
 * Load as merchants make it: creations of every family under idempotency keys, what the outside world and people do to
 * them, and a journal of what was asked and answered. What has no answer is asked again with the same key.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** Random choices that a seed gives again. */
export interface Random {
  /** From 0 to below 1. */
  readonly next: () => number;
  /** Whole, both inclusive. */
  readonly integer: (least: number, most: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly chance: (share: number) => boolean;
  /** A copy in another order. */
  readonly shuffle: <Item>(items: readonly Item[]) => Item[];
}

/** @returns the same choices for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    integer,
    pick: (items) => items[integer(0, items.length - 1)] as (typeof items)[number],
    chance: (share) => next() < share,
    shuffle: (items) =>
      items
        .map((item) => ({ item, place: next() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ item }) => item),
  };
}

/** @returns the n-th CPF, with right check digits. */
export function cpfOf(n: number): string {
  const digits = String(100_000_000 + (n % 800_000_000));
  const check = (text: string) => {
    const sum = [...text].reduce((total, digit, at) => total + Number(digit) * (text.length + 1 - at), 0);
    return ((sum * 10) % 11) % 10;
  };
  const first = check(digits);
  return `${digits}${first}${check(`${digits}${first}`)}`;
}

/** @returns the n-th CNPJ, with right check digits; every other one has letters, as those of 2026 may. */
export function cnpjOf(n: number): string {
  const digits = `${n % 2 === 0 ? '10' : 'AB'}${String(n % 1_000_000).padStart(6, '0')}0001`;
  const check = (text: string) => {
    const sum = [...text].reduce(
      (total, char, at) => total + (char.charCodeAt(0) - 48) * (((text.length - 1 - at) % 8) + 2),
      0,
    );
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = check(digits);
  return `${digits}${first}${check(`${digits}${first}`)}`;
}

/** An answer, or none: the connection broke. */
export interface Heard {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: callers look into answers of every shape
  readonly json: any;
}

/** What asks, for one account. */
export interface Merchant {
  readonly accountId: bigint;
  /** Keys with all scopes; withdrawals are approved with the other one. */
  readonly keys: readonly [string, string];
  /** Whitelist groups for each currency. */
  readonly groups: { readonly crypto: string; readonly pix: string };
}

/** Asks for a path; undefined when no whole answer came. */
export async function query(
  url: string,
  key: string,
  options: { readonly body?: unknown; readonly idempotencyKey?: string } = {},
): Promise<Heard | undefined> {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
  try {
    const response = await fetch(url, {
      method: options.body === undefined ? 'GET' : 'POST',
      headers,
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Something that is to be made, once. */
export interface Intent {
  readonly merchant: Merchant;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** Stands in the transaction, so that it can be found without its answer. */
  readonly marker: string;
  /** How often it was asked for. */
  asked: number;
  /** The answer that ended the asking. */
  heard?: Heard;
}

const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
/** Plans that a creation can carry, and how often one does. */
const PLANS = [
  'hold',
  'step-up-require',
  'swap-fail',
  'pix-out-reject',
  'delivery-fail',
  'broadcast-fail',
  'refund-fail',
  'identity-review',
  'identity-irregular',
];
const PLANNED_SHARE = 0.2;

/** @returns a creation of any family. */
export function newIntent(random: Random, merchant: Merchant): Intent {
  const marker = `load-${randomUUID()}`;
  const words = random.chance(PLANNED_SHARE) ? `${marker} sandbox:${random.pick(PLANS)}` : marker;
  const client = { client_name: 'Ana Souza', client_tax_id: cpfOf(random.integer(0, 700_000_000)) };
  const session = { external_code: words, expires_in: random.integer(60, 1_800) };
  const amount = `${random.integer(20, 90)}.${random.integer(10, 99)}`;
  const payee = { ...client, pix_key: client.client_tax_id, pix_key_type: 'cpf' };
  const onramp = { currency_exit_received_code: 'USDT_TRX', amount_payment: amount, ...client, ...session };
  const offramp = { currency_entry_paid_code: 'USDT_TRX', amount_paid: amount, ...payee, ...session };
  const withdrawal = { amount_received: amount, notes: words };
  const made = (path: string, body: Intent['body']): Intent => ({
    merchant,
    path,
    body,
    key: randomUUID(),
    marker,
    asked: 0,
  });
  switch (random.integer(1, 7)) {
    case 1:
      return made('/v2/onramp', { ...onramp, wallet: WALLET });
    case 2:
      return made('/v2/crossramp_checkout', onramp);
    case 3:
      return made('/v2/offramp', { ...offramp, from: 'balance' });
    case 4:
      return made('/v2/offramp', { ...offramp, from: 'external' });
    case 5:
      return made('/v2/withdrawal', {
        ...withdrawal,
        currency_receive_code: 'USDT_TRX',
        group_id: merchant.groups.crypto,
      });
    case 6:
      return made('/v2/withdrawal', {
        ...withdrawal,
        currency_receive_code: 'BRL',
        group_id: merchant.groups.pix,
      });
    default:
      return made('/v2/onramp', onramp);
  }
}

/** Whether an answer ends the asking: while it runs, and while it cannot be answered, one asks again. */
export function isFinal(heard: Heard | undefined): heard is Heard {
  return heard !== undefined && heard.status !== 503 && heard.json?.code !== 'IDEMPOTENCY_RUNNING';
}

/** Asks for a creation once. @returns whether it is answered now. */
export async function attempt(baseUrl: string, intent: Intent): Promise<boolean> {
  const { merchant, path, body, key } = intent;
  intent.asked += 1;
  const heard = await query(baseUrl + path, merchant.keys[0], { body, idempotencyKey: key });
  if (!isFinal(heard)) return false;
  intent.heard = heard;
  return true;
}

const IN_SCENARIOS = ['pay', 'pay', 'pay', 'pay', 'pay-over', 'pay-under', 'pay-late', 'pay-other-payer'];
const OUT_SCENARIOS = ['deposit', 'deposit', 'deposit-confirm', 'deposit-confirm', 'deposit-wrong'];
const ANY_SCENARIOS = [
  'pay-twice',
  'release',
  'hold-reject',
  'step-up-approve',
  'step-up-deny',
  'pix-return',
  'deposit-reorg',
  'dispute-open',
  'dispute-accept',
  'dispute-reject',
  'expire',
];

/** An act on a transaction: path below `/v2`, body, and which of the merchant's keys asks. */
export interface Action {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly keyIndex: 0 | 1;
}

/** @returns something that may happen to a transaction of that path next; it need not fit. */
export function nextAct(random: Random, made: { readonly path: string; readonly end2end: string }): Action {
  const { path, end2end } = made;
  const play = (scenario: string): Action => ({
    path: '/v2/sandbox/trigger',
    body: { scenario, end2end },
    keyIndex: 0,
  });
  const action = (name: string, body: Action['body'] = {}, keyIndex: Action['keyIndex'] = 0): Action => ({
    path: `${path}/${end2end}/${name}`,
    body,
    keyIndex,
  });
  if (random.chance(0.07)) return action('cancel');
  if (random.chance(0.15)) return play(random.pick(ANY_SCENARIOS));
  switch (path) {
    case '/v2/withdrawal':
      return random.chance(0.85) ? action('approve', {}, 1) : action('reject', {}, 1);
    case '/v2/offramp':
      return random.chance(0.85)
        ? play(random.pick(OUT_SCENARIOS))
        : action('resolve', { action: random.pick(['keep', 'refund', 'requote']) });
    default:
      return play(random.pick(IN_SCENARIOS));
  }
}

/** Gives an account whom to withdraw to, and above what that needs approval. */
export async function allowWithdrawals(
  owner: pg.Pool,
  accountId: bigint,
  approvalAbove: string | null,
): Promise<Merchant['groups']> {
  const groups = { crypto: 'wl-crypto', pix: 'wl-pix' };
  const id = String(accountId);
  await owner.query(
    `insert into whitelist_group (account_id, id, name, created_at)
       select $1, unnest($2::text[]), 'Load', now() - interval '2 days'`,
    [id, Object.values(groups)],
  );
  await owner.query(
    `insert into whitelist_entry (account_id, group_id, id, network, pix_key_type, target, created_at, usable_at) values
       ($1, $2, 'wle-crypto', 'TRX', null, $4, now() - interval '2 days', now() - interval '1 day'),
       ($1, $3, 'wle-pix', null, 'email', 'ana@example.com', now() - interval '2 days', now() - interval '1 day')`,
    [id, groups.crypto, groups.pix, WALLET],
  );
  await owner.query(
    `insert into account_setting (account_id, approval_above, whitelist_cooling_seconds) values ($1, $2, 0)
       on conflict (account_id) do update set approval_above = excluded.approval_above, whitelist_cooling_seconds = 0`,
    [id, approvalAbove],
  );
  return groups;
}
