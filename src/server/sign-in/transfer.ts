/**
 * Transfer of a browser from one cell to another: a form in the first cell, and a page in the second that begins a
 * session there.
 */
import { TRANSFER_MS } from '../../base/access/sign-in-transfer.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import { acceptTransfer, transferSignIn } from '../../resolvers/people/transfer-sign-in.ts';
import type { Context, Services } from '../../resolvers/services/context.ts';
import { type Exchange, originOf } from '../http/http.ts';

/** Path of the form. */
export const CELL_PATH = `${CONSOLE_PATH}/cell`;
/** Path in the other cell. */
export const TRANSFER_PATH = `${CONSOLE_PATH}/transfer`;

/** A redirect with its cookie. */
export interface Lead {
  readonly location: string;
  readonly cookie?: string | readonly string[];
}

/**
 * @returns the address in the other cell, and the cookie that identifies this browser there. @throws the errors of
 * `transferSignIn`.
 */
export async function leadToCell(context: Context, cell: string): Promise<Lead> {
  const { secret, text } = await transferSignIn(context, cell);
  const { name, traits } = cookieOf(context);
  return {
    location: `/cells/${cell}${TRANSFER_PATH}?of=${text}`,
    cookie: `${name}=${secret}; ${traits}; Max-Age=${TRANSFER_MS / 1_000}`,
  };
}

/**
 * @param begin - returns the cookies of a new session. @returns the console of this cell; its sign-in page if the
 * transfer opens no session.
 */
export async function arriveFromCell(
  services: Services,
  exchange: Exchange,
  begin: (token: string) => readonly string[],
): Promise<Lead> {
  const { own } = services.cells;
  const { request, search } = exchange;
  const { name } = cookieOf(services);
  const secret = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1];
  const text = new URLSearchParams(search).get('of') ?? '';
  try {
    if (secret === undefined) throw new GatewayError('UNAUTHORIZED', 'another browser began this');
    const device = { origin: originOf(exchange), userAgent: request.headers['user-agent'] ?? null };
    const token = await acceptTransfer(services, { text, secret }, device);
    return { location: `${CONSOLE_PATH}?cell=${own}`, cookie: begin(token) };
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'UNAUTHORIZED')) throw error;
    return { location: `${CONSOLE_PATH}/sign-in?cell=${own}` };
  }
}

function cookieOf({ publicUrl }: Pick<Services, 'publicUrl'>): {
  readonly name: string;
  readonly traits: string;
} {
  const isSecure = publicUrl.startsWith('https:');
  return {
    name: isSecure ? '__Host-transfer' : 'transfer',
    traits: `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  };
}
