/**
 * Parameters of a request for an export link: those of the export, and the number of days for which the link is valid.
 */
import { exportAddress } from '../base/access/export-link.ts';
import { invalidParameters } from '../base/errors/errors.ts';
import { EXPORT_LINK_DAYS } from '../resolvers/exports/export-link.ts';
import type { Registry } from '../templates/registry.ts';
import { type ExportPath, readExport } from './exports.ts';
import type { QueryPolicy } from './input.ts';

/** A requested link. */
export interface LinkRequest {
  /** Path and query of the export. */
  readonly address: string;
  readonly days: number;
}

const DAYS = /(^|&)expires_in_days=([^&]*)/;
const WHOLE = /^\d{1,4}$/;

/** @throws {GatewayError} `INVALID_PARAMETER`, like the export itself, and for days out of bounds. */
export function readLinkRequest(
  registry: Registry,
  path: ExportPath,
  search: string,
  policy: QueryPolicy,
): LinkRequest {
  const input = DAYS.exec(search)?.[2];
  const query = search.replace(DAYS, '').replace(/^&/, '');
  const { default: usual, min, max } = EXPORT_LINK_DAYS;
  const days = input === undefined ? usual : WHOLE.test(input) ? Number(input) : 0;
  if (days < min || days > max)
    throw invalidParameters([{ parameter: 'expires_in_days', message: `must be from ${min} to ${max}` }]);
  readExport(registry, path, query, policy);
  return { address: exportAddress(path, query), days };
}

/** @returns the query of an export without the token of a link. */
export function withoutToken(search: string): string {
  return exportAddress('', search).replace(/^\?/, '');
}
