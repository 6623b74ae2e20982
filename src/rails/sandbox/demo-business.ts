/**
 * The business around the sessions of the demo: the operator's capital, the shop's settings, and open items at the end.
 * Everything is made by rail events, and by the functions that also handle requests.
 */
import { grantableScopes, SCOPES } from '../../base/access/api-key.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { bookCapital } from '../../resolvers/ledger/book-capital.ts';
import { closeBooks } from '../../resolvers/ledger/close-books.ts';
import { approveJournal, proposeJournal } from '../../resolvers/ledger/manual-journals.ts';
import { createStaticLink } from '../../resolvers/payer/manage-links.ts';
import { reconcile } from '../../resolvers/reconciliation/reconcile.ts';
import type { Context, Origin, Services } from '../../resolvers/services/context.ts';
import type { ScenarioName } from '../../resolvers/services/sandbox.ts';
import { updateAccountSettings } from '../../resolvers/settings/manage-settings.ts';
import { addWhitelistEntry, createWhitelistGroup } from '../../resolvers/settings/manage-whitelist.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import { readProcesses } from '../../store/engine/processes.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { payerAddress } from './addresses.ts';
import {
  coinOf,
  named,
  newChecks,
  ONCE,
  PEOPLE,
  payOut,
  type SessionFacts,
  sell,
  withdraw,
} from './demo-sessions.ts';
import { newPayment } from './pix.ts';

/** Accounts of the demo: the shop, and the operator. */
export interface DemoBusiness {
  readonly context: Context;
  readonly operator: Context;
  /** Whitelist group to which the treasury withdraws. */
  readonly groupId: string;
}

/** Origin of the demo's actions, which have no request. */
const DEMO_ORIGIN: Origin = { requestId: null, address: null, actor: { kind: 'SYSTEM', id: 'demo' } };
/** Initial capital of the operator, more than thirty days of payouts. */
const CAPITAL = [
  ['BRL', '50000'],
  ['USDT_TRX', '10000'],
  // TRX for the network's fees.
  ['TRX_TRX', '5000'],
] as const;
/** Amount from which a withdrawal needs the approval of another person. Unit: BRL. */
const APPROVAL_ABOVE = '1000';
/** Customers of the last hour, without earlier payments. */
const NEWCOMERS = [
  ['Marina Costa', '31415926590'],
  ['Diego Ramos', '27182818205'],
  ['Luiza Prado', '16180339805'],
  ['Otávio Reis', '14142135651'],
  ['Renata Alves', '17320508052'],
  ['Caio Duarte', '22360679767'],
  ['Sofia Nunes', '26457513182'],
  ['Helena Dias', '57721566401'],
] as const;
/** Maximum number of polls until a transaction has reached a step. */
const POLLS_MAX = 12;
const DAY_MS = 86_400_000;
/** Ages, in days, of the closed days; yesterday stays open. */
const CLOSED_DAYS_AGO = [4, 3, 2] as const;
const NOT_EARLIER = { name: 'begin', value: false };
const ENTRY_NAMES = { network: 'network', address: 'address', pixKeyType: 'pix_key_type', pixKey: 'pix_key' };

/** Sets up the business before its first customer. */
export async function openBusiness(services: Services, accountId: bigint): Promise<DemoBusiness> {
  const context = as(services, accountId, SCOPES);
  const platform = await platformAccount(services.database, 'sandbox');
  const operator = as(services, platform, grantableScopes({ isPlatform: true }));
  const second = { ...operator, caller: { ...operator.caller, id: 'demo, second person' } };
  for (const [currency, amount] of CAPITAL) {
    const input = { currency: named('currency', currency), amount: named('amount', amount) };
    const { id } = await bookCapital(operator, input, 'in', ONCE, newChecks());
    await approveJournal(second, String(id), ONCE);
  }
  await updateAccountSettings(
    context,
    { approvalAbove: named('approval_above', APPROVAL_ABOVE) },
    newChecks(),
  );
  const link = {
    name: named('name', 'Monthly lesson'),
    currency: named('currency', 'USDT_TRX'),
    amount: named('amount', '150'),
  };
  await createStaticLink(context, link, newChecks());
  const groupId = await createWhitelistGroup(context, named('name', 'Treasury'), newChecks());
  const coin = coinOf('USDT_TRX');
  const entry = {
    network: named('network', coin.network),
    address: named('address', payerAddress(coin)),
    label: named('label', 'Cold wallet'),
  };
  await addWhitelistEntry(context, groupId, entry, newChecks(), { names: ENTRY_NAMES });
  return { context, operator, groupId };
}

/**
 * Leaves one open item of each kind.
 * @param goOn - moves the clock forward a little, and processes due work.
 * @returns the number of transactions.
 */
export async function leaveOpen(business: DemoBusiness, goOn: () => Promise<void>): Promise<number> {
  const { context, operator, groupId } = business;
  const play = async (row: ProcessRow, ...scenarios: ScenarioName[]) => {
    for (const scenario of scenarios) {
      for (let polls = 0; polls < POLLS_MAX && !(await isPossible(context, row, scenario)); polls++)
        await goOn();
      await context.sandbox?.play(row, scenario, {});
      await goOn();
    }
  };
  const made: ProcessRow[] = [];
  const collect = async (making: Promise<ProcessRow>) => {
    const row = await making;
    made.push(row);
    await goOn();
    return row;
  };
  const checkout = (person: SessionFacts['person'], brl: string) =>
    collect(sell(context, factsOf(person, { brl }), { family: 'checkouts' }));
  const [marina, diego, luiza, otavio, renata, caio, sofia, helena] = NEWCOMERS;

  await play(await checkout(marina, '480.00'), 'hold', 'pay');
  await play(await checkout(diego, '260.00'), 'refund-fail', 'pay-under');
  await play(await checkout(luiza, '120.00'), 'pay', 'pay');
  await play(await checkout(otavio, '930.00'), 'pay', 'dispute-open');
  const delivered = { family: 'onramps', isDelivered: true } as const;
  const lost = await collect(sell(context, factsOf(renata, { brl: '210.00' }), delivered));
  await play(lost, 'pay', 'dispute-open', 'dispute-accept');
  await play(await collect(payOut(context, factsOf(caio, { crypto: '35' }), 'external')), 'deposit-wrong');
  // This amount needs one more document. The customer whose documents are requested is another one, who must stay free
  // to pay.
  await checkout(helena, '12500.00');
  await collect(withdraw(context, factsOf(sofia, { crypto: '300', reference: 'treasury, large' }), groupId));
  await playStrayPayment(business);
  await checkout(sofia, '150.00');
  const coin = named('currency', 'BRL');
  const proposal = {
    account: named('account', String(operator.caller.accountId)),
    debit: named('debit', 'X.loss'),
    credit: named('credit', 'A.pix'),
    currency: coin,
    amount: named('amount', '12.90'),
    reason: named('reason', 'Fee of the settlement bank, not on its statement yet'),
  };
  await proposeJournal(operator, proposal, ONCE, newChecks());
  return made.length;
}

/** Closes past days, and compares today with the bank's statement. */
export async function closeDays({ operator }: DemoBusiness): Promise<void> {
  const nowMs = await operator.clock.nowMs();
  for (const days of CLOSED_DAYS_AGO)
    await closeBooks(operator, named('day', brasiliaDay(nowMs - days * DAY_MS)), NOT_EARLIER, ONCE);
  await reconcile(operator, { day: named('day', brasiliaDay(nowMs)) }, ONCE);
}

/**
 * @returns whether a scenario is possible at the transaction's present step, or at a later one. Scenarios of payments
 *   are always possible.
 */
async function isPossible(
  { database, sandbox }: Context,
  { accountId, id }: ProcessRow,
  scenario: ScenarioName,
): Promise<boolean> {
  const [row] = await readProcesses(database, [{ accountId, transactionId: id }]);
  const { now = [], later = [] } = (row && sandbox?.possible(row)) ?? {};
  return [...now, ...later].includes(scenario);
}

/** Plays a PIX to the house's key without a matching charge. */
async function playStrayPayment({ context }: DemoBusiness): Promise<void> {
  const payment = {
    txid: null,
    amount: 7_500n,
    settledAtMs: await context.clock.nowMs(),
    payerTaxId: PEOPLE[1][1],
    payerName: PEOPLE[1][0].toUpperCase(),
  };
  await context.receive(newPayment(payment));
}

function factsOf(person: SessionFacts['person'], change: Partial<SessionFacts>): SessionFacts {
  const reference = `order-31-${person[1].slice(0, 4)}`;
  return { person, brl: '', crypto: '', currency: 'USDT_TRX', reference, ...change };
}

function as(services: Services, accountId: bigint, scopes: Context['caller']['scopes']): Context {
  const who = { id: 'demo', mode: 'test', allowedCidrs: [], allowedOrigins: [] } as const;
  return { ...services, caller: { ...who, accountId, scopes }, origin: DEMO_ORIGIN };
}
