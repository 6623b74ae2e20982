/** Every journey of a payer: how it begins, what happens, and what the page says then, in both languages. */
import type { Page } from 'playwright-core';
import type { Label } from '../../src/base/label.ts';

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

const PAY = label('Pay with PIX', 'Pague com PIX');
const PAID = label('Paid', 'Pago');
const back = (en: string, pt: string) =>
  label(`${en} was sent back to you`, `${pt} foram devolvidos para você`);
const RENEW = label('Get a new code', 'Gerar novo código');
const RECEIPT = label('PIX number', 'Número do PIX');
const WRONG = label(
  'A different amount arrived. What should we do?',
  'Chegou outro valor. O que devemos fazer?',
);
const SENT = label('R$500.00 was sent to Maria S. P.', 'R$ 500,00 foram enviados para Maria S. P.');

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
        'Enter an amount from R$1.00 to R$50,000.00 with at most two decimals, such as 150.00',
        'Escreva um valor de R$ 1,00 a R$ 50.000,00 com no máximo duas casas decimais, por exemplo 150,00',
      ),
    ],
  },
  {
    name: 'identity',
    given: checkout({ amount_payment: undefined }),
    play: async ({ page, say }) => {
      await page.fill('#amount', say(label('1,550.50', '1.550,50')));
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
        'This is not a valid CPF or CNPJ: check the digits',
        'Este CPF ou CNPJ não é válido: confira os dígitos',
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
    title: label('Is this right?', 'Está correto?'),
    says: [same('Maria S. P.'), same('***.982.247-**')],
  },
  {
    name: 'payment',
    given: checkout(MARIA),
    title: PAY,
    says: [label('Copy PIX code', 'Copiar código PIX'), label('to Sandbox', 'para Sandbox')],
  },
  {
    name: 'step-up',
    given: checkout(MARIA, 'step-up-require'),
    title: label('Sandbox needs one more document from you', 'Sandbox precisa de mais um documento seu'),
    says: [
      label('Sandbox will ask you for it, or already has', 'Sandbox vai pedir o documento, ou já pediu'),
    ],
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
      label('R$530.00 arrived, but R$550.00 was due', 'Chegaram R$ 530,00, mas o valor era R$ 550,00'),
      label('Return number', 'Número da devolução'),
    ],
  },
  {
    name: 'overpaid',
    given: checkout(MARIA),
    play: async ({ page, say, title, trigger }) => {
      await title(PAY);
      await trigger('pay-over');
      // The title is there once before the end, too.
      await page.getByText(say(label('Finished', 'Concluído'))).waitFor();
    },
    title: label('Paid. R$20.00', 'Pago. R$ 20,00'),
    says: [label('You paid R$570.00, and R$550.00 was due', 'Você pagou R$ 570,00, e o valor era R$ 550,00')],
  },
  {
    name: 'late',
    ...paid('pay-late'),
    title: back('R$550.00', 'R$ 550,00'),
    says: [RENEW, label('after the time to pay was over', 'depois do fim do prazo')],
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
    says: [label('Ask Sandbox for help', 'Peça ajuda a Sandbox')],
  },
  {
    name: 'held',
    ...paid('pay', 'hold'),
    title: label('We are checking your payment', 'Estamos verificando seu pagamento'),
    says: [label('This page updates by itself', 'Esta página se atualiza sozinha')],
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
    says: [label('the amount is blocked', 'o valor está bloqueado'), RECEIPT],
  },
  {
    name: 'quote',
    given: {
      path: 'createCheckout',
      body: { amountPayment: '550', currency: 'USDT_TRX', accept: false },
    },
    title: label('Do you accept this quote?', 'Você aceita esta cotação?'),
    says: [same('USDT (TRON)')],
  },
  {
    name: 'onramp',
    given: {
      path: 'createOnramp',
      body: {
        amountPayment: '550',
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
      label('Transaction on the network', 'Transação na rede'),
      same('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
    ],
  },
  {
    name: 'payee',
    given: {
      path: 'createOfframp',
      body: { amountSent: '500', currency: 'USDT_TRX', from: 'EXTERNAL' },
    },
    title: label('Who receives the money?', 'Quem recebe o dinheiro?'),
    says: [label('Type of PIX key', 'Tipo da chave PIX')],
  },
  {
    name: 'deposit',
    given: offramp(),
    title: label('Send USDT on TRON', 'Envie USDT pela rede TRON'),
    says: [label('USDT on TRON (TRC-20) only', 'Somente USDT pela rede TRON (TRC-20)')],
  },
  {
    name: 'deposit-done',
    given: offramp(),
    play: async ({ trigger, title, advanceClock }) => {
      await trigger('deposit');
      await title(label('Your deposit has arrived', 'Seu depósito chegou'));
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
    says: [label('Convert it at today’s rate', 'Converter pela cotação de hoje')],
  },
  {
    name: 'deposit-requoted',
    given: offramp(),
    play: async ({ page, trigger, title }) => {
      await trigger('deposit-wrong');
      await title(WRONG);
      await page.click('form[action*="/requote"] button');
    },
    title: label('was sent to Maria S. P.', 'enviados para Maria S. P.'),
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
    title: label('was sent back to you', 'foram devolvidos para você'),
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
      'Your deposit came late. What should we do?',
      'Seu depósito chegou atrasado. O que devemos fazer?',
    ),
  },
];
