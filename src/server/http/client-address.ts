/** Addresses of clients: networks in CIDR form, the address behind trusted proxies, and the key of a client in limits. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** A test whether an address is in one of several networks. */
export type AddressCheck = (address: string) => boolean;

/**
 * @param cidrs - networks such as `203.0.113.0/24`, or single addresses. @returns a test whether an address is in one
 * of the networks.
 */
export function networksOf(cidrs: readonly string[]): AddressCheck {
  if (cidrs.length === 0) return () => false;
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', bits] = cidr.split('/');
    const family = familyOf(network);
    list.addSubnet(network, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/**
 * @param isTrusted - whether an address is that of a proxy whose `X-Forwarded-For` is trusted.
 * @returns the address of the client: the right-most in `X-Forwarded-For` that is not a trusted proxy. Everything to
 * the left of it may be forged by the client. The address is empty if the connection is closed.
 */
export function clientAddress({ socket, headers }: IncomingMessage, isTrusted: AddressCheck): string {
  let address = plainAddress(socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  const hops = forwarded === undefined ? [] : String(forwarded).split(',');
  while (isTrusted(address)) {
    const hop = plainAddress(withoutPort(hops.pop() ?? ''));
    // This proxy sent no address, so its own address is the last known one.
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/**
 * @returns the key of a client in limits: an IPv4 address, or the /64 network of an IPv6 address, because providers
 *   give each customer a whole /64.
 */
export function limitedAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  const zeros = Array.from({ length: Math.max(0, missing) }, () => '0');
  const whole = tail === undefined ? groups : [...groups, ...zeros, ...tail.split(':')];
  const prefix = whole.slice(0, 4).map((group) => Number.parseInt(group || '0', 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

/** An IPv4 address in an IPv6 socket is an IPv4 address. */
export function plainAddress(address: string): string {
  const text = address.trim();
  return text.toLowerCase().startsWith('::ffff:') && isIP(text.slice(7)) === 4 ? text.slice(7) : text;
}

/** Some proxies add the port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
