/** Networks in CIDR form: `203.0.113.0/24`, `2001:db8::/32`, or a single address. */
import { BlockList, isIP } from 'node:net';

/** @returns whether a text is a network of IPv4 or IPv6, or a single address. */
export function isCidr(text: string): boolean {
  const [network = '', bits, ...rest] = text.split('/');
  const family = isIP(network);
  const isSized = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32));
  return family !== 0 && isSized && rest.length === 0;
}

/** @returns whether a network is within one of the others; an empty list of others allows all addresses. */
export function isWithinNetworks(cidr: string, others: readonly string[]): boolean {
  const inner = partsOf(cidr);
  const holds = (other: string) => {
    const outer = partsOf(other);
    if (outer.family !== inner.family || outer.bits > inner.bits) return false;
    const list = new BlockList();
    list.addSubnet(outer.network, outer.bits, outer.family);
    return list.check(inner.network, inner.family);
  };
  return others.length === 0 || others.some(holds);
}

function partsOf(cidr: string) {
  const [network = '', bits] = cidr.split('/');
  const isSix = isIP(network) === 6;
  return {
    network,
    bits: Number(bits ?? (isSix ? 128 : 32)),
    family: isSix ? ('ipv6' as const) : ('ipv4' as const),
  };
}
