/**
 * GraphQL as somebody would write it by hand who knows the documents beforehand: each is a statement and a piece of text, equal to
 * the gateway's answer to the byte. Nothing is parsed, validated or executed.
 */
import { REGISTRY } from '../../src/templates/index.ts';
import { GATEWAY_DOCUMENTS } from '../documents.ts';
import {
  assets,
  decimal,
  EXPLORERS,
  names,
  type Query,
  type Row,
  TRANSACTION,
  trim,
} from './hand-written-text.ts';

type Answer = (query: Query, account: string, variables: Record<string, string>) => Promise<string>;

const SINGLE = `select ${TRANSACTION} from transaction t where t.account_id = $1 and t.end2end = $2`;
const LIST = `select w.hi - w.lo + 1 as total, t.* from list_window($1, 'onramps', null, null) w
  left join lateral (select ${TRANSACTION} from transaction t where t.account_id = $1 and t.family = 'onramps'
    and t.list_seq <= w.hi order by t.list_seq desc limit 20) t on true`;
const STATEMENT = `select s.total, (s.line).id as line_id, (s.line).posted_at, (s.line).delta, (s.line).balance_before, (s.line).balance_after,
    a.id as account_id, a.code, a.name, a.currency, a.pretty_name, a.scale, ${TRANSACTION}
  from statement_page($1, '{USDT_TRX}', 1::smallint, null, null, 20, 0, null) s
  left join ledger_account a on a.account_id = $1 and a.id = (s.line).ledger_account_id
  left join lateral (select ${TRANSACTION} from transaction t where t.account_id = $1 and t.id = (s.line).transaction_id limit 1) t on true
  order by (s.line).id desc`;

/** The documents that it knows, as the benchmark sends them. */
export const graphqlAnswers: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  [sent(GATEWAY_DOCUMENTS.single), single],
  [sent(GATEWAY_DOCUMENTS.list({ counted: true })), list],
  [sent(GATEWAY_DOCUMENTS.statement({ counted: true })), statement],
]);

const labels = new Map(
  REGISTRY.templates.flatMap(({ name, steps }) =>
    steps.map((step) => [
      `${name}/${step.component}/${step.state}`,
      `"status":${JSON.stringify(step.status)},"substatus":${JSON.stringify(step.substatus)},"message":${JSON.stringify(step.message)}`,
    ]),
  ),
);

function sent(document: string): string {
  return document.replace(/\s+/g, ' ');
}

async function single(query: Query, account: string, { end2end }: Record<string, string>): Promise<string> {
  const [row] = await query('graphql_single', SINGLE, [account, end2end]);
  return `{"data":{"transaction":${row ? transaction(row, true) : 'null'}}}`;
}

async function list(query: Query, account: string): Promise<string> {
  const rows = await query('graphql_list', LIST, [account]);
  const nodes = rows.map((row) => `{"node":${transaction(row, true)}}`).join(',');
  return `{"data":{"transactions":{"totalCount":${rows[0]?.total},"edges":[${nodes}]}}}`;
}

async function statement(query: Query, account: string): Promise<string> {
  const rows = await query('graphql_statement', STATEMENT, [account]);
  const nodes = rows.map((row) => `{"node":${line(row)}}`).join(',');
  return `{"data":{"statement":{"totalCount":${rows[0]?.total},"edges":[${nodes}]}}}`;
}

function line(row: Row): string {
  const scale = Number(row.scale);
  const delta = row.delta as string;
  const isDebit = delta.charCodeAt(0) === 45;
  const amount = decimal(isDebit ? delta.slice(1) : delta, scale);
  return (
    `{"number":"${row.line_id}","date":"${millis(row.posted_at as string)}","debit":"${isDebit ? amount : '0'}","credit":"${isDebit ? '0' : amount}",` +
    `"previousBalance":"${decimal(row.balance_before as string, scale)}","balance":"${decimal(row.balance_after as string, scale)}",` +
    `"ledgerAccount":{"number":"${row.account_id}","name":${JSON.stringify(row.name)},"code":"${row.code}",` +
    `"currency":{"code":"${row.currency}"},"currencyPrettyName":${JSON.stringify(row.pretty_name)}},` +
    `"transaction":${row.end2end === null ? 'null' : transaction(row, false)}}`
  );
}

function transaction(row: Row, withStep: boolean): string {
  const step = withStep ? `"component":"${row.component}","state":"${row.state}",` : '';
  const error =
    row.error_en || row.error_pt
      ? `{"en":${JSON.stringify(row.error_en)},"pt":${JSON.stringify(row.error_pt)}}`
      : 'null';
  return (
    `{"end2end":${JSON.stringify(row.end2end)},"template":"${row.template}","createdAt":"${millis(row.created_at as string)}",` +
    `"updatedAt":"${millis(row.updated_at as string)}",${step}${labels.get(`${row.template}/${row.component}/${row.state}`)},` +
    `"errorMessage":${error},${attributes(row)}}`
  );
}

function attributes(row: Row): string {
  const target = row.target_currency as string;
  const source = row.source_currency as string;
  switch (row.template) {
    case 'crossramp_checkout':
      return `${pixIn(row)},"fixedLink":${text(row.fixed_link)}`;
    case 'onramp':
      return pixIn(row);
    case 'onramp_instant':
      return `${pixIn(row)},"wallet":${text(row.wallet)},"txHash":${text(row.tx_hash)},"networkFee":${text(row.network_fee)}`;
    case 'offramp':
      return (
        `${quote(row)},"currencyExit":${names.get(target)},"currencyEntryPaid":${names.get(source)},` +
        `"currencyEntryPaidCode":${assets.get(source)},"amountPaid":${amount(row.source_amount)},"amountSent":${amount(row.target_amount)},${pixOut(row)}`
      );
    case 'offramp_instant':
      return (
        `${quote(row)},"currencyPayment":${assets.get(source)},"currencyReceived":${names.get(target)},` +
        `"amountPayment":${amount(row.source_amount)},"amountReceived":${amount(row.target_amount)},` +
        `"amountPaymentDisplay":"${trim(row.source_amount)} ${names.get(source)?.slice(1)},"depositAddress":${text(row.deposit_address)},` +
        `"depositCurrency":"${source}","exactDepositAmount":${text(row.exact_deposit_amount)},"txHash":${text(row.tx_hash)},${pixOut(row)}`
      );
    default:
      return (
        `"amountDiscounted":${amount(row.target_amount)},"amountReceived":${amount(row.source_amount)},"currencyReceived":${names.get(target)},` +
        `"currencyReceiveCode":${assets.get(target)},"address":${text(row.wallet)},"txHash":${text(row.tx_hash)},` +
        `"explorerUrl":${row.tx_hash ? `"${EXPLORERS[target]}${row.tx_hash}"` : 'null'},"networkFee":${text(row.network_fee)},` +
        `"groupId":${text(row.group_id)},"notes":${text(row.notes)}`
      );
  }
}

function pixIn(row: Row): string {
  const target = row.target_currency as string;
  return (
    `${quote(row)},"currencyEntry":"BRL","currencyExitReceived":${names.get(target)},"currencyExitReceivedCode":${assets.get(target)},` +
    `"amountPayment":${amount(row.source_amount)},"amountReceived":${amount(row.target_amount)},"pixE2e":${text(row.pix_e2e)},` +
    `"clientName":${text(row.client_name)},"clientTaxId":${text(row.client_tax_id)},${session(row)}`
  );
}

function pixOut(row: Row): string {
  return (
    `"pixKey":${text(row.pix_key)},"pixKeyType":${row.pix_key_type ? `"${row.pix_key_type.toUpperCase()}"` : 'null'},` +
    `"pixE2e":${text(row.pix_e2e)},"clientName":${text(row.client_name)},"clientTaxId":${text(row.client_tax_id)},${session(row)}`
  );
}

function quote(row: Row): string {
  return `"quote":${amount(row.quote)},"refQuote":${amount(row.ref_quote)},"fees":${amount(row.fees)}`;
}

function session(row: Row): string {
  const expiration = row.expires_at == null ? 'null' : `"${millis(row.expires_at)}"`;
  return `"expiration":${expiration},"returnUrl":${text(row.return_url)},"externalCode":${text(row.external_code)},"webhook":${text(row.webhook)}`;
}

function text(value: string | null | undefined): string {
  return value ? JSON.stringify(value) : 'null';
}

function amount(value: string | null | undefined): string {
  return value == null ? 'null' : `"${trim(value)}"`;
}

function millis(value: string): string {
  const fraction = value.charCodeAt(19) === 46 ? value.slice(20, value.indexOf('+')) : '';
  return `${value.slice(0, 10)}T${value.slice(11, 19)}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}
