/** Names of ledger accounts for people: on the screen of the books and in their files. */
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
