/** Identity checks at a provider: `http` for any JSON interface, `sumsub` for Sumsub. */
import type { RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import type { IdentityCheck } from '../../resolvers/services/rails.ts';
import type { CustomerCase } from '../../store/account/customer-cases.ts';
import { callProvider } from './call.ts';
import { answering } from './callback.ts';
import { checkAll } from './checks.ts';
import type { IdentityTimes } from './common-settings.ts';
import { type HttpIdentitySettings, httpProfile } from './http-profile.ts';
import type { IdentityProfile } from './profile.ts';
import { type SumsubSettings, sumsubProfile } from './sumsub-profile.ts';
import { type IdentityParts, linkOwner, pollDue, startWork } from './work.ts';

export { readHttpSettings } from './http-profile.ts';
export { readSumsubSettings } from './sumsub-profile.ts';

/** The rail, with a function for tests. */
export interface IdentityPart extends RailPart<IdentityCheck> {
  /** Queries all due cases once, which background work does regularly. */
  readonly poll: () => Promise<number>;
}

/** @returns the rail of the kind `http`; nothing runs before `start`. */
export function createHttpIdentity(settings: HttpIdentitySettings, tools: RailTools): IdentityPart {
  return createIdentity(httpProfile(settings), settings, tools);
}

/** @returns the rail of Sumsub; nothing runs before `start`. */
export function createSumsub(settings: SumsubSettings, tools: RailTools): IdentityPart {
  return createIdentity(sumsubProfile(settings), settings, tools);
}

function createIdentity(profile: IdentityProfile, times: IdentityTimes, tools: RailTools): IdentityPart {
  const parts: IdentityParts = { tools, profile, times };
  const { kind, levels, readCallback } = profile;
  return {
    port: {
      // The provider checks customers in cases, so the check of a single transaction always requests a review.
      check: async () => 'review',
      cases: { provider: kind, levels, validMs: times.validMs, link: (row) => linkFor(parts, row) },
    },
    checks: () => checkAll(parts),
    ...(readCallback && { handle: answering(parts, readCallback) }),
    start: () => startWork(parts),
    poll: () => pollDue(parts),
  };
}

/** @returns a link for the payer; null until the provider knows the case. */
async function linkFor({ tools, profile, times }: IdentityParts, row: CustomerCase): Promise<string | null> {
  if (row.decision === null) return null;
  if (profile.link) {
    const { status, text } = await callProvider(
      profile,
      profile.link(row),
      times.timeoutMs,
      tools.database.nowMs(),
    );
    return status < 300 ? safe(profile.readLink(text)) : null;
  }
  return row.sealedLink === null || !tools.secrets
    ? null
    : safe(tools.secrets.open(row.sealedLink, linkOwner(row.id)));
}

const HOSTS_WITHOUT_TLS = ['localhost', '127.0.0.1', '[::1]'];

/** @returns the link if it is safe for a browser, otherwise null. */
function safe(link: string | undefined): string | null {
  if (link === undefined || !URL.canParse(link)) return null;
  const { protocol, hostname } = new URL(link);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && HOSTS_WITHOUT_TLS.includes(hostname));
  return isSafe ? link : null;
}
