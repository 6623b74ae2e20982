/**
 * Transactions on the real engine and ledger, put where the machines can come to: each word of a way is told to the engine,
 * and nothing goes on by itself, because no worker runs.
 */

import { known } from '../../../src/base/errors/assert.ts';
import { newEnd2end } from '../../../src/base/ids/end2end.ts';
import { stepNameOf } from '../../../src/base/ids/step-name.ts';
import { txidOf } from '../../../src/base/pix/end-to-end-id.ts';
import { allocateDeposit } from '../../../src/resolvers/engine/allocate-deposit.ts';
import type { AdvanceRequest } from '../../../src/resolvers/services/advance.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import type { DepositEvent, PaymentEvent, RailEvent } from '../../../src/resolvers/services/rail-event.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import type { Trigger } from '../../../src/templates/triggers.ts';
import { fundAccount } from '../../support/fund-account.ts';
import { SAMPLES, text } from '../../support/machine.ts';
import { MOVER } from '../../support/mover.ts';
import { type Position, wordAt } from '../../support/places.ts';

let made = 0;
/** @returns a name that nothing else has. */
export function newName(): string {
  made += 1;
  return String(made).padStart(11, '0');
}

/** @returns a transaction of the account that stands there. */
export async function stand(services: Services, accountId: bigint, place: Position): Promise<ProcessRow> {
  for (const [currency, amount] of Object.entries(place.means))
    await fundAccount(services.database, accountId, { currency, amount });
  const sample = SAMPLES[place.sample];
  if (sample.template === 'withdraw_dash_same_curr') await allowDestination(services, accountId, sample);
  const wallet = sample.wallet ?? (sample.groupId === null ? null : sample.pixKey);
  const process = { ...sample.process, worth: '100.00' };
  const create = { ...sample, wallet, accountId, end2end: newEnd2end(new Date()), process };
  const [first, ...rest] = place.way;
  let row = await tell(services, {
    target: { create: create as never },
    trigger: text(first as string, sample),
  });
  for (const word of rest) row = await happen(services, row, word);
  if (stepNameOf(row) !== place.step) throw new Error(`${place.way.join(' ')} leads to ${stepNameOf(row)}`);
  return row;
}

/** Puts the destination of a withdrawal on the whitelist. */
async function allowDestination(
  { database }: Services,
  accountId: bigint,
  { groupId, wallet, pixKey, pixKeyType }: Pick<ProcessRow, 'groupId' | 'wallet' | 'pixKey' | 'pixKeyType'>,
): Promise<void> {
  const group = { name: '', text: GROUP };
  await database.query(group, [accountId, groupId]);
  const [network, type] = pixKey === null ? ['TRX', null] : [null, pixKeyType];
  await database.query({ name: '', text: ENTRY }, [accountId, groupId, network, type, pixKey ?? wallet]);
}

const GROUP = `insert into whitelist_group (account_id, id, name, created_at) values ($1, $2, $2, now()) on conflict do nothing`;
const ENTRY = `insert into whitelist_entry (account_id, group_id, id, network, pix_key_type, target, created_at, usable_at)
  values ($1, $2, $2, $3, $4, $5, now(), '2020-01-01') on conflict do nothing`;

/** @returns the transaction after what a word says. */
async function happen(services: Services, row: ProcessRow, word: string): Promise<ProcessRow> {
  const trigger = wordAt(word, row);
  const event = eventOf(row, trigger);
  const receipt = event && (await services.receive(event));
  if (receipt?.row) return receipt.row;
  return tell(services, {
    target: { accountId: row.accountId, transactionId: row.id },
    trigger: await own(services, row, trigger),
  });
}

async function tell({ advance }: Services, request: AdvanceRequest): Promise<ProcessRow> {
  const { code, row } = await advance({ author: MOVER, ...request });
  if (code !== 'ADVANCED') throw new Error(`${request.trigger.on} at ${stepNameOf(row)}: ${code}`);
  return row;
}

/** What has to be unlike that of any other transaction. */
async function own(services: Services, row: ProcessRow, trigger: Trigger): Promise<Trigger> {
  switch (trigger.on) {
    case 'charge_created':
      return { ...trigger, txid: txidOf(row.end2end) };
    case 'deposit_ready':
      return { ...trigger, ...(await allocateDeposit(services, row)) };
    default:
      return trigger;
  }
}

/** @returns the trigger as an event of money and payouts, which later events may be about; undefined for all others. */
function eventOf(row: ProcessRow, trigger: Trigger): RailEvent | undefined {
  switch (trigger.on) {
    case 'pix_received':
      return paymentFor(row, trigger);
    case 'deposit_seen':
      return depositFor(row, trigger);
    case 'payout_settled': {
      const endToEndId = endToEndIdOf(newName());
      return { kind: 'payout_ended', order: `${row.end2end}:1`, isDone: true, endToEndId };
    }
    case 'deposit_confirmed':
    case 'deposit_dropped': {
      const { txHash, logIndex, amount, from } = known(row.process?.deposit, 'a deposit');
      return depositOf(row, { kind: trigger.on, txHash, logIndex, amount, from });
    }
    default:
      return undefined;
  }
}

/** @returns the id of a PIX. */
export function endToEndIdOf(name: string): string {
  return `E99999999202611211201${name}`;
}

/** @returns the id of a PIX that goes back. */
export function returnIdOf(name: string): string {
  return `D99999999202611211201${name}`;
}

/** @returns a new PIX as the trigger has it, to the charge of the transaction if there is one. */
export function paymentFor(row: ProcessRow, trigger: Trigger<'pix_received'>): PaymentEvent {
  const { amount, settledAt, payerTaxId } = trigger;
  const txid = row.process?.txid ?? null;
  return { kind: 'payment', txid, endToEndId: endToEndIdOf(newName()), amount, settledAt, payerTaxId };
}

/** @returns a new transfer as the trigger has it, to the address of the transaction if there is one. */
export function depositFor(row: ProcessRow, trigger: Trigger<'deposit_seen'>): DepositEvent {
  const { seenAt, from } = trigger;
  // The exact amount of the samples is that of the transaction here.
  const isExact = trigger.amount === '100.000137' && row.exactDepositAmount !== null;
  const amount = isExact ? (row.exactDepositAmount as string) : trigger.amount;
  const txHash = newName().padStart(64, 'd');
  return depositOf(row, { kind: 'deposit_seen', txHash, logIndex: 0, amount, from }, seenAt);
}

function depositOf(
  row: ProcessRow,
  told: Pick<DepositEvent, 'kind' | 'txHash' | 'logIndex' | 'amount' | 'from'>,
  seenAt = new Date().toISOString(),
): DepositEvent {
  const address = row.depositAddress ?? 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
  return { ...told, address, currency: 'USDT_TRX', seenAt };
}
