/** PaymentSession: the public side of one transaction, for whoever holds the token of its session. */
import type { Currency } from '../base/currency.ts';
import { trimDecimal } from '../base/money.ts';
import { requireSession } from '../resolvers/context.ts';
import { type PayerFacts, payerFacts } from '../resolvers/payer-facts.ts';
import { ASKS, type PaymentSession, readSession } from '../resolvers/payment-session.ts';
import { watchSession } from '../resolvers/watch-events.ts';
import { readProcesses } from '../store/processes.ts';
import { known } from '../templates/amounts.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import type { LabelRef } from './label.ts';
import { isoOf } from './moment.ts';

interface Refs extends CurrencyRefs {
  readonly label: LabelRef;
}

/** A session with the facts that are told of it. */
type Told = PaymentSession & { readonly facts: PayerFacts };

/** Facts that are texts, and what each is. */
const TEXTS = {
  pixCopyPaste: 'The PIX code; null until the charge is made, and where nothing is paid by PIX.',
  qrSvgUrl: 'URL of the QR image of what is to be paid, SVG.',
  depositAddress: 'Where to deposit.',
  exactDepositAmount: 'To be sent digit for digit: it is how a deposit finds its session.',
  depositUri: 'Link that opens a wallet with address and exact amount, where the network has such a form.',
  pixE2e: 'End-to-end id of the PIX, once it is known.',
  txHash: 'On-chain transaction, once it is known.',
  explorerUrl: 'Its page of a block explorer.',
  wallet: 'Where crypto is delivered to.',
  clientName: 'First name of the customer or payee, and initials.',
  clientTaxId: 'CPF or CNPJ of the customer or payee, with most of it masked.',
  pixKey: 'PIX key of the payee, with most of it masked.',
  returnUrl: 'Where the merchant wants the payer to go afterwards.',
} as const;

const DOC =
  'For a caller whose bearer is the token of a payment session, the last part of its link: `Authorization: Bearer <token>`, or `?access_token=<token>` where a browser can send no headers.';

/** Defines `PaymentSession`, the query and the subscription that give it. */
export function definePaymentSession(builder: Builder, refs: Refs): void {
  const session = defineType(builder, refs);
  builder.queryField('paymentSession', (t) =>
    t.field({ type: session, description: DOC, resolve: (_root, _args, context) => sessionOf(context) }),
  );
  builder.subscriptionField('paymentSession', (t) =>
    t.field({
      type: session,
      description: `The session as it stands, then again after every change. ${DOC}`,
      subscribe: (_root, _args, context) => watchSession(context, context.stream),
      resolve: (_frame, _args, context) => sessionOf(context),
    }),
  );
}

function defineType(builder: Builder, { label, money }: Refs) {
  const ask = builder.enumType('PaymentAsk', {
    description: 'What the payer is asked for.',
    values: Object.fromEntries(ASKS.map((name) => [name.toUpperCase(), { value: name }])),
  });
  return builder.objectRef<Told>('PaymentSession').implement({
    description: 'What a payer may know of a transaction.',
    fields: (t) => {
      const text = (name: keyof typeof TEXTS) =>
        t.string({ nullable: true, description: TEXTS[name], resolve: ({ facts }) => facts[name] });
      const decimal = (name: 'quote' | 'fees', description: string) =>
        t.field({
          type: 'Decimal',
          nullable: true,
          description,
          resolve: ({ facts }) => trimmed(facts[name]),
        });
      return {
        sequence: t.int({
          description: 'Changes so far: a number that has not changed says that nothing has.',
          resolve: ({ row }) => row.process?.sequence ?? 0,
        }),
        status: t.field({ type: label, resolve: ({ step }) => step.status }),
        substatus: t.field({ type: label, resolve: ({ step }) => step.substatus }),
        message: t.field({ type: label, resolve: ({ step }) => step.message }),
        ask: t.field({
          type: ask,
          nullable: true,
          description: 'Null where there is nothing to do but wait, or nothing any more.',
          resolve: (each) => each.ask,
        }),
        isRenewable: t.exposeBoolean('isRenewable', {
          description: 'Whether it came to nothing and can be begun anew on its page.',
        }),
        merchant: t.string({ resolve: ({ branding }) => branding.displayName }),
        link: t.string({ description: 'URL of its page.', resolve: ({ facts }) => facts.link }),
        payment: t.field({
          type: money,
          description: 'What the payer pays.',
          resolve: ({ facts }) => moneyOf(facts.amountPayment, facts.source),
        }),
        received: t.field({
          type: money,
          description: 'What comes of it.',
          resolve: ({ facts }) => moneyOf(facts.amountReceived, facts.target),
        }),
        quote: decimal('quote', 'BRL for one unit of crypto.'),
        fees: decimal('fees', 'BRL.'),
        expiresAt: t.field({
          type: 'DateTime',
          nullable: true,
          resolve: ({ facts }) => facts.expiresAt && isoOf(facts.expiresAt),
        }),
        priceHeldUntil: t.field({
          type: 'DateTime',
          nullable: true,
          description:
            'Until when the price holds, where that is before the session ends; a later payment is priced when it arrives (C-21).',
          resolve: ({ facts }) => facts.priceHeldUntil && isoOf(facts.priceHeldUntil),
        }),
        ...(Object.fromEntries(
          Object.keys(TEXTS).map((name) => [name, text(name as keyof typeof TEXTS)]),
        ) as Record<keyof typeof TEXTS, ReturnType<typeof text>>),
      };
    },
  });
}

function moneyOf(amount: string | null, currency: Currency) {
  return { amount: trimmed(amount), currency };
}

function trimmed(amount: string | null): string | null {
  return amount && trimDecimal(amount);
}

async function sessionOf(context: GraphqlContext): Promise<Told> {
  const transactionId = requireSession(context);
  const { accountId } = context.caller;
  const [row] = await readProcesses(context.database, [{ accountId, transactionId }]);
  const session = await readSession(context, known(row, 'the transaction of a session'));
  return { ...session, facts: payerFacts(context, session.row) };
}
