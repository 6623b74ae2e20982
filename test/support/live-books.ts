/** What bank, node, gateway and ledger say of a live stage at the end, and everything in which they do not agree. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fromMinor, toMinor } from '../../src/base/money/money.ts';
import { brasiliaDay } from '../../src/base/time/brasilia-day.ts';
import { unfinished } from './crash.ts';
import type { TestDatabase } from './database.ts';
import { control } from './live-orders.ts';
import { CURRENCY, DECIMALS, type LiveStage, run } from './live-stage.ts';

/** What the hot wallet has of each, minor units. */
export interface Funds {
  readonly tokens: bigint;
  readonly coins: bigint;
}

/** All of it. */
export interface LiveBooks {
  /** Get started. */
  readonly report: Readonly<Record<string, unknown>>;
  readonly defects: readonly string[];
}

/** What the network's fees are paid in. */
const COIN = 'ETH_ETH';
const COIN_DECIMALS = 18;
type Row = Readonly<Record<string, string>>;

async function fundsOf({ node, hotAddress }: LiveStage): Promise<Funds> {
  return { tokens: await node.balance(hotAddress, CURRENCY), coins: await node.balance(hotAddress) };
}

/** Books what the hot wallet begins with as capital of the house. @returns it. */
export async function bookFunds(stage: LiveStage): Promise<Funds> {
  const funds = await fundsOf(stage);
  const amounts = { [CURRENCY]: text(funds.tokens), [COIN]: fromMinor(funds.coins, COIN_DECIMALS) };
  const key = ['key', 'create', '--account', 'platform', '--live', '--scopes', 'platform:books'];
  const { apiKey } = await run(stage.env, ...key);
  for (const [currency, amount] of Object.entries(amounts)) {
    // The operator at the command line is the second person.
    const query = `mutation { bookCapital(input: { currency: "${currency}", amount: "${amount}", direction: IN }) { manualJournal { id: proposalId } errors { code message path } } }`;
    const response = await fetch(`${stage.gateway}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data } = (await response.json()) as { data: { bookCapital: { manualJournal: { id: string } } } };
    await run(stage.env, 'journal', 'approve', '--live', data.bookCapital.manualJournal.id);
  }
  return funds;
}

/** A node that was started anew has no balances of the blocks before: it is asked again after another block. */
async function reconcile(stage: LiveStage, rail: string): ReturnType<typeof run> {
  const words = ['reconcile', '--live', '--rail', rail, '--day', brasiliaDay(Date.now())];
  for (let left = 20; ; left--) {
    try {
      return await run(stage.env, ...words);
    } catch (error) {
      if (left === 0) throw error;
      await stage.node.mine();
      await sleep(500);
    }
  }
}

/** @param before - the funds before the first order; @param count - of the orders, all of which end well. */
export async function compareBooks(
  stage: LiveStage,
  store: Pick<TestDatabase, 'owner'>,
  before: Funds,
  count: number,
): Promise<LiveBooks> {
  const { report, defects, bank } = await compareProviders(stage, store, before);
  if (bank.refunds.length > 0) defects.push(`refunds: ${JSON.stringify(bank.refunds)}`);
  const { rows: templates } = await store.owner.query<Row>(
    `select template, component || '/' || state as step, count(*)::text as count from transaction group by 1, 2 order by 1, 2`,
  );
  const orders = templates.map((each) => Number(each.count)).reduce((sum, each) => sum + each, 0);
  if (orders !== count) defects.push(`orders: ${orders} here, ${count} made`);
  for (const each of templates)
    if (each.step !== 'success/DONE') defects.push(`${each.count} of ${each.template} are at ${each.step}`);
  defects.push(...(await waiting(store.owner)));
  const shown = templates.map(({ template, step, count: of }) => `${of} ${template} ${step}`);
  return { report: { templates: shown, ...report }, defects };
}

/** The account at the bank, as its control server shows it. */
export interface BankBooks {
  readonly received: readonly Row[];
  readonly payouts: readonly Row[];
  readonly refunds: readonly Row[];
}

/** Compares the gateway with bank and network, and its ledger with itself, wherever the orders are. */
export async function compareProviders(
  stage: LiveStage,
  { owner }: Pick<TestDatabase, 'owner'>,
  before: Funds,
): Promise<{ readonly report: LiveBooks['report']; readonly defects: string[]; readonly bank: BankBooks }> {
  const defects: string[] = [];
  const agree = (what: string, here: unknown, there: unknown) => {
    const [one, other] = [JSON.stringify(here), JSON.stringify(there)];
    if (one !== other) defects.push(`${what}: ${one} here, ${other} there`);
  };
  const rows = async (sql: string): Promise<readonly Row[]> => (await owner.query(sql)).rows;
  const psp = await control(stage, 'GET', '/books');
  compareLists(defects, 'payment', {
    here: (await rows(PAYMENTS)).map(({ value = '' }) => value),
    there: psp.received.map((each: Row) => `${each.endToEndId} ${each.amount}`),
  });
  compareLists(defects, 'payout', {
    here: (await rows(PAYOUTS)).map(({ value = '' }) => value),
    there: psp.payouts.map((each: Row) => `${each.id} ${each.amount} ${each.status}`),
  });
  const chain = await compareAddresses(stage, await rows(ADDRESSES), defects);
  const after = await fundsOf(stage);
  agree('what left the hot wallet', text(chain.delivered), text(before.tokens - after.tokens));
  const { lines } = await run(stage.env, 'treasury', '--live');
  const booked = (house: string, currency: string): string =>
    lines.find((line: Row) => line.house === house && line.currency === currency)?.balance ?? '0';
  agree('the account at the bank', Number(booked('A.pix', 'BRL')), Number(psp.saldo));
  agree('custody on the network', booked('A.custody', CURRENCY), text(after.tokens + chain.deposited));
  agree('custody of the coin', booked('A.custody', COIN), fromMinor(after.coins, COIN_DECIMALS));
  agree('gas', booked('X.gas', COIN), fromMinor(before.coins - after.coins, COIN_DECIMALS));
  const matched: Record<string, number> = {};
  for (const rail of ['pix', 'ETH']) {
    const reconciled = await reconcile(stage, rail);
    matched[rail] = reconciled.matched;
    if (reconciled.isOpen) defects.push(`reconciliation of ${rail}: ${JSON.stringify(reconciled)}`);
  }
  const verified = await run(stage.env, 'verify');
  defects.push(...(verified.defects ?? []).map((each: unknown) => JSON.stringify(each)));
  const [gateway] = await rows(COUNTS);
  const report = {
    steps: (await rows('select name, count(*)::int as count from event group by 1 order by 1')).map(
      ({ name, count: of }) => `${of} ${name}`,
    ),
    faults: psp.faults.map((each: Row) => `${each.times} ${each.on} ${each.fault}`),
    bank: { received: psp.received.length, payouts: psp.payouts.length, balance: psp.saldo },
    callbacks: psp.callbacks,
    network: { ...chain, delivered: text(chain.delivered), deposited: text(chain.deposited) },
    gateway,
    ledger: {
      pix: booked('A.pix', 'BRL'),
      custody: booked('A.custody', CURRENCY),
      gas: booked('X.gas', COIN),
      linesVerified: verified.checked,
      reconciled: matched,
    },
  };
  return { report, defects, bank: psp };
}

/** @returns what is not over, with what keeps it: how many stand alike. */
export async function waiting(owner: TestDatabase['owner']): Promise<string[]> {
  const open = (await unfinished(owner)).map(({ template, step }) => `${template} stands at ${step}`);
  const others = (await owner.query(WAITING)).rows.map(({ value }) => value as string);
  const alike = Map.groupBy([...open, ...others], (each) => each);
  return [...alike].map(([each, { length }]) => `${length} ${each}`);
}

const text = (minor: bigint) => fromMinor(minor, DECIMALS);

function compareLists(
  defects: string[],
  what: string,
  { here, there }: { readonly here: readonly string[]; readonly there: readonly string[] },
): void {
  const [ours, theirs] = [new Set(here), new Set(there)];
  for (const each of there) if (!ours.has(each)) defects.push(`${what}: the gateway does not have ${each}`);
  for (const each of here) if (!theirs.has(each)) defects.push(`${what}: the bank does not have ${each}`);
  if (theirs.size < there.length) defects.push(`${what}: twice at the bank`);
  if (ours.size < here.length) defects.push(`${what}: twice in the gateway`);
}

/** Each address got what its order says, once. */
async function compareAddresses({ node }: LiveStage, orders: readonly Row[], defects: string[]) {
  const sums = { deliveries: 0, delivered: 0n, deposits: 0, deposited: 0n };
  for (const { kind, address = '', amount = '' } of orders) {
    const there = await node.balance(address, CURRENCY);
    if (there !== toMinor(amount, DECIMALS)) defects.push(`${address}: ${amount} here, ${text(there)} there`);
    sums[kind === 'out' ? 'deliveries' : 'deposits'] += 1;
    sums[kind === 'out' ? 'delivered' : 'deposited'] += there;
  }
  return sums;
}

const PAYMENTS = `select substr(key, 5) || ' ' || (body ->> 'amount') as value from rail_news where kind = 'payment' and mode = 'live'`;
const PAYOUTS = `select psp_id || ' ' || amount::numeric(20, 2)::text || case when is_done then ' REALIZADO' else ' ?' end as value
  from pix_order where kind = 'payout'`;
/** A wallet has what it was sent, an address of a deposit what came. */
const ADDRESSES = `select 'out' as kind, wallet as address, target_amount::text as amount from transaction where template = 'onramp_instant'
  and component = 'success'
  union all select 'in', deposit_address, exact_deposit_amount::text from transaction where template = 'offramp_instant'`;
const COUNTS = `select (select count(*)::int from transaction) as transactions, (select count(*)::int from event) as events,
  (select json_object_agg(kind, times) from (select kind, count(*) as times from rail_news group by 1 order by 1) n) as "railEvents", (select count(*)::int from chain_order) as "transfers",
  (select count(*)::int from chain_attempt) as "transactionsMade", (select count(*)::int from chain_order where tries > 0) as "madeAnew"`;
const WAITING = `
  select 'job ' || kind || ' waits after ' || attempts || ' tries: ' || last_error as value from job where last_error is not null
  union all select 'order to the bank is undecided' from pix_order where is_done is null
  union all select 'rail event ' || kind || ' is ' || outcome || ': ' || coalesce(last_error, '') from rail_news where outcome in ('pending', 'failed')
  union all select 'transfer is ' || state || ': ' || coalesce(last_error, '') from chain_order where ended_at is null
  union all select 'transfer ' || key || ' failed: ' || coalesce(last_error, '') from chain_order where state = 'failed'
  union all select network || ' cannot be read: ' || trouble from chain_network where trouble is not null`;
