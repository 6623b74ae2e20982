/**
 * Withdrawal: funds move from the account balance to a whitelisted wallet or PIX key.
 *
 * Life of the money: reserved from the available balance → sent, less the network fee → confirmed. A failure releases
 * the reservation. The misspelt component names are part of the interface.
 *
 * @see `service.md` 2.6, states.json
 */
import { label } from '../base/text/label.ts';
import { attribute, defineTemplate, LATE_EVENT, step } from './define.ts';
import { WITHDRAWAL_ENTERING, WITHDRAWAL_TRANSITIONS } from './withdrawal-machine.ts';

/** The template of withdrawals. */
export const withdrawal = defineTemplate({
  name: 'withdraw_dash_same_curr',
  typeName: 'Withdrawal',
  product: 'Withdrawal',
  direction: 'Funds move from the account balance to a whitelisted wallet or PIX key',
  family: 'withdrawals',
  attributes: [
    attribute('amount_discounted', 'amount', 'targetAmount', 'Amount actually sent, after the network fee.'),
    attribute('amount_received', 'amount', 'sourceAmount', 'Amount originally requested.'),
    attribute('currency_received', 'currency_name', 'targetCurrency', 'Display name of the asset.'),
    attribute('currency_receive_code', 'currency_asset', 'targetCurrency', 'Code of the asset.'),
    attribute('address', 'text', 'wallet', 'Destination address.'),
    attribute('tx_hash', 'hash', 'txHash', 'On-chain transaction hash.'),
    attribute('explorer_url', 'url', 'explorerUrl', 'Block explorer page of the transaction.'),
    attribute('network_fee', 'exact', 'networkFee', 'Blockchain network fee paid.'),
    attribute('group_id', 'text', 'groupId', 'Whitelist group used for the withdrawal.'),
    attribute('notes', 'text', 'notes', 'Notes attached to the withdrawal.'),
  ],
  steps: [
    step(
      ['request_withdrawl_dash', 'INITIAL'],
      'Created',
      label('Withdrawal Requested', 'Saque Solicitado'),
      label('Withdrawal request received', 'Solicitação de saque recebida'),
    ),
    step(
      ['request_withdrawl_dash', 'ERROR'],
      'Failed',
      label('Insufficient Balance', 'Saldo Insuficiente'),
      label(
        'The available balance does not cover this withdrawal',
        'O saldo disponível não cobre este saque',
      ),
      { error: true, ending: 'final' },
    ),
    step(
      ['approval_withdrawl_dash', 'PENDING'],
      'Pending',
      label('Awaiting Approval', 'Aguardando Aprovação'),
      label('Withdrawal awaiting approval', 'Saque aguardando aprovação'),
    ),
    step(
      ['approval_withdrawl_dash', 'REJECTED'],
      'Cancelled',
      label('Withdrawal Rejected', 'Saque Recusado'),
      label(
        'The withdrawal was not approved; the amount was released',
        'O saque não foi aprovado; o valor foi liberado',
      ),
      { error: true, ending: 'final' },
    ),
    step(
      ['approval_withdrawl_dash', 'CANCELLED'],
      'Cancelled',
      label('Withdrawal Cancelled', 'Saque Cancelado'),
      label(
        'The withdrawal was cancelled; the amount was released',
        'O saque foi cancelado; o valor foi liberado',
      ),
      { ending: 'final' },
    ),
    step(
      ['compliance', 'UNCOMPLIANT'],
      'Pending',
      label('Compliance Review', 'Análise de Conformidade'),
      label('Withdrawal held for compliance review', 'Saque retido para análise de conformidade'),
    ),
    step(
      ['send_withdrawl_dash', 'SENDING'],
      'Processing',
      label('Withdrawal Processing', 'Saque em Processamento'),
      label('The withdrawal is being sent', 'O saque está sendo enviado'),
    ),
    step(
      ['send_withdrawl_dash', 'BROADCAST'],
      'Processing',
      label('Awaiting Network Confirmation', 'Aguardando Confirmação da Rede'),
      label(
        'Withdrawal sent; awaiting network confirmation',
        'Saque enviado; aguardando confirmação da rede',
      ),
    ),
    step(
      ['send_withdrawl_dash', 'ERROR'],
      'Failed',
      label('Withdrawal Failed', 'Falha no Saque'),
      label(
        'The withdrawal could not be completed; the amount was released',
        'Não foi possível concluir o saque; o valor foi liberado',
      ),
      { error: true, ending: 'final' },
    ),
    step(
      ['success_withdrawl_dash', 'DONE'],
      'Success',
      label('Withdrawal Completed', 'Saque Concluído'),
      label('Withdrawal completed successfully', 'Saque concluído com sucesso'),
      { ending: LATE_EVENT },
    ),
    step(
      ['success_withdrawl_dash', 'RETURNED'],
      'Refunded',
      label('Withdrawal Returned', 'Saque Devolvido'),
      label(
        'The receiving bank returned the PIX; the amount was credited back',
        'O banco recebedor devolveu o PIX; o valor foi creditado novamente',
      ),
      { error: true, ending: 'final' },
    ),
  ],
  stepUp: 'before_payment',
  crypto: 'external',
  machine: { transitions: WITHDRAWAL_TRANSITIONS, entering: WITHDRAWAL_ENTERING },
});
