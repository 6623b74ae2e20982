/** One transaction on its way: made, told what happens to it, waited for; and what a walk is. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromMinor, sum, toMinor, trimDecimal } from '../../src/base/money/money.ts';
import type { Answer, Client } from './client.ts';
import type { Figures, JournalUse } from './published.ts';

/** What a walk may need besides a key, which a gateway or an account may not have. */
export interface Means {
  /** Another key of the account, to approve with. */
  readonly second?: Client;
  /** A key of the operator: the clock is set and what is held is decided with it. */
  readonly platform?: Client;
  /** Makes a group of destinations that can be used at once. @returns its id. */
  readonly whitelist?: (entries: readonly Destination[]) => Promise<string>;
  /** Sets above which BRL a withdrawal needs a second approver; null for never. */
  readonly approveAbove?: (amount: string | null) => Promise<void>;
}

/** Where withdrawals may go. */
export type Destination =
  | { readonly wallet: { readonly network: string; readonly address: string } }
  | { readonly pixKey: { readonly type: string; readonly key: string } };

/** What is done at a step. */
export type Action = (walker: Walker) => Promise<unknown>;

/** Makes the transaction. @returns its id; undefined when it was refused as it had to be. */
export type Make = (walker: Walker) => Promise<string | undefined>;

/** `component/STATE`. */
export type StepText = string;

/** A way through a process, and what has to come of it. */
export interface Walk {
  readonly name: string;
  readonly template: string;
  /** The scenario of postings.json that it is. */
  readonly scenario?: string;
  /** Raw code of the crypto that moves; `BRL` for a withdrawal of BRL. */
  readonly currency?: string;
  /** What the account is given before, by raw code. */
  readonly funds?: Readonly<Record<string, string>>;
  /** Path of its single record, without the id. */
  readonly path: string;
  readonly make: Make;
  /** Acts in order, each once the step is reached. */
  readonly acts: readonly (readonly [at: StepText, act: Action])[];
  /** Every step passed, in order. */
  readonly steps: readonly StepText[];
  /** Journals of the transaction, in order; those of house accounts alone may be left out. */
  readonly journals: readonly JournalUse[];
  /** What the transaction changes in the end: `USDT_TRX available` by a figure, `-crypto` for less. Nothing else changes. */
  readonly change: Readonly<Record<string, string>>;
  readonly needs?: readonly (keyof Means)[];
  /** Mutations without which it cannot be walked. */
  readonly mutations?: readonly string[];
  /** Turns the clock so far that transactions of others would be moved, or needs it to stand still. */
  readonly isAlone?: true;
}

const PATIENCE_MS = 30_000;
const POLL_MS = 10;
/** So long nothing happens until the clock is set ahead. */
const STILL_MS = 60;
const STEP = '2s';

/** The transaction of a walk. */
export class Walker {
  readonly client: Client;
  readonly means: Means;
  readonly walk: Walk;
  /** Somebody nobody knows yet, so that no limit of customers is in the way. */
  readonly taxId = newCpf();
  end2end = '';
  /** The newest body of the single record. */
  // biome-ignore lint/suspicious/noExplicitAny: six shapes
  record: any;
  #figures: Figures = {};

  constructor(client: Client, means: Means, walk: Walk) {
    this.client = client;
    this.means = means;
    this.walk = walk;
  }

  get currency(): string {
    return this.walk.currency ?? 'USDT_TRX';
  }

  /** @returns where the transaction stands. */
  get step(): StepText {
    return `${this.record.component}/${this.record.state}`;
  }

  /** @returns the amounts of the transaction, from its own body and from what the walk noted. */
  get figures(): Figures {
    return { ...amountsOf(this.record), ...this.#figures };
  }

  note(figures: Figures): void {
    this.#figures = { ...this.#figures, ...figures };
  }

  /** Makes the transaction. @returns whether there is one. */
  async make(): Promise<boolean> {
    const end2end = await this.walk.make(this);
    if (end2end === undefined) return false;
    this.end2end = end2end;
    await this.read();
    return true;
  }

  async read(): Promise<void> {
    this.record = expectStatus(await this.client.get(`${this.walk.path}/${this.end2end}`), 200);
  }

  /** Waits until the transaction is at the step, and sets the clock ahead whenever nothing happens. */
  async reach(step: StepText): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    let since = Date.now();
    for (let last = ''; ; last = this.step) {
      await this.read();
      if (this.step === step) return;
      if (!this.walk.steps.includes(this.step)) throw new Error(`is at ${this.step} on the way to ${step}`);
      if (Date.now() > until) throw new Error(`is still at ${this.step} on the way to ${step}`);
      if (this.step !== last) since = Date.now();
      if (Date.now() - since > STILL_MS) {
        await this.advance(STEP);
        since = Date.now();
      }
      await sleep(POLL_MS);
    }
  }

  /** Sets the clock of the sandbox ahead. */
  async advance(by: string): Promise<void> {
    const { platform = this.client } = this.means;
    expectStatus(await platform.post('/v2/sandbox/clock', { advance: by }), 200);
  }

  /** @returns what is available in a currency. */
  async available(code: string): Promise<string> {
    return (await readBalances(this.client)).get(`${code} available`) ?? '0';
  }

  /** Makes another transaction and waits until it succeeded. */
  async makeOther(path: string, body: object): Promise<void> {
    const { end2end } = expectStatus(await this.client.post(path, body), 201);
    await this.succeed(path, end2end);
  }

  /** Gives the account an amount. */
  async fund(currency: string, amount: string): Promise<void> {
    expectStatus(await this.client.post('/v2/sandbox/fund', { currency, amount }), 200);
  }

  /** @returns a group of these destinations. */
  whitelist(entries: readonly Destination[]): Promise<string> {
    if (!this.means.whitelist) throw new Error('there is no way to whitelist');
    return this.means.whitelist(entries);
  }

  /** Waits until another transaction succeeded. */
  async succeed(path: string, end2end: string): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const { status } = expectStatus(await this.client.get(`${path}/${end2end}`), 200);
      if (status.en === 'Success') return;
      if (Date.now() > until) throw new Error(`${path}/${end2end} is still ${status.en}`);
      await this.advance(STEP);
      await sleep(STILL_MS);
    }
  }
}

/** @returns the body of an answer that must have this status. */
export function expectStatus({ status, json }: Answer, expected: number): Answer['json'] {
  if (status !== expected) throw new Error(`answered ${status} ${json?.code ?? ''}: ${json?.detail ?? ''}`);
  return json;
}

/** @returns the four sub-accounts of every currency: amounts by `USDT_TRX available`. */
export async function readBalances(client: Client): Promise<Map<string, string>> {
  const { balances } = expectStatus(await client.get('/v2/balance'), 200);
  const held = new Map<string, string>();
  for (const currencies of Object.values(balances) as Record<string, Record<string, string>>[])
    for (const [name, subAccounts] of Object.entries(currencies))
      for (const subAccount of ['available', 'in_transit', 'to_receive', 'blocked'])
        if (typeof subAccounts === 'object')
          held.set(`${codeOf(name)} ${subAccount}`, trimDecimal(subAccounts[subAccount] as string));
  return held;
}

/** `USDT (TRX)` is `USDT_TRX`. */
function codeOf(displayName: string): string {
  return displayName.replace(' (', '_').replace(')', '');
}

/** @returns left − right, exactly. */
export function less(left: string, right: string): string {
  return sum([left, negative(right)]);
}

/** @returns the amount with the other sign. */
export function negative(amount: string): string {
  if (amount.startsWith('-')) return amount.slice(1);
  return trimDecimal(`-${amount}`);
}

/** @returns the lesser of two amounts. */
export function least(left: string, right: string): string {
  return less(left, right).startsWith('-') ? left : right;
}

/** @returns half of an amount, rounded down to its currency's decimals. */
export function half(amount: string, decimals: number): string {
  return fromMinor(toMinor(amount, decimals) / 2n, decimals);
}

/** The figures that the published body of each template tells. */
function amountsOf(record: Walker['record']): Figures {
  const given = (name: string) => trimDecimal(record.attributes[name] || '0');
  switch (record.template) {
    case 'onramp_instant': {
      const [net, networkFee] = [given('amount_received'), given('network_fee')];
      return { crypto: sum([net, networkFee]), net, networkFee };
    }
    case 'offramp':
      return { crypto: given('amount_paid'), brl: given('amount_sent') };
    case 'offramp_instant':
      return {
        crypto: given('amount_payment'),
        brl: given('amount_received'),
        deposit: given('exact_deposit_amount'),
        exact: given('exact_deposit_amount'),
      };
    case 'withdraw_dash_same_curr': {
      const crypto = given('amount_received');
      return { crypto, brl: crypto, net: given('amount_discounted'), networkFee: given('network_fee') };
    }
    default:
      return { crypto: given('amount_received') };
  }
}

/** @returns a CPF with right check digits. */
export function newCpf(): string {
  const digits = Array.from({ length: 9 }, (_, index) => (index === 0 ? randomInt(2, 10) : randomInt(10)));
  for (const length of [9, 10]) {
    const weighted = digits.reduce((total, digit, index) => total + digit * (length + 1 - index), 0);
    digits.push(((weighted * 10) % 11) % 10);
  }
  return digits.join('');
}
