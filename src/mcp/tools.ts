/**
 * The tools of `crossramp mcp` and `/mcp`. Tools that read or create incoming payments work immediately, with the
 * rights of the key; tools that move money out of the account only return a link to the page of the console where a
 * person confirms.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { CURRENCIES } from '../base/money/currency.ts';
import { isMore } from '../base/money/money.ts';
import { snakeCase } from '../base/text/snake-case.ts';
import { REGISTRY } from '../templates/index.ts';
import { BALANCES, CREATE, type Creation, LIST, QUOTE, READ, REFUND, SIMULATE } from './documents.ts';
import { dataOf, type Execute, payloadOf, ToolRefusal } from './execute.ts';

/** Context of a tool, in addition to its arguments. */
export interface ToolContext {
  readonly execute: Execute;
  /** URL of the console, without a slash at its end. */
  readonly consoleUrl: string;
}

/** Arguments of a call, checked against the schema of the tool. */
type ToolArguments = Readonly<Record<string, string | number | undefined>>;

/** A tool. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchemaType;
  /** Whether it changes nothing. */
  readonly isRead: boolean;
  readonly run: (context: ToolContext, definedMembers: ToolArguments) => Promise<object>;
}

interface Available {
  readonly currency: { readonly code: string };
  readonly available: string;
}

interface Transaction {
  readonly end2end: string;
  readonly statusCode: string;
}

interface Refundable extends Transaction {
  /** Null if nothing can be refunded. */
  readonly refundable: object | null;
  /** Moves of a refund of the whole rest; null if only a part can be refunded now. */
  readonly refundEffects: readonly object[] | null;
}

/** Templates that convert; other templates have no price. */
const PRICED = (['checkouts', 'onramps', 'offramps'] as const).flatMap((family) =>
  REGISTRY.ofFamily(family).map(({ name }) => name),
);
const OPEN = ['CREATED', 'PENDING', 'PROCESSING'];
/** Maximum wait of one call, and the pause between two polls. Units: s and ms. */
const WAIT_MAX = 30;
const POLL_MS = 1_000;

const text = (description: string, more: object = {}) => ({ type: 'string', description, ...more });
const AMOUNT = { pattern: '^\\d{1,18}(\\.\\d{1,18})?$' };
const END2END = text('Identifier of the transaction, `CRX…`.', { maxLength: 200 });
const CRYPTO = text('Currency code of the crypto with its network, such as `USDT_TRX`.');
const ORDER = text('Your own reference of the order, printed on the statement.');
const ONCE = text(
  'A key of your own for this order, in ASCII without spaces: a call that is repeated with it makes nothing a second time. Use one for each order.',
  { maxLength: 255 },
);
const PAYER = {
  payer_name: text('Full name of the payer.'),
  payer_tax_id: text('CPF or CNPJ of the payer; a payment from another holder is sent back.'),
};

/** All tools, in listed order. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'get_balances',
    description: 'Reads the account and its balances, by currency.',
    input: shape({}),
    isRead: true,
    run: async ({ execute }) => {
      const { viewer, balances } = await dataOf<{ viewer: { account: object }; balances: readonly object[] }>(
        execute,
        BALANCES,
        {},
      );
      return { account: viewer.account, balances };
    },
  },
  {
    name: 'get_quote',
    description:
      'Prices a conversion now, without reserving the price. Give either `amount_brl` or `amount_crypto`.',
    input: shape(
      {
        template: { enum: PRICED, description: 'Process that is to run at this price.' },
        currency: CRYPTO,
        amount_brl: text('Amount in BRL, such as `150.00`.', AMOUNT),
        amount_crypto: text('Amount in crypto.', AMOUNT),
      },
      ['template', 'currency'],
    ),
    isRead: true,
    run: async ({ execute }, { template, currency, amount_brl: brl, amount_crypto: crypto }) => {
      if ((brl === undefined) === (crypto === undefined))
        throw new ToolRefusal('give either amount_brl or amount_crypto', 'INVALID_PARAMETER');
      const input = { template, currency, amount: definedMembers({ brl, crypto }) };
      return (await dataOf<{ quote: object }>(execute, QUOTE, { input }, argumentNamed)).quote;
    },
  },
  creation(
    'create_checkout',
    'createCheckout',
    'Creates a checkout: a payment page on which a payer pays BRL by PIX; crypto is credited to the balance. The answer has the link of the page. Without the name and tax id of the payer, the page asks for both before it shows the PIX code.',
    {
      amount_brl: text('What the payer pays, in BRL, such as `150.00`.', AMOUNT),
      currency: CRYPTO,
      order: ORDER,
      ...PAYER,
      idempotency_key: ONCE,
    },
    ['amount_brl', 'currency'],
    {
      order: 'externalCode',
      payer_name: 'clientName',
      payer_tax_id: 'clientTaxId',
    },
  ),
  creation(
    'create_onramp',
    'createOnramp',
    'Creates an onramp: a named payer pays BRL by PIX; crypto is credited to the balance, or delivered to the wallet of the payer where one is given. The answer has the PIX code.',
    {
      amount_brl: text('What the payer pays, in BRL, such as `150.00`.', AMOUNT),
      currency: CRYPTO,
      ...PAYER,
      wallet: text('Address of the wallet of the payer; without it, the balance is credited.'),
      order: ORDER,
      idempotency_key: ONCE,
    },
    ['amount_brl', 'currency', 'payer_name', 'payer_tax_id'],
    {
      order: 'externalCode',
      payer_name: 'clientName',
      payer_tax_id: 'clientTaxId',
    },
  ),
  creation(
    'create_offramp',
    'createOfframp',
    'Creates an offramp from a deposit: somebody sends crypto to an address of their own, and the recipient is paid BRL by PIX. The balance of the account is not used. The answer has the link of the page with the address.',
    {
      amount_brl: text('What the recipient is paid, in BRL.', AMOUNT),
      currency: CRYPTO,
      recipient_name: text('Full name of the recipient.'),
      recipient_tax_id: text('CPF or CNPJ of the recipient.'),
      pix_key_type: {
        enum: ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'RANDOM'],
        description: 'Type of the PIX key.',
      },
      pix_key: text('PIX key of the recipient.'),
      order: ORDER,
      idempotency_key: ONCE,
    },
    ['amount_brl', 'currency', 'recipient_name', 'recipient_tax_id', 'pix_key_type', 'pix_key'],
    {
      order: 'externalCode',
      recipient_name: 'clientName',
      recipient_tax_id: 'clientTaxId',
      pix_key_type: 'pixKeyType',
      pix_key: 'pixKey',
    },
    { from: 'EXTERNAL' },
  ),
  {
    name: 'get_transaction',
    description:
      'Reads a transaction: its state, its amounts, the refundable amount, and the actions of this key that are possible now (`possibleActions`). A person may have more actions.',
    input: shape({ end2end: END2END }, ['end2end']),
    isRead: true,
    run: ({ execute }, { end2end }) => read(execute, String(end2end)),
  },
  {
    name: 'list_transactions',
    description: 'Lists the newest transactions, newest first.',
    input: shape({
      limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many; default 10.' },
      family: { enum: ['CHECKOUTS', 'ONRAMPS', 'OFFRAMPS', 'WITHDRAWALS'], description: 'Only these.' },
      order: text('Only those of this reference.'),
      search: text('Only those with this text in an identifier, the name, the reference or the note.'),
    }),
    isRead: true,
    run: async ({ execute }, { limit = 10, family, order, search }) => {
      const filter = definedMembers({ externalCode: order, text: search });
      const variables = { first: limit, ...definedMembers({ families: family }), filter };
      return (await dataOf<{ transactions: object }>(execute, LIST, variables)).transactions;
    },
  },
  {
    name: 'wait_for_transaction',
    description: `Waits until a transaction has ended, ${WAIT_MAX} seconds at most, and reads it. Call it again if \`is_final\` is false.`,
    input: shape(
      {
        end2end: END2END,
        seconds: { type: 'integer', minimum: 1, maximum: WAIT_MAX, description: `Default ${WAIT_MAX}.` },
      },
      ['end2end'],
    ),
    isRead: true,
    run: async ({ execute }, { end2end, seconds = WAIT_MAX }) => {
      for (let left = Number(seconds); ; left -= POLL_MS / 1_000) {
        const transaction = await read(execute, String(end2end));
        const isFinal = !OPEN.includes(transaction.statusCode);
        if (isFinal || left <= 0) return { is_final: isFinal, ...transaction };
        await sleep(POLL_MS);
      }
    },
  },
  {
    name: 'simulate_payment',
    description:
      'Sandbox accounts only: plays the customer, who pays or deposits. A payment needs a known payer. Each call pays again.',
    input: shape(
      {
        end2end: END2END,
        scenario: {
          enum: ['PAY', 'PAY_UNDER', 'PAY_OVER', 'DEPOSIT', 'DEPOSIT_WRONG', 'EXPIRE'],
          description: 'Action of the customer: `PAY` (default) for PIX, `DEPOSIT` for crypto.',
        },
      },
      ['end2end'],
    ),
    isRead: false,
    run: async ({ execute }, input) => {
      const simulated = { mutation: 'sandboxTrigger', input: { scenario: 'PAY', ...input } };
      return (await payloadOf<{ transaction: object }>(execute, SIMULATE, simulated)).transaction;
    },
  },
  {
    name: 'request_refund',
    description:
      'Prepares a refund of a payment. The refund is sent only when a person confirms it on the page of the answer.',
    input: shape({ end2end: END2END }, ['end2end']),
    isRead: true,
    run: async ({ execute, consoleUrl }, { end2end }) => {
      // `possibleActions` does not serve here: it has the actions of the key, and a person refunds.
      const transaction = await read<Refundable>(execute, String(end2end), REFUND);
      const { statusCode, refundable, refundEffects } = transaction;
      if (!refundable)
        throw new ToolRefusal(
          `this transaction is ${statusCode} and cannot be refunded: only a payment by PIX that succeeded can, for 90 days, unless all of it went back or its bank opened a case (MED)`,
          'STEP_CONFLICT',
        );
      const url = `${consoleUrl}/transactions/${encodeURIComponent(transaction.end2end)}`;
      return { is_done: false, confirm_at: url, refundable, what: refundEffects ?? [] };
    },
  },
  {
    name: 'request_withdrawal',
    description:
      'Prepares a withdrawal to a destination of the whitelist. Money leaves only when a person chooses the destination and confirms on the page of the answer; then `list_transactions` of WITHDRAWALS has it.',
    input: shape(
      {
        currency: text('Currency code with its network, such as `USDT_TRX`; `BRL` for a payout by PIX.'),
        amount: text('Amount that leaves the balance.', AMOUNT),
        notes: text('A note for the person who confirms it.'),
      },
      ['currency', 'amount'],
    ),
    isRead: true,
    run: async ({ execute, consoleUrl }, { currency, amount, notes }) => {
      await checkWithdrawal(execute, String(currency), String(amount));
      const query = new URLSearchParams({
        kind: 'withdrawal',
        ...definedMembers({ currency, amountReceived: amount, notes }),
      });
      return { is_done: false, confirm_at: `${consoleUrl}/new?${query}` };
    },
  },
];

/** @returns the schema of arguments; any other argument is refused. */
function shape(
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): JsonSchemaType {
  return {
    type: 'object',
    properties,
    required: [...required],
    additionalProperties: false,
  } as JsonSchemaType;
}

/** @returns a tool that creates something; `names` are the input's names that differ from the tool's. */
function creation(
  name: string,
  mutation: Creation,
  description: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
  names: Readonly<Record<string, string>>,
  fixed: ToolArguments = {},
): Tool {
  return {
    name,
    description,
    input: shape(properties, required),
    isRead: false,
    run: async ({ execute }, { idempotency_key: idempotencyKey, amount_brl: brl, ...members }) => {
      const input = Object.fromEntries(
        Object.entries(definedMembers(members)).map(([key, value]) => [names[key] ?? key, value]),
      );
      const order = { ...input, amount: { brl }, ...fixed, ...definedMembers({ idempotencyKey }) };
      const argumentOf = (path: string) => argumentNamed(path, names);
      return payloadOf(execute, CREATE[mutation], { mutation, input: order, argumentOf });
    },
  };
}

/** @returns the argument of a tool for a member of the input, such as `amount_brl` for `input.amount.brl`. */
function argumentNamed(path: string, names: Readonly<Record<string, string>> = {}): string {
  const member = path.replace(/^input\./, '');
  const [own] = Object.entries(names).find(([, name]) => name === member) ?? [];
  return own ?? snakeCase(member).replaceAll('.', '_');
}

/** @throws {ToolRefusal} if no withdrawal of this amount is possible now. */
async function checkWithdrawal(execute: Execute, currency: string, amount: string): Promise<void> {
  if (!CURRENCIES.some(({ code }) => code === currency))
    throw new ToolRefusal(
      `currency: must be one of ${CURRENCIES.map(({ code }) => code).join(', ')}`,
      'INVALID_PARAMETER',
    );
  if (!isMore(amount, '0')) throw new ToolRefusal('amount: must be above zero', 'INVALID_PARAMETER');
  const { balances } = await dataOf<{ balances: readonly Available[] }>(execute, BALANCES, {});
  const available = balances.find((balance) => balance.currency.code === currency)?.available ?? '0';
  if (isMore(amount, available))
    throw new ToolRefusal(`the available balance is ${available} ${currency}`, 'INSUFFICIENT_BALANCE');
}

async function read<Read extends Transaction>(
  execute: Execute,
  end2end: string,
  document = READ,
): Promise<Read> {
  const { transaction } = await dataOf<{ transaction: Read | null }>(execute, document, { end2end });
  if (!transaction) throw new ToolRefusal(`there is no transaction ${end2end}`, 'NOT_FOUND');
  return transaction;
}

/** @returns the members that have a value. */
function definedMembers<Value>(members: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Record<
    string,
    Value
  >;
}
