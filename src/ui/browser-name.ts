/** Name of the browser in a `User-Agent`. */

/** Browsers in search order: most browsers also name others. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const;
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };

/** @returns browser and system; null if the text names no known one. */
export function browserName(userAgent: string | null | undefined): string | null {
  const found = [BROWSERS, SYSTEMS].map((names) => names.find((each) => userAgent?.includes(each)));
  const known = found.flatMap((each) => (each ? [NAMES[each] ?? each] : []));
  return known.length > 0 ? known.join(' · ') : null;
}
