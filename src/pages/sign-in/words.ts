/** What the pages of signing in say, in both languages. */
import { type Label, label } from '../../base/label.ts';

/** The texts. */
export const SIGN_IN_WORDS = {
  testMode: label('Test mode. No real money moves.', 'Modo de teste. Nenhum dinheiro real é movimentado.'),
  signIn: label('Sign in', 'Entrar'),
  noPasswords: label(
    'With the fingerprint, face or PIN of this device. There are no passwords here.',
    'Com a digital, o rosto ou o PIN deste aparelho. Aqui não há senhas.',
  ),
  withPasskey: label('Sign in with a passkey', 'Entrar com uma chave de acesso'),
  or: label('or', 'ou'),
  withCompany: label('Use your company’s sign-in', 'Usar o acesso da sua empresa'),
  notInvited: label('You are not invited', 'Você não foi convidado'),
  notInvitedHow: label(
    'Your company’s sign-in knows you, but nobody was invited here under a verified e-mail address of yours. Ask an owner of the account.',
    'O acesso da sua empresa conhece você, mas ninguém foi convidado aqui com um e-mail verificado seu. Fale com um proprietário da conta.',
  ),
  passkeyFailed: label(
    'That did not work. Try again, or use another passkey.',
    'Não deu certo. Tente de novo ou use outra chave de acesso.',
  ),
  needsScript: label(
    'Passkeys need JavaScript and a browser of 2025 or later. A link works without.',
    'Chaves de acesso precisam de JavaScript e de um navegador de 2025 ou mais novo. Um link funciona sem isso.',
  ),
  byLink: label(
    'Open the link that you were given. It lets you in once.',
    'Abra o link que você recebeu. Ele permite entrar uma vez.',
  ),
  noWay: label('I have no passkey on this device', 'Não tenho uma chave de acesso neste aparelho'),
  noWayOther: label(
    'Choose “another device” when your browser asks, and scan its code with your phone.',
    'Escolha “outro dispositivo” quando o navegador perguntar e leia o código com o seu celular.',
  ),
  noWayHow: label(
    'If you are new, an owner of the account can invite you. If your passkeys are lost, the operator of this gateway can make a link: crossramp person link.',
    'Se você é novo, um proprietário da conta pode convidar você. Se perdeu as chaves de acesso, o operador deste gateway pode criar um link: crossramp person link.',
  ),
  stay: label('You stay signed in for 12 hours.', 'Você continua conectado por 12 horas.'),

  welcome: label('Come in as {name}', 'Entre como {name}'),
  invited: label(
    '{name}, you are invited to {account}. You come in as {email}.',
    '{name}, você foi convidado para {account}. Você entra como {email}.',
  ),
  linkOnce: label(
    'The link of this page works once. Whoever has it can come in as you: tell nobody.',
    'O link desta página funciona uma vez. Quem o tiver pode entrar como você: não o passe adiante.',
  ),
  accept: label('Accept and come in', 'Aceitar e entrar'),
  comeIn: label('Come in', 'Entrar'),
  signInFirst: label(
    'You have a role in another account. Sign in as {email} first, then open this link again.',
    'Você já tem uma função em outra conta. Entre como {email} primeiro e abra este link de novo.',
  ),
  linkGone: label('This link leads nowhere any more', 'Este link não leva mais a lugar nenhum'),
  linkGoneHow: label(
    'It was used, has expired, or was replaced by another one. Ask for a new link.',
    'Ele já foi usado, venceu ou foi trocado por outro. Peça um link novo.',
  ),

  confirmTitle: label('Is it you?', 'É você?'),
  confirmWhy: label(
    'What you are about to do lets money out, or lets somebody in. Show a passkey; it counts for five minutes.',
    'O que você vai fazer deixa dinheiro sair ou alguém entrar. Mostre uma chave de acesso; ela vale por cinco minutos.',
  ),
  confirmNow: label('Show a passkey', 'Mostrar uma chave de acesso'),
  goBack: label('Go back', 'Voltar'),
  confirmNone: label(
    'You have no passkey yet. Add one first.',
    'Você ainda não tem uma chave de acesso. Crie uma primeiro.',
  ),
  proveTitle: label('Is this your address?', 'Este endereço é seu?'),
  proveWhy: label(
    'A passkey signs this address. Withdrawals to it then leave by your word, and not by the gateway’s alone. Compare every character with your wallet.',
    'Uma chave de acesso assina este endereço. Assim os saques para ele saem pela sua palavra, e não só pela do gateway. Compare cada caractere com sua carteira.',
  ),
  proveNetwork: label('Network', 'Rede'),
  proveAddress: label('Address', 'Endereço'),
  proveNow: label('Sign it with a passkey', 'Assinar com uma chave de acesso'),
  passkeys: label('Passkeys', 'Chaves de acesso'),
  noPasskeys: label(
    'You have none yet. With one you come in by fingerprint, face or PIN, without a link.',
    'Você ainda não tem nenhuma. Com uma, você entra com digital, rosto ou PIN, sem link.',
  ),
  addPasskey: label('Add a passkey', 'Criar uma chave de acesso'),
  passkeyName: label('Its name', 'Nome dela'),
  remove: label('Remove', 'Remover'),
  added: label('Added', 'Criada'),
  lastUsed: label('Last used', 'Usada por último'),
  security: label('Your sign-in', 'Seu acesso'),
  signedInAs: label('Signed in as {name} ({email})', 'Conectado como {name} ({email})'),
  toConsole: label('Open the console', 'Abrir o console'),
  accounts: label('Accounts', 'Contas'),
  actsOn: label('You act on this account', 'Você atua nesta conta'),
  actOn: label('Act on it', 'Atuar nela'),
  sessions: label('Where you are signed in', 'Onde você está conectado'),
  thisBrowser: label('This browser', 'Este navegador'),
  unknownBrowser: label('A browser', 'Um navegador'),
  lastSeen: label('Last seen', 'Visto por último'),
  from: label('From', 'De'),
  end: label('End', 'Encerrar'),
  signOut: label('Sign out', 'Sair'),

  failed: label('This did not work', 'Não deu certo'),
  failedHow: label('Load the page again, and try once more.', 'Carregue a página de novo e tente outra vez.'),
  tooMany: label('Too many tries. Wait a moment.', 'Tentativas demais. Aguarde um momento.'),
  forged: label(
    'The form was not one of this page. Load the page again, and try once more.',
    'O formulário não era desta página. Carregue a página de novo e tente outra vez.',
  ),
  missing: label('There is no such page', 'Esta página não existe'),
  reference: label('Reference', 'Referência'),
} as const satisfies Record<string, Label>;

/** Name of a text. */
export type SignInWord = keyof typeof SIGN_IN_WORDS;
