/**
 * Reads static links of the caller's account. The entry points check the scope: the result of an action is read with
 * the scope of that action.
 */
import { isSlug } from '../../base/access/session-token.ts';
import { notFound } from '../../base/errors/errors.ts';
import { type LinkRecord, readLinkRecords } from '../../store/account/static-links.ts';
import type { Context } from '../services/context.ts';
import { STATIC_LINKS_MAX } from './manage-links.ts';

/** @returns the open links, newest first, then the disabled ones, the last disabled first. */
export function listStaticLinks({ database, caller }: Context): Promise<LinkRecord[]> {
  return readLinkRecords(database, caller.accountId, { slug: null, limit: STATIC_LINKS_MAX });
}

/** @returns the link, also a disabled one. @throws {GatewayError} `NOT_FOUND`. */
export async function readStaticLink({ database, caller }: Context, slug: string): Promise<LinkRecord> {
  const which = { slug, limit: 1 };
  const [link] = isSlug(slug) ? await readLinkRecords(database, caller.accountId, which) : [];
  if (!link) throw notFound();
  return link;
}
