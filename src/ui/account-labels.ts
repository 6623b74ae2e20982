/** Names of ledger accounts and their classes for people: on the screen of the books and in their files. */
import { type Label, label } from '../base/text/label.ts';

/** The names; `holders` are the sub-accounts of all account holders together. */
export const ACCOUNT_LABELS = {
  holders: label('Account holders', 'Titulares das contas'),
  'A.pix': label('BRL at the settlement bank', 'BRL no banco liquidante'),
  'A.custody': label('Crypto in custody', 'Cripto em custódia'),
  'A.inbound': label('Unconfirmed deposits', 'Depósitos não confirmados'),
  'A.recv': label('Receivables', 'A receber'),
  'L.payer': label('Customer payments pending conversion', 'Pagamentos a converter'),
  'L.payout': label('Payouts in progress', 'Pagamentos em andamento'),
  'L.suspense': label('Suspense account', 'Conta transitória'),
  'C.clearing': label('Intercompany clearing', 'Compensação entre contas'),
  'E.fx': label('Open FX position', 'Posição cambial em aberto'),
  'E.capital': label('Capital', 'Capital'),
  'E.opening': label('Opening balances (imported)', 'Saldos iniciais (importados)'),
  'R.fee': label('Fees', 'Taxas'),
  'R.netfee': label('Network fees charged', 'Taxas de rede cobradas'),
  'R.dust': label('Rounding differences', 'Diferenças de arredondamento'),
  'X.gas': label('Network fees paid', 'Taxas de rede pagas'),
  'X.loss': label('Losses', 'Perdas'),
} as const satisfies Readonly<Record<string, Label>>;

/** Classes in the order of a balance sheet. */
export const CLASS_LABELS = {
  HOUSE_ASSET: label('Assets', 'Ativo'),
  HOLDER: label('Liabilities: account holders', 'Passivo: titulares das contas'),
  HOUSE_LIABILITY: label('Liabilities: other', 'Passivo: outras obrigações'),
  HOUSE_EQUITY: label('Equity', 'Patrimônio líquido'),
  HOUSE_REVENUE: label('Revenue', 'Receitas'),
  HOUSE_EXPENSE: label('Expenses', 'Despesas'),
} as const satisfies Readonly<Record<string, Label>>;

/** The classes in that order. */
export const CLASS_ORDER = Object.keys(CLASS_LABELS) as readonly (keyof typeof CLASS_LABELS)[];
