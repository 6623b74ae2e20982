/**
 * Goal: the engine posts exactly what its steps say. Method: templates made for the test, on the real ledger.
 */
import { expect, test } from 'vitest';
import { newEnd2end } from '../../../src/base/ids/end2end.ts';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import * as journals from '../../../src/ledger/journals.ts';
import { createAdvance } from '../../../src/resolvers/engine/advance-transaction.ts';
import { emptyProcess } from '../../../src/resolvers/orders/create-transaction.ts';
import type { AdvanceResult } from '../../../src/resolvers/services/advance.ts';
import { Notifier } from '../../../src/resolvers/services/notifier.ts';
import { RunningWork } from '../../../src/resolvers/services/running-work.ts';
import type { Template } from '../../../src/templates/define.ts';
import { STEP_UP_MS } from '../../../src/templates/effects.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { ofSource } from '../../../src/templates/post-moves.ts';
import { registryOf } from '../../../src/templates/registry.ts';
import { type Transition, when } from '../../../src/templates/transition.ts';
import { useApp } from '../../support/app.ts';
import { fundAccount } from '../../support/fund-account.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';

const app = useApp();

const TRX = currencyOfLedger('TRX_TRX');
const QUOTE = 'quote/QUOTE';
const RESERVED = 'reserve/DONE';
const SHORT = 'reserve/ERROR';
const SENDING = 'pix_out/SENDING';

/** Makes a transaction of 5 USDT by a template whose machine is this one; one that rests at its quote is accepted. */
async function make(transitions: readonly Transition[], { funds }: { funds: string }) {
  const { accountId } = await app.addAccount();
  await fundAccount(app.database, accountId, { currency: 'USDT_TRX', amount: funds });
  const template: Template = { ...REGISTRY.of('offramp'), machine: { transitions, entering: {} } };
  const advance = createAdvance({
    database: app.database,
    registry: registryOf([template]),
    mode: 'sandbox',
    clock: SYSTEM_CLOCK,
    notifier: new Notifier(),
    localDispatch: { receiver: undefined },
    stepUpMs: STEP_UP_MS,
    storedBody: () => ({ form: null, payload: '{}' }),
    worker: null,
    writes: new RunningWork(),
    locked: new Set(),
    ispb: () => '12345678',
    priceArrival: async (_row, trigger) => trigger,
  });
  const create = {
    ...emptyProcess(accountId, template.name, Date.now(), null),
    end2end: newEnd2end(new Date()),
    sourceCurrency: 'USDT_TRX',
    sourceAmount: '5',
  };
  const result = await advance({ target: { create }, trigger: { on: 'created' } });
  if (result.row.state !== 'QUOTE') return result;
  const target = { accountId, transactionId: result.row.id };
  return advance({ target, trigger: { on: 'accepted' } });
}

async function journalsOf({ row }: AdvanceResult): Promise<string[]> {
  const { rows } = await app.owner.query(
    'select name from journal where account_id = $1 and transaction_id = $2 order by id',
    [row.accountId, row.id],
  );
  return rows.map(({ name }) => name);
}

const reserving = { post: ofSource(journals.reserve), shortfall: SHORT } as const;
const holding = { post: ofSource(journals.reservationHeld) } as const;

test('C-30: after a step that the balance does not cover, nothing of the plan is posted', async () => {
  const result = await make(
    [
      when('created', 'start', QUOTE),
      when('accepted', QUOTE, RESERVED, reserving),
      when('reached', RESERVED, SENDING, { post: ofSource(journals.depositSeen) }),
    ],
    { funds: '1' },
  );
  expect(result.row).toMatchObject({ component: 'reserve', state: 'ERROR' });
  expect(await journalsOf(result)).toEqual([]);
});

test('C-30: steps after a covered one post in order', async () => {
  const result = await make(
    [when('created', 'start', RESERVED, reserving), when('reached', RESERVED, SENDING, holding)],
    { funds: '9' },
  );
  expect(result.row).toMatchObject({ component: 'pix_out', state: 'SENDING' });
  expect(await journalsOf(result)).toEqual(['L20', 'L45']);
});

test('a journal of nothing is not posted, and stops nothing', async () => {
  const nothing = () => [journals.gasSpent(TRX, 0n)];
  const result = await make([when('created', 'start', SENDING, { post: nothing })], { funds: '1' });
  expect(result.row).toMatchObject({ component: 'pix_out', state: 'SENDING' });
  expect(await journalsOf(result)).toEqual([]);
});
