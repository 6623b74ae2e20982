/** Acts that make transactions, and acts on them. */
import { expect } from 'vitest';
import type { ActionName } from '../../../src/base/access/actions.ts';
import type { ActRow, Situation, Walk } from './row.ts';
import { customer, type Stage, WALLET } from './stage.ts';

const USDT = 'USDT_TRX';
const APPROVAL = 'approval_withdrawl_dash/PENDING';

/** What the form of an act on a transaction has in common: it stands on its screen, and names it. */
function on(end2end: string, situation: Omit<Situation, 'path' | 'object'>): Situation {
  return {
    path: `/console/transactions/${end2end}`,
    object: end2end,
    ...situation,
    given: { end2end, ...situation.given },
  };
}

/** A checkout that waits for its PIX. */
async function waiting({ create, reach }: Stage): Promise<string> {
  const { transaction } = await create('createCheckout', {
    ...customer(),
    currency: USDT,
    amount: { brl: '150.00' },
  });
  await reach(transaction.end2end, 'depositpix_v2/QRCODE');
  return transaction.end2end;
}

/** A checkout that is paid and done. */
async function paid(stage: Stage): Promise<string> {
  const end2end = await waiting(stage);
  await stage.trigger(end2end, 'pay');
  await stage.reach(end2end, 'success/DONE');
  return end2end;
}

/** A refund that waits for a second person. */
async function refundAsked(stage: Stage): Promise<string> {
  const end2end = await paid(stage);
  await stage.ask(
    `mutation { refundPayment(input: { end2end: "${end2end}", amount: "50" }) { transaction { end2end } errors { code message path } } }`,
  );
  return end2end;
}

async function refundsOf({ ask }: Stage, end2end: string): Promise<readonly string[]> {
  const { transaction } = await ask(
    `{ transaction(end2end: "${end2end}") { refunds { amount { amount } } } }`,
  );
  return transaction.refunds.map(({ amount }: { amount: { amount: string } }) => amount.amount);
}

/** @returns whether money of the transaction waits for a second person. */
async function waits({ ask }: Stage, end2end: string): Promise<boolean> {
  const { approvals } = await ask('{ approvals { transaction { end2end } } }');
  return approvals.some((each: { transaction: { end2end: string } }) => each.transaction.end2end === end2end);
}

/** A withdrawal that waits for a second person. */
async function proposed(stage: Stage, { mark }: Walk): Promise<string> {
  const groupId = await destination(stage, mark);
  const input = { currency: USDT, amountReceived: '30', groupId, address: WALLET };
  const { transaction } = await stage.create('createWithdrawal', input);
  await stage.reach(transaction.end2end, APPROVAL);
  return transaction.end2end;
}

/** A group of the whitelist with an address. */
async function destination({ ask }: Stage, name: string): Promise<string> {
  const {
    createWhitelistGroup: { whitelistGroup: createWhitelistGroup },
  } = await ask(
    `mutation { createWhitelistGroup(input: { name: "${name}" }) { whitelistGroup { id: groupId } errors { code message path } } }`,
  );
  const input = `label: "Vault", target: { wallet: { network: "TRX", address: "${WALLET}" } }`;
  await ask(
    `mutation { addWhitelistEntry(input: { groupId: "${createWhitelistGroup.id}", ${input} }) { whitelistEntry { id: entryId } errors { code message path } } }`,
  );
  return createWhitelistGroup.id;
}

/** A deposit that is held, because another amount came. */
async function held({ create, trigger, reach }: Stage): Promise<string> {
  const { transaction } = await create('createOfframp', {
    ...customer(),
    amount: { crypto: '20' },
    currency: USDT,
    from: 'EXTERNAL',
    pixKey: 'ana@example.com',
    pixKeyType: 'EMAIL',
  });
  await reach(transaction.end2end, 'crypto_deposit/WAITING_DEPOSIT');
  await trigger(transaction.end2end, 'deposit-wrong', '3.5');
  await reach(transaction.end2end, /^crypto_deposit\/(UNDER|OVER)PAID$/);
  return transaction.end2end;
}

/** @returns the steps that a transaction has passed. */
async function passed({ ask }: Stage, end2end: string): Promise<readonly string[]> {
  const { transaction } = await ask(`{ transaction(end2end: "${end2end}") { events { component } } }`);
  return transaction.events.map(({ component }: { component: string }) => component);
}

/** The newest transaction of an order number, as the list has it. */
async function ordered({ ask }: Stage, externalCode: string) {
  const filter = `filter: { externalCode: "${externalCode}" }`;
  const { transactions } = await ask(
    `{ transactions(${filter}) { nodes { __typename end2end source { amount } target { amount } } } }`,
  );
  expect(transactions.nodes).toHaveLength(1);
  return transactions.nodes[0];
}

/** A creation whose form takes an order number. */
function creationRow(
  action: string,
  kind: string,
  made: {
    readonly typed: Readonly<Record<string, string>>;
    readonly type: string;
    readonly entry?: ActionName;
    readonly needsPasskey?: boolean;
  },
): ActRow {
  return {
    act: action,
    who: 'shop',
    ...(made.entry && { entry: made.entry }),
    needsPasskey: made.needsPasskey ?? false,
    begin: async (stage, { mark }) => {
      const { clientName, clientTaxId } = customer();
      return {
        path: `/console/new?kind=${kind}`,
        typed: { ...made.typed, externalCode: mark, clientName, clientTaxId },
        review: 'priced',
        seen: `Order ${mark}`,
        check: async () => expect(await ordered(stage, mark)).toMatchObject({ __typename: made.type }),
      };
    },
  };
}

/** How a held deposit is decided, with the step that follows. */
const RESOLUTIONS = [
  ['KEEP', 'partial_success'],
  ['REQUOTE', 'swap_transfer'],
  ['REFUND', 'refund'],
  ['REFUND', 'refund', WALLET],
] as const;

/** The rows. */
export const TRANSACTION_ROWS: readonly ActRow[] = [
  creationRow('CreateCheckout', 'checkout', {
    typed: { brl: '150.50', currency: USDT },
    type: 'CrossrampCheckout',
  }),
  creationRow('CreateOnramp', 'onramp-order', {
    typed: { brl: '150.50', currency: USDT },
    type: 'Onramp',
  }),
  creationRow('CreateOfframp', 'offramp-order', {
    typed: {
      brl: '100',
      currency: USDT,
      from: 'BALANCE',
      pixKeyType: 'EMAIL',
      pixKey: 'ana@example.com',
    },
    type: 'Offramp',
    entry: 'balance.pay_out',
    needsPasskey: true,
  }),
  {
    act: 'CreateWithdrawal',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const groupId = await destination(stage, mark);
      return {
        path: '/console/new?kind=withdrawal',
        typed: { amountReceived: '30', currency: USDT, groupId, address: WALLET, notes: mark },
        review: 'unpriced',
        seen: mark,
        check: async () => {
          const { approvals } = await stage.ask(
            '{ approvals { transaction { ... on Withdrawal { notes address } } } }',
          );
          expect(approvals).toContainEqual({ transaction: { notes: mark, address: WALLET } });
        },
      };
    },
  },
  {
    act: 'AcceptQuote',
    who: 'shop',
    entry: 'transaction.accept_quote',
    begin: async (stage) => {
      const input = { ...customer(), currency: USDT, amount: { brl: '150.00' }, accept: false };
      const { end2end } = (await stage.create('createCheckout', input)).transaction;
      await stage.reach(end2end, 'quote/QUOTE');
      return on(end2end, { check: () => stage.reach(end2end, 'depositpix_v2/QRCODE') });
    },
  },
  {
    act: 'CancelTransaction',
    about: 'a payment',
    who: 'shop',
    entry: 'transaction.cancel',
    begin: async (stage) => {
      const end2end = await waiting(stage);
      return on(end2end, { seen: 'Cancelled', check: () => stage.reach(end2end, /CANCEL/) });
    },
  },
  {
    act: 'CancelTransaction',
    about: 'a withdrawal',
    who: 'shop',
    entry: 'withdrawal.cancel',
    begin: async (stage, walk) => {
      const end2end = await proposed(stage, walk);
      return on(end2end, { seen: 'Cancelled', check: () => stage.reach(end2end, /CANCEL/) });
    },
  },
  {
    act: 'RefundPayment',
    who: 'shop',
    begin: async (stage) => {
      const end2end = await paid(stage);
      return on(end2end, {
        typed: { amount: '50.00' },
        review: 'unpriced',
        seen: '50.00',
        check: async () => expect(await waits(stage, end2end)).toBe(true),
      });
    },
  },
  ...RESOLUTIONS.map(
    ([resolution, step, address]): ActRow => ({
      act: 'ResolveDeposit',
      about: address ? `${resolution} elsewhere` : resolution,
      who: 'shop',
      needsPasskey: address !== undefined,
      begin: async (stage) => {
        const end2end = await held(stage);
        const check = async () => {
          if (address) return expect(await waits(stage, end2end)).toBe(true);
          expect(await passed(stage, end2end)).toContain(step);
        };
        return on(end2end, { given: { resolution }, ...(address && { typed: { address } }), check });
      },
    }),
  ),
  {
    act: 'ApproveMoneyOut',
    who: 'shop',
    begin: async (stage) => {
      const end2end = await refundAsked(stage);
      const check = async () => expect(await refundsOf(stage, end2end)).toEqual(['50']);
      return { ...on(end2end, { check }), path: '/console/approvals' };
    },
  },
  {
    act: 'RejectMoneyOut',
    who: 'shop',
    begin: async (stage) => {
      const end2end = await refundAsked(stage);
      const check = async () =>
        expect([await waits(stage, end2end), await refundsOf(stage, end2end)]).toEqual([false, []]);
      return { ...on(end2end, { check }), path: '/console/approvals' };
    },
  },
  {
    act: 'ApproveWithdrawal',
    who: 'shop',
    begin: async (stage, walk) => {
      const end2end = await proposed(stage, walk);
      const check = () => stage.reach(end2end, /^(?!approval)/);
      return { ...on(end2end, { check }), path: '/console/approvals' };
    },
  },
  {
    act: 'RejectWithdrawal',
    who: 'shop',
    begin: async (stage, walk) => {
      const end2end = await proposed(stage, walk);
      const check = () => stage.reach(end2end, /REJECTED/);
      return { ...on(end2end, { check }), path: '/console/approvals' };
    },
  },
  {
    act: 'SandboxTrigger',
    who: 'shop',
    // Before it is played, and what came of it (decision 0022).
    entries: 2,
    begin: async (stage) => {
      const end2end = await waiting(stage);
      return on(end2end, { pressed: 'PAY', check: () => stage.reach(end2end, 'success/DONE') });
    },
  },
  {
    act: 'RecordFacts',
    who: 'shop',
    begin: async (stage) => {
      const end2end = await waiting(stage);
      return on(end2end, {
        typed: { walletCustody: 'CUSTODIAL', walletVasp: 'Exchange Ltda.', walletCountry: 'BR' },
        seen: 'Exchange Ltda.',
        check: async () => {
          const { transaction } = await stage.ask(
            `{ transaction(end2end: "${end2end}") { record { walletCustody walletVasp walletCountry } } }`,
          );
          expect(transaction.record).toEqual({
            walletCustody: 'CUSTODIAL',
            walletVasp: 'Exchange Ltda.',
            walletCountry: 'BR',
          });
        },
      });
    },
  },
];
