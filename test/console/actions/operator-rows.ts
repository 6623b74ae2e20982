/** Acts of the operator: on holds, returns, debts, money in suspense, rail events, the books, and accounts. */
import { expect, vi } from 'vitest';
import { type Currency, currencyOf } from '../../../src/base/money/currency.ts';
import { brasiliaDay, dayAfter } from '../../../src/base/time/brasilia-day.ts';
import { creditedDropped } from '../../../src/ledger/journals.ts';
import { newPayment } from '../../../src/rails/sandbox/pix.ts';
import { postJournals } from '../../../src/store/ledger/posting.ts';
import { askAs } from './account-rows.ts';
import type { ActRow, Situation, Walk } from './row.ts';
import { customer, type Stage, WALLET } from './stage.ts';

const OPERATOR = '/console/operator';
const RAILS = '/console/rails';
const BOOKS = '/console/books';
const USDT = 'USDT_TRX';
const PATIENCE = { timeout: 15_000 };

async function onramp({ create }: Stage, given: object = {}): Promise<string> {
  const input = { ...customer(), currency: USDT, amount: { brl: '550.00' }, ...given };
  return (await create('createOnramp', input)).transaction.end2end;
}

/** An onramp that compliance holds once it is paid. */
async function hold(stage: Stage): Promise<string> {
  const end2end = await onramp(stage);
  await stage.trigger(end2end, 'hold');
  await stage.trigger(end2end, 'pay');
  await vi.waitFor(async () => expect(await isHeld(stage, end2end)).toBe(true), PATIENCE);
  return end2end;
}

async function isHeld({ askAsOperator }: Stage, end2end: string): Promise<boolean> {
  const { holds } = await askAsOperator('{ holds { transaction { end2end } } }');
  return holds.some(
    ({ transaction }: { transaction: { end2end: string } }) => transaction.end2end === end2end,
  );
}

/** A row about a transaction that is held. */
function holdRow(action: string, end: RegExp): ActRow {
  return {
    act: action,
    who: 'platform',
    begin: async (stage) => {
      const end2end = await hold(stage);
      return onTransaction(stage, ['HOLD', end2end], {
        typed: { reason: 'case 4712' },
        check: async () => {
          expect(await isHeld(stage, end2end)).toBe(false);
          await stage.reach(end2end, end);
        },
      });
    },
  };
}

/** A row about a customer who waits for extra verification. */
function stepUpRow(action: string, end: string): ActRow {
  return {
    act: action,
    who: 'platform',
    begin: async (stage) => {
      const end2end = await onramp(stage, { externalCode: 'sandbox:step-up-require' });
      await stage.reach(end2end, 'valida_id/PENDING');
      return onTransaction(stage, ['STEP_UP', end2end], {
        typed: { reason: 'case 4713' },
        check: () => stage.reach(end2end, end),
      });
    },
  };
}

/** A payment below the price, of which the return fails. */
async function failedReturn(stage: Stage): Promise<string> {
  const end2end = await onramp(stage);
  await stage.trigger(end2end, 'refund-fail');
  await stage.trigger(end2end, 'pay-under');
  await stage.reach(end2end, 'refund/ERROR');
  return end2end;
}

/** A row about a return that failed. */
function returnRow(action: string, state: string, typed: Situation['typed'] = {}): ActRow {
  return {
    act: action,
    who: 'platform',
    begin: async (stage) => {
      const end2end = await failedReturn(stage);
      return onTransaction(stage, ['FAILED_REFUND', end2end], {
        typed,
        check: async () => {
          const { transaction } = await stage.ask(
            `{ transaction(end2end: "${end2end}") { refunds { state } } }`,
          );
          expect(transaction.refunds[0]).toEqual({ state });
        },
      });
    },
  };
}

function onTransaction(
  stage: Stage,
  [kind, end2end]: readonly [kind: string, end2end: string],
  rest: Pick<Situation, 'typed' | 'check'>,
): Situation {
  const path = `/console/review/case?id=${encodeURIComponent(`${kind}:${stage.shop()}:${end2end}`)}`;
  return { path, given: { account: stage.shop(), end2end }, object: end2end, ...rest };
}

/** Money to the key of the house that nobody waits for. @returns its place in suspense. */
async function stray({ app, askAsOperator }: Stage): Promise<string> {
  const settledAtMs = await app.services.clock.nowMs();
  const { clientTaxId: payerTaxId } = customer();
  const payment = newPayment({ txid: null, amount: 7_500n, settledAtMs, payerTaxId });
  await app.services.receive(payment);
  const { suspense } = await askAsOperator(
    '{ suspense(state: OPEN, first: 100) { nodes { id: suspenseId railEvent } } }',
  );
  return suspense.nodes.find(({ railEvent: event }: { railEvent: object }) =>
    JSON.stringify(event).includes(payment.endToEndId),
  ).id;
}

function suspenseRow(action: string, state: RegExp, typedOf?: (stage: Stage) => Situation['typed']): ActRow {
  return {
    act: action,
    who: 'platform',
    begin: async (stage) => {
      const id = await stray(stage);
      return {
        path: OPERATOR,
        given: { id },
        typed: { reason: 'case 4716', ...typedOf?.(stage) },
        object: id,
        check: async () => {
          const { suspense } = await stage.askAsOperator(
            '{ suspense(first: 100) { nodes { id: suspenseId state } } }',
          );
          expect(suspense.nodes).toContainEqual({ id, state: expect.stringMatching(state) });
        },
      };
    },
  };
}

/** Another account is proposed by a key; the person decides. */
function proposedRow(action: 'ApproveSuspense' | 'RejectSuspense', state: string): ActRow {
  const isApproval = action === 'ApproveSuspense';
  return {
    act: action,
    who: 'platform',
    // The account that gets the money has it in its log, too.
    entries: isApproval ? 2 : 1,
    begin: async (stage) => {
      const [id, account] = [await stray(stage), stage.shop()];
      await stage.askAsOperator(
        `mutation { assignSuspense(input: { suspenseId: "${id}", account: "${account}", reason: "checked" }) { suspenseEntry { id: suspenseId } errors { code message path } } }`,
      );
      const check = async () => {
        const { suspense } = await stage.askAsOperator(
          '{ suspense(first: 100) { nodes { id: suspenseId state proposedTo } } }',
        );
        expect(suspense.nodes).toContainEqual({ id, state, proposedTo: null });
      };
      const given = isApproval ? { id, account } : { id };
      return { path: OPERATOR, given, typed: { reason: 'case 4716' }, object: id, check };
    },
  };
}

/** An account that owes the house 5 USDT. */
async function debtor({ app }: Stage): Promise<string> {
  const { accountId } = await app.addAccount();
  const journal = creditedDropped(currencyOf(USDT) as Currency, 5_000_000n);
  await app.database.withTx((tx) =>
    postJournals(tx, [{ accountId, ref: 'dropped', transactionId: null, journal }], new Date()),
  );
  return String(accountId);
}

/** An event of a dispute about an unknown payment. @returns its id. */
async function dispute({ app, askAsOperator }: Stage, { mark }: Walk): Promise<string> {
  const endToEndId = `E12345678202611221200${mark.padStart(11, 'x')}`;
  await app.services.receive({ kind: 'dispute_opened', disputeId: mark, endToEndId, amount: null });
  const { railEvents } = await askAsOperator('{ railEvents(first: 100) { nodes { id: railEventId body } } }');
  return railEvents.nodes.find(({ body: event }: { body: object }) =>
    JSON.stringify(event).includes(endToEndId),
  ).id;
}

/** An order that the provider does not know: the provider of the sandbox cannot be asked, and is played here. */
async function unknownOrder({ app, shop }: Stage, { mark }: Walk): Promise<string> {
  const { rails } = app.services as { rails: { pix: object } };
  rails.pix = { ...rails.pix, queryOrder: async () => 'unknown' };
  const key = `CRX${mark}:pay:0`;
  await app.owner.query(
    `insert into pix_order (mode, key, kind, account_id, psp_id, amount, placed_at, sent_at)
       values ('sandbox', $1, 'payout', $2, $3, 12.5, now(), now() - interval '10 minutes')`,
    [key, shop(), mark],
  );
  return key;
}

async function railEventNow({ askAsOperator }: Stage, id: string) {
  const query = (state: string) =>
    `railEvents(${state}first: 100) { nodes { id: railEventId state tries closeReason } }`;
  const { open, closed } = await askAsOperator(`{ open: ${query('')} closed: ${query('state: CLOSED, ')} }`);
  return [...open.nodes, ...closed.nodes].find((each) => each.id === id);
}

/** A journal by hand that waits for a second person. */
async function proposal(stage: Stage, { mark }: Walk): Promise<string> {
  const parts = 'debit: "X.loss", credit: "A.pix", currency: "BRL", amount: "12.30"';
  const {
    proposeJournal: { manualJournal: proposeJournal },
  } = await stage.askAsOperator(
    `mutation { proposeJournal(input: { account: "${stage.platform()}", ${parts}, reason: "${mark}" }) { manualJournal { id: proposalId } errors { code message path } } }`,
  );
  return proposeJournal.id;
}

async function journalFor({ askAsOperator }: Stage, mark: string) {
  const { manualJournals } = await askAsOperator('{ manualJournals { id: proposalId reason state amount } }');
  return manualJournals.find(({ reason }: { reason: string }) => reason === mark);
}

function journalRow(action: string, state: string): ActRow {
  return {
    act: action,
    who: 'platform',
    begin: async (stage, walk) => {
      const id = await proposal(stage, walk);
      const check = async () => expect(await journalFor(stage, walk.mark)).toMatchObject({ state });
      return { path: BOOKS, given: { id }, object: id, check };
    },
  };
}

async function closedDays({ askAsOperator }: Stage): Promise<readonly string[]> {
  const { bookCloses } = await askAsOperator('{ bookCloses(first: 10) { nodes { day } } }');
  return bookCloses.nodes.map(({ day }: { day: string }) => day);
}

/** A row about a case of the review queue, on its own screen. */
function reviewRow(
  action: string,
  { typed, isTaken = false }: { readonly typed?: Record<string, string>; readonly isTaken?: boolean },
  seen: (reviewCase: { notes: { body: string }[]; waiting: { assignee: string | null } }) => void,
): ActRow {
  return {
    act: action,
    who: 'shop',
    begin: async (stage, { way }) => {
      const id = `HOLD:${stage.shop()}:${await hold(stage)}`;
      const take =
        'mutation ($id: String!) { assignReviewCase(input: { caseKey: $id }) { reviewCase { caseKey } errors { code message path } } }';
      if (isTaken) await askAs(stage, stage.person('shop', way), take, { id });
      return {
        path: `/console/review/case?id=${encodeURIComponent(id)}`,
        given: { id },
        ...(typed && { typed }),
        object: id,
        check: async () => {
          const query =
            'query ($id: String!) { reviewCase(caseKey: $id) { notes { body } waiting { assignee } } }';
          seen((await stage.ask(query, { id })).reviewCase);
        },
      };
    },
  };
}

const REVIEW_ROWS: readonly ActRow[] = [
  reviewRow('AssignReviewCase', {}, ({ waiting }) => expect(waiting.assignee).toMatch(/^per_/)),
  reviewRow('ReleaseReviewCase', { isTaken: true }, ({ waiting }) => expect(waiting.assignee).toBeNull()),
  reviewRow('AddReviewNote', { typed: { body: 'Called the customer' } }, ({ notes }) =>
    expect(notes).toEqual([{ body: 'Called the customer' }]),
  ),
];

const MONEY_ROWS: readonly ActRow[] = [
  holdRow('ReleaseHold', /^success\/DONE$/),
  holdRow('RejectHold', /^refund\//),
  stepUpRow('ApproveStepUp', 'depositpix/QRCODE'),
  stepUpRow('DenyStepUp', 'valida_id/DENIED'),
  returnRow('RetryRefund', 'RETRIED', { reason: 'case 4715' }),
  returnRow('SettleRefundByHand', 'PAID_BY_HAND', { reference: 'E12345678202611211205abcdef12345' }),
  suspenseRow('AssignSuspense', /^OPEN$/, (stage) => ({ account: stage.shop() })),
  proposedRow('ApproveSuspense', 'ASSIGNED'),
  proposedRow('RejectSuspense', 'OPEN'),
  suspenseRow('ReturnSuspense', /^RETURN(ING|ED)$/),
  {
    act: 'SettleReceivable',
    who: 'platform',
    begin: async (stage) => {
      const account = await debtor(stage);
      return {
        path: OPERATOR,
        given: { account, currency: USDT },
        typed: { amount: '2', source: 'CAPITAL' },
        check: async () => {
          const { receivables } = await stage.askAsOperator('{ receivables { nodes { account amount } } }');
          expect(receivables.nodes).toContainEqual({ account, amount: '3' });
        },
      };
    },
  },
];

const RAIL_ROWS: readonly ActRow[] = [
  {
    act: 'RetryRailEvent',
    who: 'platform',
    begin: async (stage, walk) => {
      const id = await dispute(stage, walk);
      const { tries: attempts } = await railEventNow(stage, id);
      return {
        path: RAILS,
        given: { id },
        seen: 'It couldn’t be processed yet. We’ll retry.',
        check: async () => expect((await railEventNow(stage, id)).tries).toBeGreaterThan(attempts),
      };
    },
  },
  {
    act: 'CloseRailEvent',
    who: 'platform',
    begin: async (stage, walk) => {
      const id = await dispute(stage, walk);
      return {
        path: RAILS,
        given: { id },
        typed: { reason: `told twice: ${walk.mark}` },
        check: async () =>
          expect(await railEventNow(stage, id)).toMatchObject({
            state: 'CLOSED',
            closeReason: `told twice: ${walk.mark}`,
          }),
      };
    },
  },
  {
    act: 'SettlePixOrder',
    who: 'platform',
    begin: async (stage, walk) => {
      const key = await unknownOrder(stage, walk);
      return {
        path: RAILS,
        given: { key },
        typed: { outcome: 'NOT_DONE', evidence: `the bank: ${walk.mark}` },
        object: key,
        check: async () => {
          const { openPixOrders } = await stage.askAsOperator('{ openPixOrders { key } }');
          expect(openPixOrders).not.toContainEqual({ key });
        },
      };
    },
  },
  {
    act: 'SandboxAdvanceClock',
    who: 'platform',
    begin: async ({ app }) => {
      const before = await app.services.clock.nowMs();
      return {
        path: '/console/developers',
        typed: { by: '1m' },
        check: async () => expect(await app.services.clock.nowMs()).toBeGreaterThanOrEqual(before + 60_000),
      };
    },
  },
];

const BOOK_ROWS: readonly ActRow[] = [
  {
    act: 'ProposeJournal',
    who: 'platform',
    begin: async (stage, { mark }) => ({
      path: BOOKS,
      typed: {
        account: stage.platform(),
        debit: 'X.loss',
        credit: 'A.pix',
        currency: 'BRL',
        amount: '12.30',
        reason: mark,
      },
      seen: mark,
      check: async () =>
        expect(await journalFor(stage, mark)).toMatchObject({ state: 'PROPOSED', amount: '12.3' }),
    }),
  },
  journalRow('ApproveJournal', 'POSTED'),
  journalRow('RejectJournal', 'REJECTED'),
  {
    act: 'CloseBooks',
    who: 'platform',
    begin: async (stage) => {
      const [last] = await closedDays(stage);
      const day = dayAfter(last ?? brasiliaDay(await stage.app.services.clock.nowMs()), last ? 1 : -3);
      return {
        path: BOOKS,
        // After the first close the checklist has the form, which knows its day.
        ...(last ? { given: { day } } : { typed: { day } }),
        check: async () => expect(await closedDays(stage)).toContain(day),
      };
    },
  },
  {
    act: 'Reconcile',
    who: 'platform',
    begin: async ({ askAsOperator }) => {
      const { closeChecklist } = await askAsOperator('{ closeChecklist { day } }');
      const { day } = closeChecklist as { day: string };
      const reports = async () => {
        const query =
          'query ($day: Date) { reconciliations(day: $day, rail: "pix", first: 100) { nodes { reconciliationId } } }';
        return ((await askAsOperator(query, { day })).reconciliations as { nodes: unknown[] }).nodes.length;
      };
      const before = await reports();
      return {
        path: BOOKS,
        given: { day, rail: 'pix' },
        object: day,
        check: async () => expect(await reports()).toBe(before + 1),
      };
    },
  },
];

const ACCOUNT_ROWS: readonly ActRow[] = [
  {
    act: 'UpdateTemplateSettings',
    who: 'platform',
    begin: async (stage) => {
      const account = String((await stage.app.addAccount()).accountId);
      return {
        path: `/console/accounts/${account}`,
        given: { account, template: 'onramp' },
        typed: { feeRate: '0.015', amountMax: '9,876.50' },
        seen: '9,876.50',
        check: async () => {
          const { accountHolder } = await stage.askAsOperator(
            `{ accountHolder(accountId: "${account}") { templateSettings { template feeRate amountMax } } }`,
          );
          expect(accountHolder.templateSettings).toContainEqual({
            template: 'onramp',
            feeRate: '0.015',
            amountMax: '9876.5',
          });
        },
      };
    },
  },
  {
    act: 'UpdateAccountCompany',
    who: 'platform',
    begin: async (stage) => {
      const { accountId } = await stage.app.addAccount();
      return {
        path: `/console/accounts/${accountId}`,
        given: { account: String(accountId) },
        typed: COMPANY,
        seen: 'Padaria Primavera Ltda',
        check: async () => expect((await companyOf(stage, accountId)).postalCode).toBe('01310100'),
      };
    },
  },
  {
    act: 'SetCompanyOwner',
    who: 'platform',
    begin: async (stage) => {
      const accountId = await accountWithCompany(stage);
      return {
        path: `/console/accounts/${accountId}`,
        given: { account: String(accountId) },
        typed: { taxId: '529.982.247-25', name: 'Ana Souza', share: '60' },
        seen: 'Ana Souza',
        check: async () =>
          expect((await companyOf(stage, accountId)).owners).toEqual([{ taxId: '52998224725', share: '60' }]),
      };
    },
  },
  {
    act: 'RemoveCompanyOwner',
    who: 'platform',
    begin: async (stage) => {
      const accountId = await accountWithCompany(stage);
      const taxId = '52998224725';
      await stage.askAsOperator(
        `mutation { setCompanyOwner(input: { account: "${accountId}", taxId: "${taxId}", name: "Ana Souza" }) { company { taxId } errors { code message path } } }`,
      );
      return {
        path: `/console/accounts/${accountId}`,
        given: { account: String(accountId), taxId },
        check: async () => expect((await companyOf(stage, accountId)).owners).toEqual([]),
      };
    },
  },
  {
    act: 'GrantCustomerLimits',
    who: 'platform',
    begin: async (stage) => {
      const { accountId, apiKey } = await stage.app.addAccount();
      const { clientName, clientTaxId: taxId } = customer();
      const body = { currency_exit_received_code: USDT, amount_payment: '50' };
      await stage.app.post(
        '/v2/onramp',
        { ...body, client_name: clientName, client_tax_id: taxId },
        { key: apiKey },
      );
      return {
        path: `/console/accounts/${accountId}`,
        given: { account: String(accountId), taxId },
        typed: { limitDaily: '7654.00', level: 'VERIFIED' },
        seen: '7,654.00',
        check: async () => {
          const { json } = await stage.app.graphql(
            `{ customer(taxId: "${taxId}") { level grantedLimitDaily } }`,
            {},
            { key: apiKey },
          );
          expect(json.data.customer).toEqual({ level: 'VERIFIED', grantedLimitDaily: '7654' });
        },
      };
    },
  },
  {
    act: 'CorrectFacts',
    who: 'platform',
    begin: async (stage) => {
      const end2end = await onramp(stage, { wallet: WALLET });
      return {
        path: `/console/accounts/${stage.shop()}`,
        given: { account: stage.shop() },
        typed: { end2end, walletCountry: 'PT', walletCustody: 'SELF_CUSTODY' },
        object: end2end,
        check: async () => {
          const { transaction } = await stage.ask(
            `{ transaction(end2end: "${end2end}") { record { walletCountry walletCustody } } }`,
          );
          expect(transaction.record).toEqual({ walletCountry: 'PT', walletCustody: 'SELF_CUSTODY' });
        },
      };
    },
  },
];

/** The rows. */
export const OPERATOR_ROWS: readonly ActRow[] = [
  ...REVIEW_ROWS,
  ...MONEY_ROWS,
  ...RAIL_ROWS,
  ...BOOK_ROWS,
  ...ACCOUNT_ROWS,
];

const COMPANY = {
  ...{
    taxId: '12.ABC.345/01DE-35',
    legalName: 'Padaria Primavera Ltda',
    street: 'Rua das Flores 10, Centro',
  },
  ...{ city: 'São Paulo', state: 'SP', postalCode: '01310-100' },
};

async function accountWithCompany(stage: Stage): Promise<bigint> {
  const { accountId } = await stage.app.addAccount();
  const facts = Object.entries(COMPANY).map(([name, value]) => `${name}: "${value}"`);
  await stage.askAsOperator(
    `mutation { updateAccountCompany(input: { account: "${accountId}", ${facts.join()} }) { company { taxId } errors { code message path } } }`,
  );
  return accountId;
}

async function companyOf(stage: Stage, accountId: bigint) {
  const { accountHolder } = await stage.askAsOperator(
    `{ accountHolder(accountId: "${accountId}") { company { postalCode owners { taxId share } } } }`,
  );
  return accountHolder.company;
}
