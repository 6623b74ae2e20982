/** Texts of the sign-in pages, in both languages. */
import { type Label, label } from '../../base/text/label.ts';

/** The texts. */
export const SIGN_IN_WORDS = {
  testMode: label('Test mode. No real money moves.', 'Modo de teste. Nenhum dinheiro real é movimentado.'),
  signIn: label('Sign in', 'Entrar'),
  noPasswords: label(
    'Use your fingerprint, face or PIN. No password needed.',
    'Use sua digital, rosto ou PIN. Sem senha.',
  ),
  withPasskey: label('Sign in with a passkey', 'Entrar com passkey'),
  or: label('or', 'ou'),
  withCompany: label('Sign in with SSO', 'Entrar com o login da empresa'),
  notInvited: label('You don’t have access', 'Você não tem acesso'),
  notInvitedHow: label(
    'Your company sign-in worked, but no account here has invited your verified e-mail address. Ask an account owner for an invitation.',
    'O login da empresa funcionou, mas nenhuma conta convidou seu e-mail verificado. Peça um convite a um proprietário.',
  ),
  passkeyFailed: label(
    'That didn’t work. Try again, or use another passkey.',
    'Não deu certo. Tente de novo ou use outra passkey.',
  ),
  needsScript: label(
    'Passkeys need JavaScript and an up-to-date browser. A sign-in link works without them.',
    'Passkeys precisam de JavaScript e de um navegador atualizado. Um link de acesso funciona sem isso.',
  ),
  byLink: label(
    'Open the sign-in link you received. It works once.',
    'Abra o link de acesso que você recebeu. Ele funciona uma vez.',
  ),
  noWay: label('I don’t have a passkey on this device', 'Não tenho passkey neste aparelho'),
  noWayOther: label(
    'Choose “another device” when your browser asks, and scan its code with your phone.',
    'Escolha “outro dispositivo” quando o navegador perguntar e leia o código com o seu celular.',
  ),
  noWayHow: label(
    'New here? Ask an account owner to invite you. Lost your passkeys? The gateway operator can create a new link.',
    'Novo por aqui? Peça um convite a um proprietário. Perdeu suas passkeys? O operador do gateway pode gerar um novo link.',
  ),
  stay: label('You stay signed in for 12 hours.', 'Você continua conectado por 12 horas.'),

  welcome: label('Sign in as {name}', 'Entrar como {name}'),
  invited: label(
    '{name}, you’ve been invited to {account} as {email}.',
    '{name}, você recebeu um convite para {account} ({email}).',
  ),
  linkOnce: label(
    'This link works once. Don’t share it: anyone who has it can sign in as you.',
    'Este link funciona uma vez. Não compartilhe: quem tiver o link entra como você.',
  ),
  accept: label('Accept invitation', 'Aceitar convite'),
  comeIn: label('Sign in', 'Entrar'),
  signInFirst: label(
    'You have a role in another account. Sign in as {email} first, then open this link again.',
    'Você já tem uma função em outra conta. Entre como {email} primeiro e abra este link de novo.',
  ),
  linkGone: label('This link has expired', 'Este link expirou'),
  linkGoneHow: label(
    'It was already used, expired or replaced. Ask for a new one.',
    'Ele já foi usado, expirou ou foi substituído. Peça um novo.',
  ),

  confirmTitle: label('Confirm it’s you', 'Confirme que é você'),
  confirmWhy: label(
    'This action moves money or gives someone access. Confirm with your passkey (valid for 5 minutes).',
    'Esta ação movimenta dinheiro ou dá acesso a alguém. Confirme com sua passkey (vale por 5 minutos).',
  ),
  confirmNow: label('Confirm with passkey', 'Confirmar com passkey'),
  goBack: label('Go back', 'Voltar'),
  confirmNone: label(
    'You don’t have a passkey yet. Add one to continue.',
    'Você ainda não tem passkey. Adicione uma para continuar.',
  ),
  passkeys: label('Passkeys', 'Passkeys'),
  noPasskeys: label(
    'No passkeys yet. Add one to sign in with fingerprint, face or PIN.',
    'Nenhuma passkey ainda. Adicione uma para entrar com digital, rosto ou PIN.',
  ),
  addPasskey: label('Add a passkey', 'Adicionar passkey'),
  passkeyName: label('Name', 'Nome'),
  remove: label('Remove', 'Remover'),
  added: label('Added', 'Adicionada'),
  lastUsed: label('Last used', 'Último uso'),
  security: label('Sign-in and security', 'Acesso e segurança'),
  signedInAs: label('Signed in as {name} ({email})', 'Você entrou como {name} ({email})'),
  toConsole: label('Open the console', 'Abrir o console'),
  accounts: label('Accounts', 'Contas'),
  actsOn: label('Current account', 'Conta atual'),
  actOn: label('Switch to this account', 'Usar esta conta'),
  sessions: label('Active sessions', 'Sessões ativas'),
  thisBrowser: label('This device', 'Este dispositivo'),
  unknownBrowser: label('Unknown browser', 'Navegador desconhecido'),
  lastSeen: label('Last active', 'Último acesso'),
  from: label('IP address', 'Endereço IP'),
  end: label('End session', 'Encerrar sessão'),
  signOut: label('Sign out', 'Sair'),

  failed: label('Something went wrong', 'Algo deu errado'),
  failedHow: label('Reload the page and try again.', 'Recarregue a página e tente de novo.'),
  tooMany: label(
    'Too many attempts. Try again in a moment.',
    'Muitas tentativas. Tente de novo em instantes.',
  ),
  forged: label(
    'This form has expired. Reload the page and try again.',
    'Este formulário expirou. Recarregue a página e tente de novo.',
  ),
  missing: label('Page not found', 'Página não encontrada'),
  missingHow: label('Check the address, or sign in.', 'Confira o endereço ou entre na sua conta.'),
  reference: label('Reference', 'Referência'),
} as const satisfies Record<string, Label>;

/** Name of a text. */
export type SignInWord = keyof typeof SIGN_IN_WORDS;
