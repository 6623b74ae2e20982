/** Whole transitions: onramps that are made and told of one thing after another until the crypto is available. */
import { randomUUID } from 'node:crypto';
import { newEndToEndId } from '../src/base/pix/end-to-end-id.ts';
import { createAdvance } from '../src/resolvers/engine/advance-transaction.ts';
import { emptyProcess, endOf } from '../src/resolvers/orders/create-transaction.ts';
import type { Advance } from '../src/resolvers/services/advance.ts';
import { Notifier, type TransactionKey } from '../src/resolvers/services/notifier.ts';
import { RunningWork } from '../src/resolvers/services/running-work.ts';
import { openDatabase } from '../src/store/connection/connection.ts';
import { STEP_UP_MS } from '../src/templates/effects.ts';
import type { ProcessRow } from '../src/templates/facts.ts';
import { REGISTRY } from '../src/templates/index.ts';
import type { Trigger } from '../src/templates/triggers.ts';
import { envelopeWriter } from '../src/wire/envelope.ts';
import { SYSTEM_CLOCK } from '../test/support/machine-clock.ts';
import { CURRENCY } from './books.ts';
import { drive, type Run, type Stage } from './load.ts';

const CALLERS = 64;
const SESSION_SECONDS = 1_800;
const ISPB = '99999999';
const CLIENT_TAX_ID = '52998224725';
const FACTS = {
  sourceCurrency: 'BRL',
  sourceAmount: '550.00',
  targetCurrency: CURRENCY.code,
  targetAmount: '100',
  quote: '5.375',
  refQuote: '5.3217',
  fees: '12.50',
  clientName: 'Ana Souza',
  clientTaxId: CLIENT_TAX_ID,
  externalCode: 'bench',
};
/** What an onramp is told after it was made, and the journals that it posts. */
const TOLD: readonly { readonly journals: number; readonly trigger: () => Trigger }[] = [
  { journals: 0, trigger: () => ({ on: 'identity_passed' }) },
  { journals: 0, trigger: () => ({ on: 'charge_created', txid: randomUUID(), brCode: '00020101021226' }) },
  { journals: 1, trigger: payment },
  { journals: 1, trigger: () => ({ on: 'cleared' }) },
  { journals: 1, trigger: () => ({ on: 'swap_settled' }) },
];

/** Name of this way. */
export const TRANSITIONS = 'transitions of onramps';

/** Each caller makes onramps and takes each to its end. @returns the run, and how many journals were posted. */
export async function runRamps(
  stage: Stage,
  accounts: readonly bigint[],
): Promise<{ run: Run; journals: number }> {
  const database = openDatabase(stage.url, { connections: 2 });
  const config = { publicUrl: 'https://bench.local', exactIntegers: false };
  const advance = createAdvance({
    database,
    registry: REGISTRY,
    mode: 'live',
    clock: SYSTEM_CLOCK,
    notifier: new Notifier(),
    localDispatch: { receiver: undefined },
    ispb: () => ISPB,
    stepUpMs: STEP_UP_MS,
    worker: null,
    writes: new RunningWork(),
    locked: new Set(),
    priceArrival: async () => {
      throw new Error('every payment arrives in time');
    },
    storedBody: envelopeWriter(REGISTRY, config).stored,
  });
  const posted = { journals: 0 };
  try {
    const callers = Array.from({ length: CALLERS }, () => ramp(advance, accounts, posted));
    return { run: await drive(stage, callers, 1), journals: posted.journals };
  } finally {
    await database.close();
  }
}

/** @returns what takes an onramp one trigger further, and begins the next when it is at its end. */
function ramp(advance: Advance, accounts: readonly bigint[], posted: { journals: number }) {
  let next: (() => Promise<unknown>) | undefined;
  let place = -1;
  return async () => {
    if (!next || place === TOLD.length) {
      next = rampOf(advance, accounts[Math.floor(Math.random() * accounts.length)] as bigint);
      place = 0;
    } else place += 1;
    await next();
    posted.journals += TOLD[place - 1]?.journals ?? 0;
  };
}

/** @returns what makes an onramp, then takes it one trigger further; it gives nothing when the onramp is at its end. */
export function rampOf(advance: Advance, accountId: bigint): () => Promise<ProcessRow | undefined> {
  let key: TransactionKey | undefined;
  const left = [...TOLD];
  return async () => {
    if (!key) {
      const row = await make(advance, accountId);
      key = { accountId, transactionId: row.id };
      return row;
    }
    const trigger = left.shift()?.trigger();
    if (!trigger) return undefined;
    const railKey = trigger.on === 'pix_received' ? { railKey: `pix:${trigger.endToEndId}` } : {};
    const { code, row } = await advance({ target: key, trigger, ...railKey });
    if (code !== 'ADVANCED') throw new Error(`${trigger.on}: ${code} at ${row.component}/${row.state}`);
    return row;
  };
}

async function make(advance: Advance, accountId: bigint): Promise<ProcessRow> {
  const nowMs = Date.now();
  const empty = emptyProcess(accountId, 'onramp', nowMs, null);
  const create = {
    ...empty,
    ...FACTS,
    expiresAt: endOf(nowMs, SESSION_SECONDS),
    process: { ...empty.process, isAccepted: true },
  };
  const { code, row } = await advance({ target: { create }, trigger: { on: 'created' } });
  if (code !== 'ADVANCED') throw new Error(`created: ${code}`);
  return row;
}

function payment(): Trigger {
  const now = new Date();
  return {
    on: 'pix_received',
    endToEndId: newEndToEndId({ ispb: ISPB, at: now }),
    amount: FACTS.sourceAmount,
    settledAt: now.toISOString(),
    payerTaxId: CLIENT_TAX_ID,
  };
}
