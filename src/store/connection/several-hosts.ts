/**
 * URLs of a database on several hosts, as libpq writes them:
 * `postgres://user:password@a:5432,b:5432/name?target_session_attrs=read-write`. One of the hosts is the primary at a time.
 * The driver knows one host, so each has a URL of its own.
 */
import pg from 'pg';

const FORM = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/;
const ATTRIBUTE = 'target_session_attrs';
/** Accepted values of the attribute: the gateway uses only the primary. */
const WRITING: readonly (string | null)[] = [null, 'read-write', 'primary'];
/** A single host is the primary, wherever it is. */
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[^:,[\]]+)(:\d{1,5})?$/;

/**
 * @returns a URL for each host, in order; undefined if the text has another form, or demands hosts that the gateway
 * cannot use.
 */
export function urlsOfHosts(text: string): string[] | undefined {
  const [, head, hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  if (head === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  if (!WRITING.includes(parameters.get(ATTRIBUTE))) return undefined;
  const addresses = hosts.split(',');
  // A single host may be empty, for a socket that the parameters name.
  if (addresses.length > 1 && !addresses.every((each) => ADDRESS.test(each))) return undefined;
  const others = query
    .split('&')
    .filter((each) => each && !each.startsWith(`${ATTRIBUTE}=`))
    .join('&');
  return addresses.map((each) => `${head}${each}${path}${others && `?${others}`}`);
}

/** @returns host and port, for messages: never the login. */
export function addressOf(url: string): string {
  return FORM.exec(url)?.[2] ?? '';
}

/**
 * A URL may contain any %XX, but the driver accepts only those that can be decoded. The driver itself decides, because it
 * also accepts a lone %.
 */
export function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false;
  try {
    return new pg.Client({ connectionString: text }) !== undefined;
  } catch (error) {
    // Other errors, such as a missing certificate, are reported when it connects.
    return !(error instanceof URIError);
  }
}
