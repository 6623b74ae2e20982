/** The scenarios of the sandbox in words, for the buttons of its panel. */
import { type Label, label } from '../base/label.ts';
import type { ScenarioName } from '../resolvers/services/sandbox.ts';

/** What each button says. */
export const SCENARIO_WORDS: Readonly<Record<ScenarioName, Label>> = {
  pay: label('Pay it', 'Pagar'),
  'pay-late': label('Pay too late', 'Pagar fora do prazo'),
  'pay-over': label('Pay too much', 'Pagar a mais'),
  'pay-under': label('Pay too little', 'Pagar a menos'),
  'pay-other-payer': label('Pay from another person’s account', 'Pagar da conta de outra pessoa'),
  'pay-twice': label('Pay, reported twice', 'Pagar, com aviso repetido'),
  'step-up-approve': label('Accept the document', 'Aceitar o documento'),
  'step-up-deny': label('Refuse the document', 'Recusar o documento'),
  release: label('Release it', 'Liberar'),
  'hold-reject': label('Refuse it', 'Recusar'),
  'pix-return': label('The payee’s bank sends it back', 'O banco do recebedor devolve'),
  deposit: label('Send the exact amount', 'Enviar o valor exato'),
  'deposit-confirm': label('Confirm the deposit', 'Confirmar o depósito'),
  'deposit-reorg': label('The network drops the deposit', 'A rede descarta o depósito'),
  'deposit-wrong': label('Send another amount', 'Enviar outro valor'),
  'dispute-open': label('The payer disputes it', 'O pagador contesta'),
  'dispute-accept': label('Accept the dispute', 'Aceitar a contestação'),
  'dispute-reject': label('Reject the dispute', 'Rejeitar a contestação'),
  expire: label('Let time run out', 'Deixar o prazo acabar'),
  'step-up-require': label('Ask for a document', 'Pedir um documento'),
  hold: label('Hold it for review', 'Reter para análise'),
  'quote-fail': label('No price', 'Sem cotação'),
  'charge-fail': label('No PIX code', 'Sem código PIX'),
  'swap-fail': label('The conversion fails', 'A conversão falha'),
  'pix-out-reject': label('The payee’s bank refuses', 'O banco do recebedor recusa'),
  'delivery-fail': label('The transfer fails on the network', 'A transferência falha na rede'),
  'broadcast-fail': label('The transfer is not sent', 'A transferência não sai'),
  'refund-fail': label('The return fails', 'A devolução falha'),
  'excess-fail': label('The return of the excess fails', 'A devolução do excedente falha'),
  'identity-review': label('A person checks the customer', 'Uma pessoa confere o cliente'),
  'identity-irregular': label('The document is irregular', 'O documento está irregular'),
};
