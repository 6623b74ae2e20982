/**
 * Decides where webhooks may be sent (C-63): only to public addresses, so that no webhook reaches the gateway's own
 * network (SSRF). A host name is checked when the connection is made: all addresses that it resolves to must be
 * allowed, and the connection uses exactly these addresses. An IP address in a URL is checked before the request,
 * because Node does not resolve it.
 */
import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Exceptions from the rule. */
export interface GuardOptions {
  /** Allows loopback, including `http`: 127.0.0.0/8, ::1, and names under `localhost`. For the sandbox only. */
  readonly allowsLoopback: boolean;
}

/** Resolves a name to all of its addresses, of both families. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Error of a refused connection. The message contains no address, because the owner of the URL reads it. */
export class GuardError extends Error {
  override readonly name = 'GuardError';
  readonly code: 'URL_REFUSED' | 'ADDRESS_REFUSED' | 'NO_ADDRESS';

  /**
   * @param code - reason: the URL is refused, an address is not allowed, or the name has no address.
   * @param message - for the owner of the URL.
   */
  constructor(code: GuardError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const URL_LENGTH_MAX = 2048;
/** Maximum number of addresses to which a connection is attempted. All addresses of a name are checked. */
const ADDRESSES_MAX = 4;
const DNS_TIMEOUT_MS = 2000;
const NOT_PUBLIC = 'the address is not public';

/** IANA IPv4 Special-Purpose Address Registry, multicast and reserved space, and one address of Azure. */
const DENIED_4 = listOf('ipv4', [
  ['0.0.0.0', 8], // this network; connecting to it reaches loopback
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers; metadata of Alibaba Cloud
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // the host of an Azure machine: public by number, private by route
  ['169.254.0.0', 16], // link-local; metadata of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; metadata of Oracle Cloud
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]);
/**
 * The range of global unicast. It does not contain ::, ::1, addresses that embed an IPv4 address (mapped, compatible, NAT64),
 * discard, segment routing, unique local, link-local, site-local and multicast.
 */
const GLOBAL_6 = listOf('ipv6', [['2000::', 3]]);
/** IANA IPv6 Special-Purpose Address Registry within global unicast. */
const DENIED_6 = listOf('ipv6', [
  ['2001::', 23], // protocol assignments, among them Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: embeds an IPv4 address
  ['3fff::', 20], // documentation
]);
const LOOPBACK_4 = listOf('ipv4', [['127.0.0.0', 8]]);
const LOOPBACK_6 = listOf('ipv6', [['::1', 128]]);

/** @returns whether the text is a globally reachable unicast address; false when it is no address. */
export function isPublicAddress(address: string): boolean {
  const family = familyOf(address);
  if (family === 4) return !DENIED_4.check(address, 'ipv4');
  return family === 6 && GLOBAL_6.check(address, 'ipv6') && !DENIED_6.check(address, 'ipv6');
}

/** @returns whether connections to the address are allowed. */
export function isAllowedAddress(address: string, { allowsLoopback }: GuardOptions): boolean {
  return isPublicAddress(address) || (allowsLoopback && isLoopback(address));
}

/**
 * Checks a URL when it is saved, and again before each use. The check does not resolve names, so a name in an accepted
 * URL may still resolve to a forbidden address.
 * @param text - as entered, in any spelling that the URL standard accepts, with any port.
 * @returns the reason of the refusal, as a clause for the URL's owner; undefined if the URL is accepted.
 */
export function checkUrl(text: string, options: GuardOptions): string | undefined {
  if (text.length > URL_LENGTH_MAX) return `the URL is longer than ${URL_LENGTH_MAX} characters`;
  // The URL standard removes or repairs these characters, so the request would go to another URL than the saved one.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'the URL contains a blank, a backslash or a control character';
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (!url) return 'an absolute URL that begins with https:// is expected';
  if (url.username !== '' || url.password !== '') return 'the URL contains credentials';
  const host = hostOf(url.hostname);
  if (host === undefined) return 'the URL names no host';
  if (!isAllowedHost(host, options)) return NOT_PUBLIC;
  if (url.protocol === 'http:' && !isLoopback(host) && !isLocalName(host)) return 'https is required';
  return undefined;
}

/**
 * Checks a host that may be an IP address, because Node connects to addresses without calling `lookup`. Names pass;
 * guardedLookup checks them.
 * @param hostname - as in a URL, with or without brackets, in any spelling.
 * @throws {GuardError} for a forbidden address, and for text that is no host.
 */
export function assertConnectable(hostname: string, options: GuardOptions): void {
  const isPlain = isIP(hostname) !== 0 || !/[\s\\/@#?]/.test(hostname);
  const spelled = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  const host = isPlain ? hostOf(URL.parse(`https://${spelled}/`)?.hostname ?? '') : undefined;
  if (host === undefined) throw new GuardError('URL_REFUSED', 'the URL names no host');
  if (!isAllowedHost(host, options)) throw new GuardError('ADDRESS_REFUSED', NOT_PUBLIC);
}

/**
 * @param options - `resolve` replaces DNS in tests.
 * @returns a `lookup` for net.connect and tls.connect. The lookup fails with GuardError if any address of the name is
 *   forbidden, since a name with public and private addresses may be a DNS rebinding attack. The connection uses the
 *   returned addresses, so a second DNS answer cannot replace them.
 */
export function guardedLookup(
  options: GuardOptions & { readonly resolve?: Resolve | undefined },
): LookupFunction {
  const resolve = options.resolve ?? dnsResolve();
  return (hostname, { all }, callback) => {
    checkedAddresses(hostname, resolve, options).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, found);
        else callback(null, found[0]?.address as string, found[0]?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** @returns at least one address. */
async function checkedAddresses(
  hostname: string,
  resolve: Resolve,
  options: GuardOptions,
): Promise<string[]> {
  assertConnectable(hostname, options);
  // RFC 6761, 6.3: these names are never resolved by DNS.
  const addresses = isLocalName(hostname) ? ['127.0.0.1', '::1'] : [...(await resolve(hostname))];
  if (addresses.length === 0) throw new GuardError('NO_ADDRESS', 'the name has no address');
  if (!addresses.every((address) => isAllowedAddress(address, options))) {
    throw new GuardError('ADDRESS_REFUSED', NOT_PUBLIC);
  }
  return addresses.slice(0, ADDRESSES_MAX);
}

/**
 * Queries DNS directly. getaddrinfo would block one of the process's few threads while a name server is silent, so one
 * bad name would delay all others.
 * @param servers - name servers as `address:port`; default: those of the system.
 * @returns a Resolve with the IPv4 and IPv6 addresses of a name; it fails only if both queries fail.
 */
export function dnsResolve(servers?: readonly string[]): Resolve {
  return async (hostname) => {
    const dns = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 });
    if (servers) dns.setServers(servers);
    const answers = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failure) throw failure.reason;
    return addresses;
  };
}

function isAllowedHost(host: string, options: GuardOptions): boolean {
  if (isIP(host) !== 0) return isAllowedAddress(host, options);
  return options.allowsLoopback || !isLocalName(host);
}

/** Only 127.0.0.0/8 and ::1 are loopback. An IPv6 address that embeds a loopback address is not. */
function isLoopback(address: string): boolean {
  const family = familyOf(address);
  if (family === 4) return LOOPBACK_4.check(address, 'ipv4');
  return family === 6 && LOOPBACK_6.check(address, 'ipv6');
}

/** An address with a zone (`fe80::1%eth0`) belongs to an interface of this machine and is never public. */
function familyOf(address: string): number {
  return address.includes('%') ? 0 : isIP(address);
}

function isLocalName(host: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(host);
}

/** @returns the host of a parsed URL, without brackets; undefined when a part of the name is empty. */
function hostOf(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.replace(/\.$/, '').split('.').includes('') ? undefined : hostname;
}

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}
