/** Origins of web pages (RFC 6454), in the one spelling that browsers send. */

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^[\w.:[\]-]+$/;
/** Characters of an origin. */
export const ORIGIN_LENGTH_MAX = 300;

/** @returns whether a text is an origin of https, or of http on this machine, spelt as browsers send it. */
export function isOrigin(text: string): boolean {
  if (text.length > ORIGIN_LENGTH_MAX || !URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return (
    origin === text &&
    HOST.test(hostname) &&
    (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname)))
  );
}
