/** What the screen of settings says; a setting has its name by `set_`, one whose change waits by `setting_`. */
import { label } from '../../base/label.ts';

/** The words of settings. */
export const SETTINGS_WORDS = {
  settings: label('Settings', 'Configurações'),
  settingsWhy: label(
    'What the account decides itself, for what is created from now on.',
    'O que a conta decide, para o que for criado a partir de agora.',
  ),
  protection: label('Protection', 'Proteção'),
  set_whitelistCooling: label('A new destination can be used after', 'Um destino novo é liberado depois de'),
  set_approvalAbove: label(
    'A second person approves withdrawals above, a day',
    'Outra pessoa aprova saques acima de, por dia',
  ),
  approvalAboveHint: label('In BRL. Empty: it stays as it is', 'Em BRL. Vazio: não muda'),
  set_afterLock: label('When the price ends before the payment', 'Quando o preço vence antes do pagamento'),
  afterLock_REPRICE: label('Use the rate of the payment', 'Usar a cotação do pagamento'),
  afterLock_END: label('Offer a new price first', 'Oferecer um preço novo antes'),
  atOnce: label('At once', 'Na hora'),
  hoursLong: label('{hours} h', '{hours} h'),
  secondsLong: label('{seconds} s', '{seconds} s'),
  changeRulesWhat: label(
    'What makes the account safer holds at once. What makes it less safe waits for the time that new destinations wait today.',
    'O que deixa a conta mais segura vale na hora. O que deixa menos segura espera o tempo que um destino novo espera hoje.',
  ),
  endApprovals: label('No approvals…', 'Sem aprovações…'),
  endApprovalsWhat: label(
    'One person alone can send any amount then. It waits for the time that new destinations wait today.',
    'Depois disso, uma só pessoa pode enviar qualquer valor. Espera o tempo que um destino novo espera hoje.',
  ),
  endApprovalsYes: label('No approvals any more', 'Não pedir mais aprovações'),
  pendingChanges: label('Changes that wait', 'Mudanças que esperam'),
  setting: label('Setting', 'Configuração'),
  settingThen: label('Then', 'Novo valor'),
  holdsFrom: label('Holds from', 'Vale a partir de'),
  askedAt: label('Asked for', 'Pedida em'),
  undoChange: label('Take it back', 'Desfazer'),
  setting_APPROVAL_ABOVE: label('Approval above', 'Aprovação acima de'),
  setting_WHITELIST_COOLING_SECONDS: label('Wait of new destinations', 'Espera de destinos novos'),
  setting_CUSTOMER_LIMIT_DAILY: label('Customer, a day', 'Cliente, por dia'),
  setting_CUSTOMER_STEP_UP_30D: label(
    'Closer look at a customer, 30 days',
    'Verificação de um cliente, 30 dias',
  ),
  setting_TEMPLATE_AMOUNT_MAX: label('Largest amount', 'Maior valor'),
  setting_TEMPLATE_AMOUNT_MIN: label('Smallest amount', 'Menor valor'),
  setting_TEMPLATE_LIMIT_DAILY: label('Every customer, a day', 'Cada cliente, por dia'),
  setting_TEMPLATE_STEP_UP_30D: label(
    'Closer look at every customer, 30 days',
    'Verificação de cada cliente, 30 dias',
  ),
  platformSays: label('platform: {amount}', 'plataforma: {amount}'),
  youSaid: label('yours: {amount}', 'seu: {amount}'),
  ownLimitsWhat: label(
    'Your own limits in BRL, beside those of the platform: the tighter one holds. What you leave empty stays as it is; what is looser waits for the time that new destinations wait.',
    'Seus limites em BRL, ao lado dos da plataforma: vale o mais restrito. O que ficar vazio não muda; o que for mais permissivo espera o tempo de um destino novo.',
  ),
  removeLimitsWhat: label(
    'The limits of the platform hold alone then. It waits for the time that new destinations wait.',
    'Depois disso valem só os limites da plataforma. Espera o tempo de um destino novo.',
  ),
  pageLook: label('Pages of payers', 'Páginas dos pagadores'),
  set_displayName: label('Name', 'Nome'),
  set_accent: label('Colour of buttons', 'Cor dos botões'),
  accentHint: label(
    'Such as #0b5fff, dark enough for white letters',
    'Como #0b5fff, escura o bastante para letras brancas',
  ),
  set_supportUrl: label('Help for payers', 'Ajuda para pagadores'),
  supportUrlHint: label('An https address, or mailto:', 'Um endereço https, ou mailto:'),
  set_showsPrice: label('Payers see rate and fees', 'Pagadores veem cotação e taxas'),
  set_logo: label('Logo', 'Logo'),
  noLogo: label(
    'None; it is set by updateBranding of the API',
    'Nenhum; é definido por updateBranding da API',
  ),
  asStandard: label('The standard one', 'A padrão'),
  no: label('No', 'Não'),
  changeLookWhat: label(
    'It holds at once, also for payments under way. What you leave empty stays as it is.',
    'Vale na hora, também para pagamentos em andamento. O que ficar vazio não muda.',
  ),
  resetLook: label('Standard look…', 'Aparência padrão…'),
  resetLookWhat: label(
    'Takes away your name, colour, logo and help; payers do not see rate and fees then.',
    'Remove nome, cor, logo e ajuda; pagadores deixam de ver cotação e taxas.',
  ),
  resetLookYes: label('Take all away', 'Remover tudo'),
  frameHosts: label('Sites that may show your pages', 'Sites que podem mostrar suas páginas'),
  frameHostsWhy: label(
    'In a frame of their own pages. No other site can.',
    'Dentro das próprias páginas. Nenhum outro site pode.',
  ),
  allowedOrigins: label('Sites that may use your API keys', 'Sites que podem usar suas chaves da API'),
  allowedOriginsWhy: label(
    'In a browser (CORS). A key in a page can be read by whoever sees the page: give it few rights.',
    'No navegador (CORS). Quem vê a página pode ler a chave: dê poucos direitos a ela.',
  ),
  origin: label('Site', 'Site'),
  originHint: label('Such as https://shop.example.com', 'Como https://loja.example.com'),
  noOrigins: label('None', 'Nenhum'),
  addOrigin: label('Add a site', 'Adicionar um site'),
  takeOriginWhat: label(
    '{origin} can no longer do this, at once.',
    '{origin} deixa de poder fazer isso na hora.',
  ),
} as const;
