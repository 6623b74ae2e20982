/**
 * Thirty days of history for a sandbox account, by running the real processes under the virtual clock. What happens is the
 * same at every run (ids and times of day of the machine apart), so screens and documents have something true to show.
 */
import type { Logger } from 'pino';
import { SCOPES } from '../../base/api-key.ts';
import { known } from '../../base/assert.ts';
import { currencyOf } from '../../base/currency.ts';
import { addWhitelistEntry, createWhitelistGroup } from '../../resolvers/account/manage-whitelist.ts';
import { CreationChecks } from '../../resolvers/checks/check-creation.ts';
import { settle, startWorker } from '../../resolvers/engine/run-jobs.ts';
import { createOfframp } from '../../resolvers/orders/create-offramp.ts';
import { createOnramp } from '../../resolvers/orders/create-onramp.ts';
import { createWithdrawal } from '../../resolvers/orders/create-withdrawal.ts';
import type { Origin } from '../../resolvers/services/author.ts';
import type { Context, Services } from '../../resolvers/services/context.ts';
import { setAheadMs } from '../../store/account/sandbox.ts';
import { hasTransactions } from '../../store/engine/transactions.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { payerAddress } from './addresses.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const SEED = 20_260_101;
const PEOPLE = [
  ['Ana Souza', '52998224725'],
  ['Bruno Lima', '11144477735'],
  ['Carla Mendes', '12345678909'],
  ['Padaria São João Ltda', '11222333000181'],
] as const;
/** Nobody asks for what a demonstration does. */
const DEMO_ORIGIN: Origin = { requestId: null, address: null, actor: { kind: 'SYSTEM', id: 'demo' } };
const NAMES = {
  amountPayment: 'amount_payment',
  amountReceived: 'amount_received',
  amountPaid: 'amount_paid',
  amountSent: 'amount_sent',
  currency: 'currency',
  pixKey: 'pix_key',
  pixKeyType: 'pix_key_type',
  clientName: 'client_name',
  clientTaxId: 'client_tax_id',
  groupId: 'group_id',
  address: 'address',
};

/** What happens to a session after it was made, by its kind; the first of each is the usual. */
const ENDS = {
  in: [
    ['pay'],
    ['pay'],
    ['pay'],
    ['pay'],
    ['pay-over'],
    ['pay-other-payer'],
    ['expire', 'pay-late'],
    [],
    ['pay', 'dispute-open', 'dispute-reject'],
  ],
  delivered: [['pay'], ['pay'], ['pay'], ['delivery-fail', 'pay'], ['swap-fail', 'pay']],
  out: [[], [], [], ['pix-return'], ['pix-out-reject']],
  deposited: [
    ['deposit', 'deposit-confirm'],
    ['deposit', 'deposit-confirm'],
    ['deposit-wrong'],
    ['deposit', 'deposit-reorg'],
  ],
  withdrawn: [[], [], ['delivery-fail']],
} as const satisfies Record<string, readonly (readonly string[])[]>;

type Kind = keyof typeof ENDS;
const KINDS: readonly Kind[] = ['in', 'in', 'in', 'delivered', 'out', 'deposited', 'withdrawn', 'in'];

/**
 * Fills the account, unless the database has a transaction already; afterwards the clock is that of the machine.
 *
 * @returns how many transactions were made; none when there was something before.
 */
export async function playDemo(services: Services, accountId: bigint, log: Logger): Promise<number> {
  if (await hasTransactions(services.database)) return 0;
  const caller = {
    accountId,
    id: 'demo',
    mode: 'test',
    scopes: SCOPES,
    allowedCidrs: [],
    allowedOrigins: [],
  } as const;
  const stage: DemoStage = {
    context: { ...services, caller, origin: DEMO_ORIGIN },
    random: randomOf(SEED),
    log,
    groupId: '',
    made: 0,
  };
  const begin = Date.now() - DAYS * DAY_MS;
  await setAheadMs(services.database, begin - Date.now());
  const worker = startWorker(services, log);
  stage.groupId = await whitelist(stage.context);
  for (let day = 0; day < DAYS; day++) {
    const sessions = 3 + Math.floor(stage.random() * 4);
    for (let n = 0; n < sessions; n++) {
      await at(stage, begin + day * DAY_MS + Math.floor(((n + stage.random()) / sessions) * DAY_MS * 0.9));
      await session(stage, KINDS[(day + n) % KINDS.length] as Kind, day);
    }
  }
  await settle(services, log);
  await worker.stop();
  await setAheadMs(services.database, 0);
  return stage.made;
}

interface DemoStage {
  readonly context: Context;
  readonly random: () => number;
  readonly log: Logger;
  groupId: string;
  made: number;
}

/** Sets the clock to a moment, never back, and lets happen what is due by then. */
async function at({ context, log }: DemoStage, momentMs: number): Promise<void> {
  const nowMs = await context.clock.nowMs();
  if (momentMs > nowMs) await context.sandbox?.advanceClock(momentMs - nowMs);
  await settle(context, log);
}

async function session(stage: DemoStage, kind: Kind, day: number): Promise<void> {
  const { context, random, log } = stage;
  const row = await make(stage, kind, day).catch((error: Error) => {
    // A day without balance has no withdrawals: history is what was possible.
    log.debug({ err: error, kind }, 'demo session not made');
    return undefined;
  });
  if (!row) return;
  stage.made++;
  const ends = ENDS[kind];
  const acts: readonly string[] = ends[Math.floor(random() * random() * ends.length)] ?? [];
  for (const act of acts) {
    await wait(stage, 5_000 + Math.floor(random() * 60_000));
    await context.sandbox
      ?.play(row, act, {})
      .catch((error: Error) => log.debug({ err: error, act }, 'demo act'));
    await wait(stage, 3_000);
  }
  await wait(stage, 5_000);
}

async function wait(stage: DemoStage, ms: number): Promise<void> {
  await at(stage, (await stage.context.clock.nowMs()) + ms);
}

async function make({ context, random, groupId }: DemoStage, kind: Kind, day: number): Promise<ProcessRow> {
  const checks = new CreationChecks({ allowsLoopback: true });
  const attempt = { made: null, bind: async () => {} };
  const [clientName, clientTaxId] = PEOPLE[Math.floor(random() * PEOPLE.length)] as (typeof PEOPLE)[number];
  const cents = 5_000 + Math.floor(random() * 150_000);
  const brl = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const crypto = String(5 + Math.floor(random() * 40));
  const given = (name: string, value: string) => ({ name, value });
  const customer = {
    clientName: given('client_name', clientName),
    clientTaxId: given('client_tax_id', clientTaxId),
    externalCode: given('external_code', `order-${day + 1}-${cents}`),
  };
  const usdt = given('currency', 'USDT_TRX');
  switch (kind) {
    case 'in':
    case 'delivered': {
      const wallet = kind === 'delivered' ? { wallet: given('wallet', payerAddress(USDT_TRX)) } : {};
      const input = { ...customer, ...wallet, amountPayment: given('amount_payment', brl), currency: usdt };
      const family = kind === 'in' && random() < 0.5 ? 'checkouts' : 'onramps';
      const options = {
        family,
        names: NAMES,
        isAccepted: true,
        needsCustomer: true,
        needsAmount: true,
      } as const;
      return createOnramp(context, attempt, input, checks, options);
    }
    case 'out':
    case 'deposited': {
      const input = {
        ...customer,
        amountPaid: given('amount_paid', crypto),
        currency: usdt,
        pixKey: given('pix_key', 'financeiro@example.com'),
        pixKeyType: given('pix_key_type', 'email'),
        from: given('from', kind === 'out' ? 'balance' : 'external'),
      };
      return createOfframp(context, attempt, input, checks, {
        names: NAMES,
        isAccepted: true,
        needsPayee: true,
      });
    }
    case 'withdrawn': {
      const input = {
        amountReceived: given('amount_received', crypto),
        currency: usdt,
        groupId: given('group_id', groupId),
        notes: given('notes', `treasury ${day + 1}`),
      };
      return createWithdrawal(context, attempt, input, checks, NAMES);
    }
  }
}

async function whitelist(context: Context): Promise<string> {
  const checks = new CreationChecks({ allowsLoopback: true });
  const groupId = await createWhitelistGroup(context, { name: 'name', value: 'Treasury' }, checks);
  const input = {
    network: { name: 'network', value: USDT_TRX.network },
    address: { name: 'address', value: payerAddress(USDT_TRX) },
    label: { name: 'label', value: 'Cold wallet' },
  };
  await addWhitelistEntry(context, groupId, input, checks, ENTRY_NAMES);
  return groupId;
}

const USDT_TRX = known(currencyOf('USDT_TRX'), 'a currency of the catalogue');
const ENTRY_NAMES = { network: 'network', address: 'address', pixKeyType: 'pix_key_type', pixKey: 'pix_key' };

/** Numbers from 0 to 1 that are the same at every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
