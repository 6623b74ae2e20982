/** OFX 1.0.2, the bank statement format of Brazilian accounting programs. */
import type { Instant } from '../base/time/instant.ts';
import { wallTime, type Zone } from '../base/time/zone.ts';

/** Account, period and zone of the statement. */
export interface OfxAccount {
  readonly accountId: string;
  /** Name of the sub-account. */
  readonly subAccount: string;
  readonly from: Instant;
  readonly to: Instant;
  /** Time zone of all times. */
  readonly zone: Zone;
}

/** One movement. */
export interface OfxMovement {
  readonly id: string;
  readonly at: Instant;
  /** Decimal text; negative for a debit. */
  readonly amount: string;
  readonly name: string;
  readonly memo: string | null;
}

const HEADER = [
  'OFXHEADER:100',
  'DATA:OFXSGML',
  'VERSION:102',
  'SECURITY:NONE',
  'ENCODING:UTF-8',
  'CHARSET:NONE',
  'COMPRESSION:NONE',
  'OLDFILEUID:NONE',
  'NEWFILEUID:NONE',
  '',
  '',
].join('\r\n');
const OK = '<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>';
/** Maximum lengths of `NAME` and `MEMO` in the standard. */
const NAME_MAX = 32;
const MEMO_MAX = 255;

/** @returns the text before the movements. */
export function ofxHead({ accountId, subAccount, from, to, zone }: OfxAccount): string {
  return (
    `${HEADER}<OFX>\r\n<SIGNONMSGSRSV1><SONRS>${OK}<DTSERVER>${timeOf(to, zone)}</DTSERVER><LANGUAGE>POR</LANGUAGE></SONRS></SIGNONMSGSRSV1>\r\n` +
    `<BANKMSGSRSV1><STMTTRNRS><TRNUID>1</TRNUID>${OK}<STMTRS><CURDEF>BRL</CURDEF>\r\n` +
    `<BANKACCTFROM><BANKID>CROSSRAMP</BANKID><ACCTID>${escaped(`${accountId}-${subAccount}`)}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>\r\n` +
    `<BANKTRANLIST><DTSTART>${timeOf(from, zone)}</DTSTART><DTEND>${timeOf(to, zone)}</DTEND>\r\n`
  );
}

/** @returns a movement. */
export function ofxMovement({ id, at, amount, name, memo }: OfxMovement, zone: Zone): string {
  const type = amount.startsWith('-') ? 'DEBIT' : 'CREDIT';
  const note = memo === null ? '' : `<MEMO>${escaped(cut(memo, MEMO_MAX))}</MEMO>`;
  return (
    `<STMTTRN><TRNTYPE>${type}</TRNTYPE><DTPOSTED>${timeOf(at, zone)}</DTPOSTED><TRNAMT>${amount}</TRNAMT>` +
    `<FITID>${escaped(id)}</FITID><NAME>${escaped(cut(name, NAME_MAX))}</NAME>${note}</STMTTRN>\r\n`
  );
}

/** @returns the text after the movements, with the closing balance. */
export function ofxTail(balance: string, at: Instant, zone: Zone): string {
  return (
    `</BANKTRANLIST>\r\n<LEDGERBAL><BALAMT>${balance}</BALAMT><DTASOF>${timeOf(at, zone)}</DTASOF></LEDGERBAL>\r\n` +
    '</STMTRS></STMTTRNRS></BANKMSGSRSV1>\r\n</OFX>\r\n'
  );
}

/**
 * Times are written in the statement's zone, because Brazilian programs read the first eight digits as the day and
 * ignore the zone.
 */
function timeOf(at: Instant, zone: Zone): string {
  const { day, time, offset } = wallTime(zone, at);
  const name = zone === 'UTC' ? 'GMT' : offset === -2 ? 'BRST' : 'BRT';
  return `${`${day}${time}`.replace(/[-:]/g, '')}[${offset}:${name}]`;
}

function cut(text: string, length: number): string {
  return [...text.replace(/\s+/g, ' ')].slice(0, length).join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
