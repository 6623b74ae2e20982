/** Name of the browser in a `User-Agent`. */

/** In search order: most browsers also name others. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const;
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' };

/** @returns browser and system; null where the text names none that is known. */
export function browserName(userAgent: string | null | undefined): string | null {
  const found = [BROWSERS, SYSTEMS].map((names) => names.find((each) => userAgent?.includes(each)));
  const known = found.flatMap((each) => (each ? [NAMES[each] ?? each] : []));
  return known.length > 0 ? known.join(' · ') : null;
}
