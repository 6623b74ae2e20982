/** Background work: begins checks, and polls for the decisions of open ones, which also finds lost callbacks. */

import { type Instant, instantOf, millisOf } from '../../base/time/instant.ts';
import { answerCase, giveUpCase } from '../../resolvers/cases/answer-case.ts';
import { stateBelow } from '../../resolvers/cases/case-state.ts';
import { repeat } from '../../resolvers/engine/repeat.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { claimCases, postponeCase } from '../../store/account/case-queue.ts';
import type { CustomerCase } from '../../store/account/customer-cases.ts';
import { callProvider, type ProviderAnswer } from './call.ts';
import type { IdentityTimes } from './common-settings.ts';
import { type IdentityProfile, ProviderFailure } from './profile.ts';

/** Dependencies of the rail. */
export interface IdentityParts {
  readonly tools: RailTools;
  readonly profile: IdentityProfile;
  readonly times: IdentityTimes;
}

/** Interval of scans for due cases. Unit: ms. */
const CYCLE_MS = 400;
const FAILED_MS = 2_000;
/** Maximum number of cases queried in parallel in one cycle. */
const BATCH_MAX = 16;
const PAUSE_FIRST_MS = 1_000;
const PAUSE_MAX_MS = 300_000;

/** Starts the background work. */
export function startWork(parts: IdentityParts): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const options = { failedMs: FAILED_MS, complaint: 'due identity checks cannot be read' };
  const { done } = repeat(stopping.signal, parts.tools.log, options, async () =>
    (await pollDue(parts)) === BATCH_MAX ? 0 : CYCLE_MS,
  );
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

/** Queries the provider about all due cases, up to BATCH_MAX. @returns the number of cases. */
export async function pollDue(parts: IdentityParts): Promise<number> {
  const { tools, times } = parts;
  // The lease covers two calls, and the time to store their results.
  const leaseSeconds = (2 * times.timeoutMs) / 1_000 + 10;
  const due = await claimCases(tools.database, tools.mode, BATCH_MAX, leaseSeconds);
  await Promise.all(due.map((row) => pollCase(parts, row)));
  return due.length;
}

async function pollCase(parts: IdentityParts, row: CustomerCase): Promise<void> {
  const { tools } = parts;
  try {
    if (isOverdue(parts, row)) await giveUpCase(tools, row);
    else await store(parts, row, await answerAbout(parts, row));
  } catch (error) {
    await postpone(parts, row, error);
  }
}

/** Postpones a case after a failure; the case stays undecided. */
async function postpone({ tools }: IdentityParts, row: CustomerCase, error: unknown): Promise<void> {
  const { id, failures } = row;
  const isProvider = error instanceof ProviderFailure;
  const reason = isProvider ? error.message : 'its answer could not be stored';
  const backoffMs = Math.min(PAUSE_FIRST_MS * 2 ** Math.min(failures - 1, 10), PAUSE_MAX_MS);
  const pauseMs = (isProvider ? error.pauseMs : undefined) ?? backoffMs;
  tools.log.warn(
    { case: String(id), failures, reason, ...(!isProvider && { err: error }) },
    'an identity check is polled again',
  );
  await postponeCase(tools.database, row, new Date(tools.database.nowMs() + pauseMs), reason);
}

function isOverdue({ tools, times }: IdentityParts, row: CustomerCase): boolean {
  const isOpen = ['open', 'pending', 'retry', 'review'].includes(stateBelow(row));
  return isOpen && tools.database.nowMs() - millisOf(row.attemptAt) > times.giveUpMs;
}

/** Queries a check that may have been begun before, so that no customer gets two applicants. */
async function answerAbout(
  { tools, profile, times }: IdentityParts,
  row: CustomerCase,
): Promise<ProviderAnswer> {
  const mayBeThere = row.decision !== null || row.failures > 1;
  const find = () => callProvider(profile, profile.find(row), times.timeoutMs, tools.database.nowMs());
  if (mayBeThere) {
    const found = await find();
    if (found.status < 300) return found;
  }
  const started = await callProvider(profile, profile.start(row), times.timeoutMs, tools.database.nowMs());
  if (started.status < 300) return started;
  const found = started.status === 409 ? await find() : started;
  if (found.status < 300) return found;
  throw new ProviderFailure(`the provider answered ${found.status}`);
}

async function store(parts: IdentityParts, row: CustomerCase, { text, hash }: ProviderAnswer): Promise<void> {
  const { tools, profile, times } = parts;
  const { link, ...reading } = profile.read(text);
  const sealedLink = link === undefined || profile.link ? undefined : sealed(tools, row, link);
  const change = await answerCase(
    tools,
    row,
    { ...reading, hash },
    {
      validMs: times.validMs,
      askAt: (after) => nextPoll(parts, after),
      sealedLink,
    },
  );
  if (change?.isLowered)
    tools.log.error({ case: String(row.id), state: change.row.state }, 'the provider revoked an approval');
}

function nextPoll({ tools, times }: IdentityParts, row: CustomerCase): Instant | null {
  const later = (ms: number) => instantOf(new Date(tools.database.nowMs() + ms));
  switch (stateBelow(row)) {
    case 'approved':
      return later(times.recheckMs);
    case 'denied':
    case 'expired':
      return null;
    default:
      return later(times.pollMs);
  }
}

/** Seals a link, which opens a person's check. Without sealing the link is not stored. */
function sealed({ secrets }: RailTools, { id }: CustomerCase, link: string): string | undefined {
  return secrets?.seal(link, linkOwner(id));
}

/** @returns the name that binds a sealed link to its case. */
export function linkOwner(id: bigint): string {
  return `customer_case ${id}`;
}
