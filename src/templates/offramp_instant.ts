/**
 * Offramp from External Address: a payer deposits crypto on-chain; BRL is sent to a payee by PIX.
 *
 * Life of the money: deposit seen → confirmed → converted at the locked quote → paid out by PIX. A deposit of a wrong
 * amount, or after the end of the session, is held until it is returned or kept.
 * @see `service.md` 2.5, states.json
 */
import { label } from '../base/text/label.ts';
import { attribute, defineTemplate, LATE_EVENT, step } from './define.ts';
import { DEPOSIT_ENTERING, DEPOSIT_STAGES, DEPOSIT_TRANSITIONS } from './deposit-machine.ts';
import { PIX_SENDING_STEP, QUOTE_AND_PAYEE_STEPS, SWAP_OUT_STEP } from './pix-out-steps.ts';
import { PIX_OUT_ATTRIBUTES, ROUNDED_QUOTE_ATTRIBUTES } from './shared-attributes.ts';
import { SUCCESS_STEP } from './shared-steps.ts';

/** The template of offramps from an external address. */
export const offrampInstant = defineTemplate({
  name: 'offramp_instant',
  typeName: 'OfframpInstant',
  product: 'Offramp from External Address',
  direction: 'A payer deposits crypto on-chain to a generated deposit address; BRL is sent to a payee by PIX',
  family: 'offramps',
  attributes: [
    ...ROUNDED_QUOTE_ATTRIBUTES,
    attribute(
      'currency_payment',
      'currency_asset',
      'sourceCurrency',
      'Crypto currency that the payer sends.',
    ),
    attribute(
      'currency_received',
      'currency_name',
      'targetCurrency',
      'Fiat currency that the payee receives.',
    ),
    attribute('amount_payment', 'amount', 'sourceAmount', 'Crypto that the payer sends.'),
    attribute('amount_received', 'amount', 'targetAmount', 'BRL that the payee receives.'),
    attribute(
      'amount_payment_display',
      'text',
      'amountDisplay',
      'The crypto amount as it is shown to the payer.',
    ),
    attribute('deposit_address', 'text', 'depositAddress', 'Blockchain address that the payer must send to.'),
    attribute('deposit_currency', 'currency_code', 'sourceCurrency', 'Currency code of the deposit.'),
    attribute(
      'exact_deposit_amount',
      'exact',
      'exactDepositAmount',
      'Amount to send, digit for digit: the exact amount identifies the session.',
    ),
    attribute('tx_hash', 'hash', 'txHash', 'On-chain hash of the inbound deposit.'),
    ...PIX_OUT_ATTRIBUTES,
  ],
  steps: [
    ...QUOTE_AND_PAYEE_STEPS,
    step(
      ['crypto_deposit', 'WAITING_DEPOSIT'],
      'Pending',
      label('Awaiting Crypto Deposit', 'Aguardando Depósito de Cripto'),
      label(
        'Deposit address generated; awaiting the exact crypto amount',
        'Endereço de depósito gerado; aguardando o valor exato em cripto',
      ),
    ),
    step(
      ['crypto_deposit', 'DETECTED'],
      'Pending',
      label('Crypto Deposit Detected', 'Depósito de Cripto Detectado'),
      label(
        'Deposit seen on the network; awaiting confirmations',
        'Depósito identificado na rede; aguardando confirmações',
      ),
    ),
    step(
      ['crypto_deposit', 'DROPPED'],
      'Pending',
      label('Crypto Deposit Dropped', 'Depósito de Cripto Descartado pela Rede'),
      label(
        'The deposit was dropped by the network; awaiting a new deposit',
        'O depósito foi descartado pela rede; aguardando novo depósito',
      ),
    ),
    step(
      ['crypto_deposit', 'DONE'],
      'Processing',
      label('Crypto Deposit Completed', 'Depósito de Cripto Concluído'),
      label('Crypto deposit confirmed', 'Depósito de cripto confirmado'),
    ),
    step(
      ['crypto_deposit', 'EXPIRED'],
      'Expired',
      label('Crypto Deposit Expired', 'Depósito de Cripto Expirado'),
      label('The session expired before the deposit', 'A sessão expirou antes do depósito'),
      { ending: LATE_EVENT, renewable: true },
    ),
    step(
      ['crypto_deposit', 'UNDERPAID'],
      'Pending',
      label('Crypto Deposit Underpaid', 'Depósito de Cripto a Menor'),
      label(
        'The deposit is lower than the exact amount; it is held',
        'O depósito é menor que o valor exato; ele está retido',
      ),
      { error: true },
    ),
    step(
      ['crypto_deposit', 'OVERPAID'],
      'Pending',
      label('Crypto Deposit Overpaid', 'Depósito de Cripto a Maior'),
      label(
        'The deposit is higher than the exact amount; it is held',
        'O depósito é maior que o valor exato; ele está retido',
      ),
      { error: true },
    ),
    step(
      ['crypto_deposit', 'LATE'],
      'Pending',
      label('Crypto Deposit Late', 'Depósito de Cripto Fora do Prazo'),
      label(
        'The deposit arrived after expiration; it is held',
        'O depósito chegou após a expiração; ele está retido',
      ),
      { error: true },
    ),
    step(
      ['compliance', 'UNCOMPLIANT'],
      'Pending',
      label('Compliance Review', 'Análise de Conformidade'),
      label('Deposit held for compliance review', 'Depósito retido para análise de conformidade'),
    ),
    SWAP_OUT_STEP,
    step(
      ['swap_transfer', 'ERROR'],
      'Failed',
      label('Swap Crypto → Fiat Failed', 'Falha na Conversão de Cripto para Reais'),
      label(
        'The conversion from crypto to BRL failed; the deposit is held',
        'A conversão de cripto para reais falhou; o depósito está retido',
      ),
      { error: true },
    ),
    PIX_SENDING_STEP,
    step(
      ['pix_out', 'REJECTED'],
      'Failed',
      label('PIX Transfer Rejected', 'Transferência PIX Rejeitada'),
      label(
        'The PIX transfer was rejected; the crypto is held for return',
        'A transferência PIX foi rejeitada; a cripto está retida para devolução',
      ),
      { error: true },
    ),
    SUCCESS_STEP,
    step(
      ['refund', 'INITIAL'],
      'Processing',
      label('Sending Back Crypto', 'Devolvendo Cripto'),
      label('The crypto is being sent back to the payer', 'A cripto está sendo devolvida ao pagador'),
      { return: true },
    ),
    step(
      ['refund', 'DONE'],
      'Refunded',
      label('Refund Completed', 'Devolução Concluída'),
      label('The crypto was returned to the payer', 'A cripto foi devolvida ao pagador'),
      { ending: 'final', renewable: true, return: true },
    ),
    step(
      ['partial_success', 'DONE'],
      'Partial Success',
      label('Credited to Account Balance', 'Creditado no Saldo da Conta'),
      label('The deposit was credited to the account balance', 'O depósito foi creditado no saldo da conta'),
      { ending: 'final' },
    ),
  ],
  stepUp: 'before_payment',
  crypto: 'external',
  stages: DEPOSIT_STAGES,
  machine: { transitions: DEPOSIT_TRANSITIONS, entering: DEPOSIT_ENTERING },
});
