/** Where people come in. Passkeys belong to a name and never to an IP address, so a loopback address is called `localhost`. */

/** Path below which the console is. */
export const CONSOLE_PATH = '/console';

/** @param publicUrl - of the gateway. @returns its origin as browsers of people know it. */
export function consoleOrigin(publicUrl: string): string {
  const url = new URL(publicUrl);
  if (isLoopback(url.hostname)) url.hostname = 'localhost';
  return url.origin;
}

/** @returns the address of a link that lets a person in. */
export function linkUrl(publicUrl: string, token: string): string {
  return `${consoleOrigin(publicUrl)}${CONSOLE_PATH}/link/${token}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === '[::1]' || hostname === '0.0.0.0' || /^127(\.\d+){3}$/.test(hostname);
}
