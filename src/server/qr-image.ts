/** The QR image of a PIX code or of a deposit, by its session's token: `/pay/<token>/qr.svg`. */
import encodeQR from 'qr';
import { notFound } from '../base/errors.ts';
import { paymentUri } from '../base/payment-uri.ts';
import { depositPayment, findSession, PAY_PATH } from '../resolvers/pay-links.ts';
import type { Database } from '../store/database.ts';
import type { ProcessRow } from '../templates/facts.ts';
import { type Exchange, READ_METHODS, send } from './http.ts';
import { checkMethod } from './rest.ts';

const TOKEN = /^[\w-]{24}$/;

/** Answers with the image. @throws {GatewayError} `NOT_FOUND` when the token opens nothing that can be paid. */
export async function serveQr(exchange: Exchange, database: Database): Promise<void> {
  exchange.route = `${PAY_PATH}/{session}/qr.svg`;
  const [token = '', file, ...rest] = exchange.path.slice(PAY_PATH.length + 1).split('/');
  if (file !== 'qr.svg' || rest.length > 0 || !TOKEN.test(token)) throw notFound();
  checkMethod(exchange.request.method, READ_METHODS);
  const row = await findSession(database, token);
  const content = row && contentOf(row);
  if (!content) throw notFound();
  // A quiet zone of four modules (ISO/IEC 18004).
  const image = encodeQR(content, 'svg', { ecc: 'medium', border: 4 });
  send(exchange, 200, 'image/svg+xml', image, {
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
  });
}

function contentOf(row: ProcessRow): string | undefined {
  if (row.process?.brCode) return row.process.brCode;
  const deposit = depositPayment(row);
  return deposit && (paymentUri(deposit) ?? deposit.address);
}
