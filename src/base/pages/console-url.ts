/**
 * Address of the console's sign-in. Passkeys belong to a host name and never to an IP address, so a loopback address becomes
 * `localhost`.
 */

/** Path below which the console is. */
export const CONSOLE_PATH = '/console';

/** @param publicUrl - URL of the gateway. @returns its origin for people's browsers. */
export function consoleOrigin(publicUrl: string): string {
  const url = new URL(publicUrl);
  if (isLoopback(url.hostname)) url.hostname = 'localhost';
  return url.origin;
}

/** @returns the address of a link that signs a person in. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${consoleOrigin(publicUrl)}${CONSOLE_PATH}/link/${token}`;
}

/** The base of paths. */
const NOWHERE = 'http://console.invalid';

/**
 * @param path - target from an address or a form; a target on another site is refused.
 * @returns a path of the console with its query: the given one, or the first screen.
 */
export function consolePathOf(path: string | null): string {
  if (path === null || !URL.canParse(path, NOWHERE)) return CONSOLE_PATH;
  const { origin, pathname, search } = new URL(path, NOWHERE);
  const isOurs = pathname === CONSOLE_PATH || pathname.startsWith(`${CONSOLE_PATH}/`);
  return origin === NOWHERE && isOurs ? pathname + search : CONSOLE_PATH;
}

/** @returns whether a host of a URL is a name or an address of this machine. */
export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return hostname === '[::1]' || hostname === '0.0.0.0' || /^127(\.\d+){3}$/.test(hostname);
}
