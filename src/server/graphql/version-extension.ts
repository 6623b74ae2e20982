/**
 * The account version for GraphQL clients that cannot read headers (decision 0088): `extensions.version` of a request
 * replaces the header, and then the response has one, too.
 */
import { type ReadSource, VERSION_HEADER } from '../answers/read-source.ts';
import type { Exchange } from '../http/http.ts';

/**
 * Reads the version from a request that was admitted without one.
 * @param check - see `ReadSource.admit`.
 * @returns whether the request has the extension; an empty text names no version.
 * @throws {GatewayError} the errors of `ReadSource.admit`.
 */
export async function readVersionSeen(
  exchange: Exchange,
  params: unknown,
  source: ReadSource | undefined,
  check: () => Promise<void>,
): Promise<boolean> {
  const { extensions } = Object(params) as { readonly extensions?: { readonly version?: unknown } | null };
  const version = extensions?.version;
  if (typeof version !== 'string') return false;
  if (version !== '') {
    exchange.request.headers[VERSION_HEADER] = version;
    await source?.admit(exchange, exchange.accountId as bigint, check);
  }
  return true;
}

/** @param headers - headers of the response. @returns its extensions; undefined without a version. */
export function versionExtension(headers: Readonly<Record<string, string>>): object | undefined {
  const version = headers[VERSION_HEADER];
  return version === undefined ? undefined : { version };
}
