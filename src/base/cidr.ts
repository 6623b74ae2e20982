/** Networks in CIDR form: `203.0.113.0/24`, `2001:db8::/32`, or a single address. */
import { isIP } from 'node:net';

/** @returns whether a text is a network of IPv4 or IPv6, or a single address. */
export function isCidr(text: string): boolean {
  const [network = '', bits, ...rest] = text.split('/');
  const family = isIP(network);
  const isSized = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
  return family !== 0 && isSized && rest.length === 0;
}
