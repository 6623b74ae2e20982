/** Texts about a rejected form, by the message of the error: they say what to do, without names of the API. */
import { type Label, label } from '../../base/text/label.ts';

/** Advice by the message of an error; named groups are filled in. The first match is used. */
export const REASON_WORDS: readonly (readonly [message: RegExp, words: Label])[] = [
  [
    /with the scope|requires the scope|only an owner/,
    label(
      'Your role doesn’t allow this. Ask an account owner to change your role.',
      'Sua função não permite isso. Peça a um proprietário da conta para alterar sua função.',
    ),
  ],
  [
    /different key than the one that asked|counts as one maker|somebody other than its proposer/,
    label('Someone else has to approve this.', 'Outra pessoa precisa aprovar isto.'),
  ],
  [
    /that is new .* from (?<time>\S+)/,
    label(
      'You joined this account recently. You can approve from {time}.',
      'Você entrou nesta conta há pouco. Poderá aprovar a partir de {time}.',
    ),
  ],
  [
    /^only an owner decides who needs a passkey/,
    label('Only an owner can change this.', 'Só um proprietário pode alterar isto.'),
  ],
  [
    /^a company has at most (?<max>\d+) owners here/,
    label(
      'This company already has {max} owners, the most there can be. Remove one first.',
      'Esta empresa já tem {max} sócios, o máximo permitido. Remova um antes.',
    ),
  ],
  [
    /^the customer is frozen/,
    label(
      'This customer is frozen. Two people have to unfreeze the customer first.',
      'Este cliente está bloqueado. Duas pessoas precisam desbloqueá-lo antes.',
    ),
  ],
  [
    /^the customer is already frozen/,
    label(
      'This customer is frozen already. Two people unfreeze the customer in the identity check.',
      'Este cliente já está bloqueado. Duas pessoas o desbloqueiam na verificação de identidade.',
    ),
  ],
  [
    /^the sender is on a list of sanctions/,
    label(
      'The sender matches a sanctions list. The money stays frozen until the hit is dismissed.',
      'O remetente consta em uma lista de sanções. O dinheiro fica bloqueado até que a ocorrência seja descartada.',
    ),
  ],
  [
    /^the PIX provider takes answers on its screens alone/,
    label(
      'This provider takes answers only on its own screens. The operator answers there and records it here.',
      'Este provedor só aceita respostas nas próprias telas. O operador responde por lá e registra aqui.',
    ),
  ],
  [
    /^the decision of a dispute moves money/,
    label(
      'The provider reports the decision of a dispute. Nothing has to be recorded here.',
      'O provedor informa a decisão de uma contestação. Não é preciso registrar nada aqui.',
    ),
  ],
  [
    /^a case has at most (?<max>\d+) files/,
    label(
      'A case takes at most {max} files of this kind.',
      'Um caso aceita no máximo {max} arquivos deste tipo.',
    ),
  ],
  [
    /^the deposit is being checked/,
    label(
      'This deposit is being checked. Try again later.',
      'Este depósito está em análise. Tente de novo mais tarde.',
    ),
  ],
  [
    /^this amount needs a verified payee/,
    label(
      'This amount needs a verified recipient. Keep the deposit or send it back.',
      'Este valor exige um recebedor verificado. Mantenha o depósito ou devolva-o.',
    ),
  ],
  [
    /^the deposit does not cover the network fee/,
    label(
      'The deposit doesn’t cover the network fee, so it can’t be sent back.',
      'O depósito não cobre a taxa de rede, por isso não pode ser devolvido.',
    ),
  ],
  [
    /does not cover the (?:network )?fee/,
    label(
      'The amount doesn’t cover the fees. Enter a larger amount.',
      'O valor não cobre as taxas. Digite um valor maior.',
    ),
  ],
  [
    /must be worth (?<min>[\d.]+) to (?<max>[\d.]+) BRL/,
    label('Enter an amount worth {min} to {max} BRL.', 'Digite um valor equivalente a {min} até {max} BRL.'),
  ],
  [
    /over the daily limit/,
    label(
      'This amount takes the customer over the daily limit. Enter a smaller amount.',
      'Este valor ultrapassa o limite diário do cliente. Digite um valor menor.',
    ),
  ],
  [
    /^(?<left>[\d.]+) BRL of the payment can still be refunded/,
    label('Up to {left} BRL can still be refunded.', 'Até {left} BRL ainda podem ser devolvidos.'),
  ],
  [
    /^a partial refund is under way/,
    label(
      'A refund of a part is under way. Refund the rest when it has ended, or a smaller amount now.',
      'Uma devolução parcial está em andamento. Devolva o restante quando ela terminar, ou um valor menor agora.',
    ),
  ],
  [
    /can be refunded in at most (?<max>\d+) parts/,
    label(
      'This payment already has {max} refunds, the most there can be. Leave the amount empty to refund everything that is left.',
      'Este pagamento já tem {max} devoluções, o máximo possível. Deixe o valor vazio para devolver tudo o que resta.',
    ),
  ],
  [
    /is simulated in this process/,
    label(
      'This rail is simulated, so it has no statement to compare.',
      'Este provedor é simulado, por isso não tem extrato para comparar.',
    ),
  ],
  [
    /^the account owes (?<owed>.+)$/,
    label('The account owes {owed}. Enter at most that.', 'A conta deve {owed}. Digite no máximo isso.'),
  ],
  [
    /its payer can be refunded from (?<time>\S+)/,
    label(
      'The crypto of this payment went to a wallet, so it can be refunded from {time}.',
      'A cripto deste pagamento foi para uma carteira, por isso ele pode ser devolvido a partir de {time}.',
    ),
  ],
  [
    /^the entry becomes usable at (?<time>\S+)/,
    label('This destination can be used from {time}.', 'Este destino pode ser usado a partir de {time}.'),
  ],
  [
    /^the network fee is/,
    label(
      'The network fee has changed. Review the price and confirm again.',
      'A taxa de rede mudou. Revise a cotação e confirme de novo.',
    ),
  ],
  [
    /PIX provider is unreachable|provider is still processing/,
    label(
      'The PIX provider has no answer yet. Try again in a few minutes.',
      'O provedor Pix ainda não tem resposta. Tente de novo em alguns minutos.',
    ),
  ],
  [
    /was sent less than (?<seconds>\d+) seconds ago/,
    label(
      'This order was sent less than {seconds} seconds ago, so the provider may still receive it. Wait a moment and try again.',
      'Esta ordem foi enviada há menos de {seconds} segundos, e o provedor ainda pode recebê-la. Aguarde um pouco e tente de novo.',
    ),
  ],
  [
    /^the provider reports that money of \S+ was returned/,
    label(
      'The provider says that money of this order was returned. Choose “It was paid”.',
      'O provedor diz que o dinheiro desta ordem foi devolvido. Escolha “Foi paga”.',
    ),
  ],
  [
    /^the provider has decided/,
    label(
      'The provider has told us how this order ended. Reload the page to see it.',
      'O provedor informou como esta ordem terminou. Recarregue a página para ver.',
    ),
  ],
  [
    /^a payout that came back cannot be sent back/,
    label(
      'A payout that came back can’t be returned. Credit it to an account.',
      'Um pagamento que voltou não pode ser devolvido. Credite-o em uma conta.',
    ),
  ],
  [
    /is about money that arrived/,
    label(
      'This message is about money that arrived, so it has to be booked. Retry it instead.',
      'Esta mensagem trata de dinheiro que entrou e precisa ser contabilizada. Tente processá-la de novo.',
    ),
  ],
  [
    /is already waiting for approval/,
    label(
      'A payment out of this transaction already waits for approval. Approve or decline it first.',
      'Uma saída desta transação já aguarda aprovação. Aprove-a ou recuse-a primeiro.',
    ),
  ],
  [
    /was imported as history/,
    label(
      'This transaction was imported as history, so nothing can be done to it here.',
      'Esta transação foi importada como histórico, e nada pode ser feito com ela aqui.',
    ),
  ],
  [
    /has no event yet/,
    label(
      'There is no event to send yet. Make a transaction first.',
      'Ainda não há evento para enviar. Crie uma transação primeiro.',
    ),
  ],
  [
    /^the endpoint is disabled/,
    label(
      'This endpoint is disabled. Resume it, or replay its missed events, first.',
      'Este endpoint está desativado. Retome-o, ou reenvie os eventos perdidos, primeiro.',
    ),
  ],
  [
    /^you have (?<max>\d+) passkeys/,
    label(
      'You have {max} passkeys, the most there can be. Remove one first.',
      'Você tem {max} passkeys, o máximo possível. Remova uma primeiro.',
    ),
  ],
  [
    /is being replaced by/,
    label(
      'This key is already being replaced. Rotate the newer key, or create another one.',
      'Esta chave já está sendo substituída. Rotacione a chave mais nova ou crie outra.',
    ),
  ],
  [
    /^(?<day>\S+) is not over yet/,
    label('{day} isn’t over yet (Brasília time).', '{day} ainda não terminou (horário de Brasília).'),
  ],
  [
    /books are closed up to (?<day>\S+)/,
    label('The books are closed up to {day}.', 'A contabilidade está fechada até {day}.'),
  ],
  [
    /next day to close is (?<day>\S+)/,
    label('The next day to close is {day}.', 'O próximo dia a fechar é {day}.'),
  ],
];

/** Advice on a value, by the message about it; named groups are filled in. The first match is used. */
export const VALUE_WORDS: readonly (readonly [message: RegExp, words: Label])[] = [
  [/^is required: the group has several/, label('Choose a destination', 'Escolha um destino')],
  [/^is required/, label('Enter a value', 'Preencha este campo')],
  [
    /^must be an integer from (?<min>\S+) to (?<max>[^\s,;]+)/,
    label('Enter a whole number from {min} to {max}', 'Digite um número inteiro de {min} a {max}'),
  ],
  [
    /^must be (?:a decimal number )?from (?<min>\S+) to below (?<max>[^\s,;]+)/,
    label('Enter a value from {min} to below {max}', 'Digite um valor a partir de {min} e abaixo de {max}'),
  ],
  [
    /^must be (?:a decimal number )?from (?<min>\S+) to (?<max>[^\s,;]+)/,
    label('Enter a value from {min} to {max}', 'Digite um valor de {min} a {max}'),
  ],
  [
    /decimal number|^must be greater/,
    label('Enter a number, such as 150.00', 'Digite um número, como 150,00'),
  ],
  [
    /^must have (?<min>\d+) to (?<max>\d+) characters/,
    label('Enter {min} to {max} characters', 'Digite de {min} a {max} caracteres'),
  ],
  [/well-formed text/, label('Enter plain text', 'Digite um texto simples')],
  [
    /^must (?:not exceed|be at most)[^\d]*(?<max>[\d.]+)/,
    label('Enter at most {max}', 'Digite no máximo {max}'),
  ],
  [/^must not be below[^\d]*(?<min>[\d.]+)/, label('Enter at least {min}', 'Digite no mínimo {min}')],
  [/^must be darker/, label('Choose a darker colour', 'Escolha uma cor mais escura')],
  [/^must be a colour/, label('Enter a colour such as #0b5fff', 'Digite uma cor como #0b5fff')],
  [
    /origins? such as/,
    label(
      'Enter a site such as https://shop.example.com, without a path',
      'Digite um site como https://loja.example.com, sem caminho',
    ),
  ],
  [
    /begins with mailto:/,
    label('Write mailto: before the e-mail address', 'Escreva mailto: antes do endereço de e-mail'),
  ],
  [/URL/, label('Enter a public https:// address', 'Digite um endereço https:// público')],
  [
    /e-?mail address/,
    label('Enter an e-mail address such as ana@example.com', 'Digite um e-mail como ana@example.com'),
  ],
  [
    /mobile phone/,
    label(
      'Enter a mobile phone with its area code, such as +5511987654321',
      'Digite um celular com DDD, como +5511987654321',
    ),
  ],
  [
    /^must be a UUID/,
    label(
      'Enter a random key such as 123e4567-e12b-12d1-a456-426655440000',
      'Digite uma chave aleatória como 123e4567-e12b-12d1-a456-426655440000',
    ),
  ],
  [/CPF|CNPJ|tax id/, label('Enter a valid CPF or CNPJ', 'Digite um CPF ou CNPJ válido')],
  [/existing day/, label('Enter an existing day', 'Digite um dia existente')],
  [
    /^must be a duration/,
    label('Enter a duration such as 30m, 2h or 1d', 'Digite um prazo como 30m, 2h ou 1d'),
  ],
  [/is that of a member/, label('This person is already on the team', 'Esta pessoa já está na equipe')],
  [
    /is the last owner/,
    label('Make another person an owner first', 'Torne outra pessoa proprietária primeiro'),
  ],
  [
    /already in the group/,
    label('This destination is already in the group', 'Este destino já está no grupo'),
  ],
  [/at least one scope/, label('Choose at least one scope', 'Escolha pelo menos um escopo')],
  [/^must be one of/, label('Choose one of the options', 'Escolha uma das opções')],
  [/another account than/, label('Choose two different accounts', 'Escolha duas contas diferentes')],
  [
    /address (?:of|on)|checksum|^must be an? .*address/,
    label('Enter an address of this network', 'Digite um endereço desta rede'),
  ],
  [
    /EndToEndId of the payout|rtrId of the return/,
    label('Enter the ID at the provider (E… or D…)', 'Digite o ID no provedor (E… ou D…)'),
  ],
];

/** Text for a value without specific advice. */
export const CHECK_VALUE = label('Check this value', 'Confira este valor');
