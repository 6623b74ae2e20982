/** Every journey of a payer: how it begins, what happens, and what the page says then, in both languages. */
import type { Page } from 'playwright-core';
import type { Label } from '../../src/base/text/label.ts';

/** Stands for the CPF of somebody new. */
export const NEW_CPF = 'new';

/** What a journey is played with. */
export interface Stage {
  readonly page: Page;
  /** Lets the outside world do something. */
  readonly trigger: (scenario: string) => Promise<void>;
  /** Waits until the page has this title: it has to get there by itself. */
  readonly title: (text: Label) => Promise<void>;
  readonly advanceClock: (by: string) => Promise<void>;
  /** A text of the page's language. */
  readonly say: (text: Label) => string;
}

/** A journey. */
export interface Journey {
  readonly name: string;
  /** Body of a creation on `/v2`, or input of a GraphQL mutation. */
  readonly given: { readonly path: string; readonly body: Readonly<Record<string, unknown>> };
  readonly play?: (stage: Stage) => Promise<void>;
  readonly title: Label;
  /** Texts that the page has, besides. */
  readonly says?: readonly Label[];
}

/** The tax id is a new one each time: a customer has limits. */
const MARIA = { client_name: 'Maria Silva Pereira', client_tax_id: NEW_CPF };
const RETURN = { return_url: 'https://shop.example.com/back' };

const same = (text: string): Label => ({ en: text, pt: text });
const label = (en: string, pt: string): Label => ({ en, pt });

function checkout(body: object = {}, plan?: string): Journey['given'] {
  const amount = { amount_payment: '550', currency_exit_received_code: 'USDT_TRX' };
  return {
    path: '/v2/crossramp_checkout',
    body: { ...amount, ...RETURN, ...(plan && { external_code: `sandbox:${plan}` }), ...body },
  };
}

function offramp(body: object = {}, plan?: string): Journey['given'] {
  return {
    path: '/v2/offramp',
    body: {
      amount_sent: '500',
      currency_entry_paid_code: 'USDT_TRX',
      pix_key: 'maria@example.com',
      pix_key_type: 'email',
      from: 'external',
      ...MARIA,
      ...(plan && { external_code: `sandbox:${plan}` }),
      ...body,
    },
  };
}

const PAY = label('Pay with PIX', 'Pague com Pix');
const PAID = label('Paid', 'Pago');
const back = (en: string, pt: string) => label(`${en} was sent back to you`, `Devolvemos ${pt} para você`);
const RENEW = label('Get a new PIX code', 'Gerar novo código Pix');
const RECEIPT = label('PIX ID', 'ID da transação Pix');
const WRONG = label(
  'We received a different amount. What would you like to do?',
  'Recebemos um valor diferente. O que você quer fazer?',
);
const SENT = label('R$500.00 was sent to Maria S. P.', 'Enviamos R$ 500,00 para Maria S. P.');

/** Pays in some way once the code is there. */
function paid(scenario: string, plan?: string): Pick<Journey, 'given' | 'play'> {
  return {
    given: checkout(MARIA, plan),
    play: async ({ title, trigger }) => {
      await title(PAY);
      await trigger(scenario);
    },
  };
}

/** The journeys: those of a checkout first, then what is different with others. */
export const JOURNEYS: readonly Journey[] = [
  {
    name: 'amount',
    given: checkout({ amount_payment: undefined }),
    title: label('How much do you want to pay?', 'Quanto você quer pagar?'),
    says: [label('From R$1.00 to R$50,000.00', 'De R$ 1,00 a R$ 50.000,00')],
  },
  {
    name: 'amount-wrong',
    given: checkout({ amount_payment: undefined }),
    play: async ({ page }) => {
      await page.fill('#amount', '0,5');
      await page.click('main form button');
    },
    title: label('How much do you want to pay?', 'Quanto você quer pagar?'),
    says: [
      label(
        'Enter an amount from R$1.00 to R$50,000.00, such as 150.00',
        'Digite um valor de R$ 1,00 a R$ 50.000,00, como 150,00',
      ),
    ],
  },
  {
    name: 'identity',
    given: checkout({ amount_payment: undefined }),
    play: async ({ page, say: translate }) => {
      await page.fill('#amount', translate(label('1,550.50', '1.550,50')));
      await page.click('main form button');
    },
    title: label('Who is paying?', 'Quem está pagando?'),
    says: [label('R$1,550.50', 'R$ 1.550,50')],
  },
  {
    name: 'identity-wrong',
    given: checkout(),
    play: async ({ page }) => {
      await page.fill('#name', 'Maria <b>Silva</b>');
      await page.fill('#taxId', '111.111.111-11');
      await page.click('main form button');
    },
    title: label('Who is paying?', 'Quem está pagando?'),
    says: [
      label(
        'Check the CPF (11 digits) or CNPJ (14 characters): this one isn’t valid.',
        'CPF ou CNPJ inválido. Confira: um CPF tem 11 dígitos; um CNPJ, 14 caracteres.',
      ),
    ],
  },
  {
    name: 'confirmation',
    given: checkout(),
    play: async ({ page }) => {
      await page.fill('#name', 'Maria Silva Pereira');
      await page.fill('#taxId', '529.982.247-25');
      await page.click('main form button');
    },
    title: label('Check your details', 'Confira seus dados'),
    says: [same('Maria S. P.'), same('***.982.247-**')],
  },
  {
    name: 'payment',
    given: checkout(MARIA),
    title: PAY,
    says: [label('Copy PIX code', 'Copiar código Pix'), label('to Sandbox', 'para Sandbox')],
  },
  {
    name: 'step-up',
    given: checkout(MARIA, 'step-up-require'),
    title: label('Sandbox needs another document from you', 'Sandbox precisa de mais um documento seu'),
    says: [label('Sandbox will contact you about it', 'Sandbox vai entrar em contato sobre isso')],
  },
  {
    name: 'step-up-approved',
    given: checkout(MARIA, 'step-up-require'),
    play: ({ trigger }) => trigger('step-up-approve'),
    title: PAY,
  },
  {
    name: 'step-up-denied',
    given: checkout(MARIA, 'step-up-require'),
    play: ({ trigger }) => trigger('step-up-deny'),
    title: label('We cannot take this payment', 'Não podemos aceitar este pagamento'),
  },
  {
    name: 'expired',
    ...paid('expire'),
    title: label('Time ran out. Nothing was paid', 'O prazo acabou. Nada foi pago'),
    says: [RENEW],
  },
  {
    name: 'paid',
    ...paid('pay'),
    title: PAID,
    says: [RECEIPT, label('Return to shop.example.com', 'Voltar para shop.example.com')],
  },
  {
    name: 'underpaid',
    ...paid('pay-under'),
    title: back('R$530.00', 'R$ 530,00'),
    says: [
      RENEW,
      label('You paid R$530.00 instead of R$550.00', 'Recebemos R$ 530,00, mas o valor era R$ 550,00'),
      label('Refund ID', 'ID da devolução'),
    ],
  },
  {
    name: 'overpaid',
    given: checkout(MARIA),
    play: async ({ page, say: translate, title, trigger }) => {
      await title(PAY);
      await trigger('pay-over');
      // The title is there once before the end, too.
      await page.getByText(translate(label('Finished', 'Concluído'))).waitFor();
    },
    title: label('Paid. R$20.00', 'R$ 20,00'),
    says: [
      label('You paid R$570.00; the price was R$550.00', 'Você pagou R$ 570,00, e o valor era R$ 550,00'),
    ],
  },
  {
    name: 'late',
    ...paid('pay-late'),
    title: back('R$550.00', 'R$ 550,00'),
    says: [RENEW, label('arrived after the deadline', 'depois do prazo')],
  },
  {
    name: 'other-payer',
    ...paid('pay-other-payer'),
    title: back('R$550.00', 'R$ 550,00'),
    says: [RENEW, label('came from someone else’s', 'saiu da conta de outra pessoa')],
  },
  {
    name: 'refund-failed',
    ...paid('pay-under', 'refund-fail'),
    title: label('We could not send your money back yet', 'Ainda não conseguimos devolver seu dinheiro'),
    says: [label('Contact Sandbox', 'Peça ajuda a Sandbox')],
  },
  {
    name: 'held',
    ...paid('pay', 'hold'),
    title: label('We are checking your payment', 'Estamos verificando seu pagamento'),
    says: [label('This page updates automatically', 'Esta página se atualiza sozinha')],
  },
  {
    name: 'disputed',
    given: checkout(MARIA),
    play: async ({ title, trigger }) => {
      await title(PAY);
      await trigger('pay');
      await title(PAID);
      await trigger('dispute-open');
    },
    title: label('Your bank is looking into this payment', 'Seu banco está analisando este pagamento'),
    says: [label('The amount is blocked', 'O valor fica bloqueado'), RECEIPT],
  },
  {
    name: 'quote',
    given: {
      path: 'createCheckout',
      body: { amount: { brl: '550' }, currency: 'USDT_TRX', accept: false },
    },
    title: label('Do you accept this quote?', 'Você aceita esta cotação?'),
    says: [same('USDT (TRON)')],
  },
  {
    name: 'onramp',
    given: {
      path: 'createOnramp',
      body: {
        amount: { brl: '550' },
        currency: 'USDC_BASE',
        clientName: MARIA.client_name,
        clientTaxId: MARIA.client_tax_id,
        wallet: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      },
    },
    play: async ({ title, trigger }) => {
      await title(PAY);
      await trigger('pay');
    },
    title: label('Paid and sent to your wallet', 'Pago e enviado para sua carteira'),
    says: [
      label('Transaction hash', 'Hash da transação'),
      same('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    ],
  },
  {
    name: 'payee',
    given: {
      path: 'createOfframp',
      body: { amount: { brl: '500' }, currency: 'USDT_TRX', from: 'EXTERNAL' },
    },
    title: label('Who receives the money?', 'Quem recebe o dinheiro?'),
    says: [label('PIX key type', 'Tipo de chave Pix')],
  },
  {
    name: 'deposit',
    given: offramp(),
    title: label('Send USDT on TRON', 'Envie USDT pela rede TRON'),
    says: [label('Send only USDT on TRON (TRC-20)', 'Envie apenas USDT pela rede TRON (TRC-20)')],
  },
  {
    name: 'deposit-done',
    given: offramp(),
    play: async ({ trigger, title, advanceClock }) => {
      await trigger('deposit');
      await title(label('We see your deposit', 'Seu depósito foi detectado'));
      await advanceClock('20s');
    },
    title: SENT,
    says: [RECEIPT, label('Converted', 'Convertido')],
  },
  {
    name: 'deposit-wrong',
    given: offramp(),
    play: ({ trigger }) => trigger('deposit-wrong'),
    title: WRONG,
    says: [label('Convert at the current rate', 'Converter pela cotação atual')],
  },
  {
    name: 'deposit-requoted',
    given: offramp(),
    play: async ({ page, trigger, title }) => {
      await trigger('deposit-wrong');
      await title(WRONG);
      await page.click('form[action*="/requote"] button');
    },
    title: label('was sent to Maria S. P.', 'para Maria S. P.'),
  },
  {
    name: 'deposit-returned',
    given: offramp(),
    play: async ({ page, trigger, title }) => {
      await trigger('deposit-wrong');
      await title(WRONG);
      await page.check('input[name=mine]');
      await page.click('form[action*="/refund"] button');
    },
    title: label('was sent back to you', 'Devolvemos'),
    says: [label('Start again', 'Começar de novo')],
  },
  {
    name: 'deposit-late',
    given: offramp(),
    play: async ({ trigger, title }) => {
      await trigger('expire');
      await title(label('Time ran out. No deposit arrived', 'O prazo acabou. Nenhum depósito chegou'));
      await trigger('deposit-wrong');
    },
    title: label(
      'Your deposit arrived late. What would you like to do?',
      'Seu depósito chegou fora do prazo. O que você quer fazer?',
    ),
  },
];
