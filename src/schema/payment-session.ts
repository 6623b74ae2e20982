/** PaymentSession: the public side of one transaction, for the holder of its session's token. */

import { known } from '../base/errors/assert.ts';
import { trimDecimal } from '../base/money/money.ts';
import { watchSession } from '../resolvers/events/watch-events.ts';
import { type PayerFacts, payerFacts } from '../resolvers/payer/payer-facts.ts';
import { type PaymentSession, PROMPTS, readSession } from '../resolvers/payer/payment-session.ts';
import { requireSession } from '../resolvers/services/context.ts';
import { readProcesses } from '../store/engine/processes.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { type CurrencyRefs, moneyOf } from './currency.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import type { LabelRef } from './label.ts';
import type { StatusRef } from './step-enums.ts';

interface Refs extends CurrencyRefs {
  readonly label: LabelRef;
  readonly statusCode: StatusRef;
}

/** A session with the facts that its payer may see. */
type SessionWithFacts = PaymentSession & { readonly facts: PayerFacts };

/** Facts that are texts, with their descriptions. */
const TEXTS = {
  pixCopyPaste:
    'PIX code to pay (copy and paste); null until the charge exists, and when nothing is paid by PIX.',
  qrSvgUrl: 'URL of the QR image to pay by, SVG; null when there is none.',
  depositAddress: 'Address to deposit to; null when no deposit is expected.',
  exactDepositAmount: 'Amount to deposit, digit for digit: the exact amount identifies the session.',
  depositUri:
    'Link that opens a wallet with the address and the exact amount; null when the network has no such form.',
  pixE2e: 'PIX end-to-end id; null until it is known.',
  txHash: 'Hash of the on-chain transaction; null until it is known.',
  explorerUrl: 'Block explorer page of the on-chain transaction.',
  refundTxHash: 'Hash of the transfer by which a deposit went back; null until it did.',
  refundExplorerUrl: 'Block explorer page of that transfer.',
  wallet: 'Address that the crypto is delivered to; null when it is credited to the balance.',
  clientName: 'First name and initials of the customer or payee.',
  clientTaxId: 'CPF or CNPJ of the customer or payee, mostly masked.',
  pixKey: 'PIX key of the payee, mostly masked.',
  returnUrl: 'Where the merchant sends the payer after the payment.',
} as const;

const DOC =
  'Needs the token of a payment session instead of an API key. The token is the last part of the payment link; send it as `Authorization: Bearer <token>`, or as `?access_token=<token>` where a browser cannot send headers.';

/** Defines `PaymentSession`, with its query and its subscription. */
export function definePaymentSession(builder: Builder, refs: Refs): void {
  const session = defineType(builder, refs);
  builder.queryField('paymentSession', (t) =>
    t.field({
      type: session,
      description: `The public view of one transaction. ${DOC}`,
      resolve: (_root, _args, context) => sessionOf(context),
    }),
  );
  builder.subscriptionField('paymentSession', (t) =>
    t.field({
      type: session,
      description: `The current session, then again after every change. ${DOC}`,
      subscribe: (_root, _args, context) => watchSession(context, context.stream),
      resolve: (_frame, _args, context) => sessionOf(context),
    }),
  );
}

const PROMPT_DOCS: Readonly<Record<(typeof PROMPTS)[number], string>> = {
  amount: 'Enter the amount.',
  quote: 'Accept the price.',
  identity: 'Say who pays or, for an offramp, who is paid.',
  confirmation: 'Confirm or correct that identity.',
  payment: 'Pay the PIX code.',
  deposit: 'Deposit the exact amount.',
  resolution: 'Decide about a deposit that did not fit: convert it, or send it back.',
};

function definePrompt(builder: Builder) {
  return builder.enumType('PaymentAsk', {
    description: 'Form of the page for the payer.',
    values: Object.fromEntries(
      PROMPTS.map((name) => [name.toUpperCase(), { value: name, description: PROMPT_DOCS[name] }]),
    ),
  });
}

function defineType(builder: Builder, { currency, money, ...status }: Refs) {
  const prompt = definePrompt(builder);
  const session = builder.objectRef<SessionWithFacts>('PaymentSession').implement({
    description: 'The public view of a transaction: what its payer may see.',
    fields: (t) => {
      const text = (name: keyof typeof TEXTS) =>
        t.string({ nullable: true, description: TEXTS[name], resolve: ({ facts }) => facts[name] });
      return {
        sequence: t.int({
          description: 'Number of state changes so far. An unchanged number means that nothing changed.',
          resolve: ({ row }) => row.process?.sequence ?? 0,
        }),
        ask: t.field({
          type: prompt,
          nullable: true,
          description: 'Current form for the payer; null when there is nothing to do.',
          resolve: (each) => each.ask,
        }),
        isRenewable: t.exposeBoolean('isRenewable', {
          description:
            'Whether the session ended without a payment and the payer can start a new one on its page.',
        }),
        merchant: t.string({
          description: 'Name of the merchant, from the branding.',
          resolve: ({ branding }) => branding.displayName,
        }),
        link: t.string({ description: 'URL of the hosted page.', resolve: ({ facts }) => facts.link }),
        verifyUrl: t.string({
          nullable: true,
          description:
            'URL that leads the payer to the identity check of the provider; null while there is none to do.',
          resolve: ({ facts, canVerify }) => (canVerify ? `${facts.link}/verify` : null),
        }),
        expiresAt: t.field({
          type: 'DateTime',
          nullable: true,
          description: 'When the session expires; null when it has no end.',
          resolve: ({ facts }) => facts.expiresAt && isoOf(facts.expiresAt),
        }),
        priceHeldUntil: t.field({
          type: 'DateTime',
          nullable: true,
          description:
            'End of the price, if that is before the end of the session. A later payment is priced when it arrives (C-21).',
          resolve: ({ facts }) => facts.priceHeldUntil && isoOf(facts.priceHeldUntil),
        }),
        ...(Object.fromEntries(
          Object.keys(TEXTS).map((name) => [name, text(name as keyof typeof TEXTS)]),
        ) as Record<keyof typeof TEXTS, ReturnType<typeof text>>),
      };
    },
  });
  defineStatus(builder, session, status);
  defineMoney(builder, session, { currency, money });
  return session;
}

type SessionRef = ReturnType<typeof defineType>;

function defineStatus(
  builder: Builder,
  session: SessionRef,
  { label, statusCode }: Pick<Refs, 'label' | 'statusCode'>,
): void {
  builder.objectFields(session, (t) => ({
    status: t.field({
      type: label,
      description: DESCRIPTIONS.status,
      resolve: ({ step }) => step.status,
    }),
    statusCode: t.field({
      type: statusCode,
      description: 'Code of `status`, the same in every language.',
      resolve: ({ step }) => step.statusCode,
    }),
    externalCode: t.string({
      nullable: true,
      description: 'Reference of the merchant, as it was given; null without one.',
      resolve: ({ row }) => row.externalCode,
    }),
    substatus: t.field({
      type: label,
      description: DESCRIPTIONS.substatus,
      resolve: ({ step }) => step.substatus,
    }),
    message: t.field({
      type: label,
      description: 'Meaning of the present state.',
      resolve: ({ step }) => step.message,
    }),
  }));
}

function defineMoney(builder: Builder, session: SessionRef, { currency, money }: CurrencyRefs): void {
  builder.objectFields(session, (t) => {
    const decimal = (name: 'quote' | 'fees', description: string) =>
      t.field({
        type: 'Decimal',
        nullable: true,
        description,
        resolve: ({ facts }) => trimmed(facts[name]),
      });
    return {
      payment: t.field({
        type: money,
        nullable: true,
        description: 'Amount that the payer pays; null until the amount is known.',
        resolve: ({ facts }) => moneyOf(facts.amountPayment, facts.source),
      }),
      received: t.field({
        type: money,
        nullable: true,
        description: 'Amount received for it; null until the amount is known.',
        resolve: ({ facts }) => moneyOf(facts.amountReceived, facts.target),
      }),
      paymentCurrency: t.field({
        type: currency,
        description: 'Currency that the payer pays in.',
        resolve: ({ facts }) => facts.source,
      }),
      receivedCurrency: t.field({
        type: currency,
        description: 'Currency that is received for it.',
        resolve: ({ facts }) => facts.target,
      }),
      quote: decimal('quote', 'Price in BRL of one unit of crypto; null until there is a quote.'),
      fees: decimal('fees', 'Total fees, BRL; null until there is a quote.'),
    };
  });
}

function trimmed(amount: string | null): string | null {
  return amount && trimDecimal(amount);
}

async function sessionOf(context: GraphqlContext): Promise<SessionWithFacts> {
  const transactionId = requireSession(context);
  const { accountId } = context.caller;
  const [row] = await readProcesses(context.database, [{ accountId, transactionId }]);
  const session = await readSession(context, known(row, 'the transaction of a session'));
  return { ...session, facts: payerFacts(context, session.row) };
}
