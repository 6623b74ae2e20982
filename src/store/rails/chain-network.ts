/** Progress of the rail of a network: its worker, its last block, its obstacle, and whether sending is paused. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Mode of the network: each mode has its own. */
export interface NetworkKey {
  readonly mode: AccountMode;
  readonly network: string;
}

/** A block by height and hash. */
export interface KnownBlock {
  readonly height: number;
  readonly hash: string;
}

/** Stored state of a network. */
export interface NetworkState {
  /** The last block that was read; null before the first. */
  readonly height: number | null;
  readonly hash: string | null;
  readonly finalHeight: number | null;
  readonly headAt: Instant | null;
  readonly trouble: string | null;
  readonly troubleSince: Instant | null;
  readonly pausedAt: Instant | null;
  readonly pausedBy: string | null;
  readonly pauseReason: string | null;
}

/** Number of stored blocks: a deeper reorganisation needs a person. */
const BLOCKS_STORED = 1_024;

const LEASE: Statement = {
  name: 'chain_lease',
  text: `insert into chain_network as n (mode, network, leased_by, leased_until) values ($1, $2, $3, $4)
    on conflict (mode, network) do update set leased_by = excluded.leased_by, leased_until = excluded.leased_until
      where n.leased_by is null or n.leased_by = excluded.leased_by or n.leased_until < $5
    returning n.leased_by`,
};
const RELEASE: Statement = {
  name: 'chain_release',
  text: `update chain_network set leased_by = null, leased_until = null where mode = $1 and network = $2 and leased_by = $3`,
};
const STATE: Statement = {
  name: 'chain_state',
  text: `select height::int as height, hash, final_height::int as "finalHeight", head_at as "headAt", trouble,
      trouble_since as "troubleSince", paused_at as "pausedAt", paused_by as "pausedBy", pause_reason as "pauseReason"
    from chain_network where mode = $1 and network = $2`,
};
const READ_TO: Statement = {
  name: 'chain_read_to',
  text: `update chain_network set height = $3, hash = $4, final_height = coalesce(final_height, $3)
    where mode = $1 and network = $2 returning height`,
};
const FINAL_TO: Statement = {
  name: 'chain_final_to',
  text: `update chain_network set final_height = $3 where mode = $1 and network = $2`,
};
const HEAD_AT: Statement = {
  name: 'chain_head_at',
  text: `update chain_network set head_at = $3 where mode = $1 and network = $2`,
};
const TROUBLE: Statement = {
  name: 'chain_trouble',
  text: `update chain_network set trouble = $3, trouble_since = case when $3::text is null then null else coalesce(trouble_since, $4) end
    where mode = $1 and network = $2 and trouble is distinct from $3`,
};
const PAUSE: Statement = {
  name: 'chain_pause',
  text: `insert into chain_network as n (mode, network, paused_at, paused_by, pause_reason) values ($1, $2, $3, $4, $5)
    on conflict (mode, network) do update
      set paused_at = excluded.paused_at, paused_by = excluded.paused_by, pause_reason = excluded.pause_reason`,
};
const PAUSED: Statement = {
  name: 'chain_paused',
  text: `select network, paused_at as "pausedAt", paused_by as "pausedBy", pause_reason as "pauseReason"
    from chain_network where mode = $1 and paused_at is not null order by paused_at`,
};
const STORE_BLOCKS: Statement = {
  name: 'chain_keep_blocks',
  text: `insert into chain_block (mode, network, height, hash) select $1, $2, u.* from unnest($3::int8[], $4::text[]) u
    on conflict (mode, network, height) do update set hash = excluded.hash`,
};
const FORGET_BLOCKS: Statement = {
  name: 'chain_forget_blocks',
  text: `delete from chain_block where mode = $1 and network = $2 and (height > $3 or height <= $4)`,
};
const BLOCKS: Statement = {
  name: 'chain_blocks',
  text: `select height::int as height, hash from chain_block where mode = $1 and network = $2 and height <= $3 order by height desc limit $4`,
};

/**
 * Claims a network for one process, or renews the claim.
 * @param untilMs - time from which another process may claim it, on the clock of the database, like `nowMs`.
 * @returns whether the holder has the claim.
 */
export async function leaseNetwork(
  tx: Tx,
  { mode, network }: NetworkKey,
  { holder, nowMs, untilMs }: { readonly holder: string; readonly nowMs: number; readonly untilMs: number },
): Promise<boolean> {
  const [until, now] = [untilMs, nowMs].map((ms) => new Date(ms).toISOString());
  const rows = await tx.query<{ leased_by: string }>(LEASE, [mode, network, holder, until, now]);
  return rows[0]?.leased_by === holder;
}

/** Releases a network, so that another process need not wait. */
export async function releaseNetwork(tx: Tx, { mode, network }: NetworkKey, holder: string): Promise<void> {
  await tx.query(RELEASE, [mode, network, holder]);
}

/** @returns undefined for a network that was never read. */
export async function readNetwork(tx: Tx, { mode, network }: NetworkKey): Promise<NetworkState | undefined> {
  const [row] = await tx.query<NetworkState>(STATE, [mode, network]);
  return row;
}

/** Stores that blocks were read, with the last one as the position to continue from; later ones are deleted. */
export async function storeReadBlocks(
  tx: Tx,
  { mode, network }: NetworkKey,
  blocks: readonly KnownBlock[],
): Promise<void> {
  const last = blocks.at(-1);
  if (!last) return;
  await tx.query(FORGET_BLOCKS, [mode, network, last.height, last.height - BLOCKS_STORED]);
  await tx.query(STORE_BLOCKS, [
    mode,
    network,
    blocks.map(({ height }) => height),
    blocks.map(({ hash }) => hash),
  ]);
  await tx.query(READ_TO, [mode, network, last.height, last.hash]);
}

/** @returns blocks that were read up to a height, the highest first. */
export function readBlocks(
  tx: Tx,
  { mode, network }: NetworkKey,
  from: number,
  limit: number,
): Promise<KnownBlock[]> {
  return tx.query<KnownBlock>(BLOCKS, [mode, network, from, limit]);
}

/** Stores the height up to which everything is settled. */
export async function storeFinalHeight(tx: Tx, { mode, network }: NetworkKey, height: number): Promise<void> {
  await tx.query(FINAL_TO, [mode, network, height]);
}

/** Stores the time of the newest block. */
export async function storeHeadTime(tx: Tx, { mode, network }: NetworkKey, atMs: number): Promise<void> {
  await tx.query(HEAD_AT, [mode, network, new Date(atMs).toISOString()]);
}

/** Stores the obstacle to progress; null without one. */
export async function storeTrouble(
  tx: Tx,
  { mode, network }: NetworkKey,
  trouble: string | null,
  nowMs: number,
): Promise<void> {
  await tx.query(TROUBLE, [mode, network, trouble?.slice(0, 500) ?? null, new Date(nowMs).toISOString()]);
}

/** Name under which sending by PIX is paused: payouts and refunds. */
export const PIX_SENDING = 'PIX';

/** Pauses or resumes sending on a network: `pause` has the person, the time and the reason; null resumes. */
export async function pauseSending(
  tx: Tx,
  { mode, network }: NetworkKey,
  pause: { readonly by: string; readonly at: Instant; readonly reason: string } | null,
): Promise<void> {
  await tx.query(PAUSE, [mode, network, pause?.at ?? null, pause?.by ?? null, pause?.reason ?? null]);
}

/** Sending on a network that a person paused. */
export interface PausedNetwork extends Pick<NetworkState, 'pausedBy' | 'pauseReason'> {
  readonly network: string;
  readonly pausedAt: Instant | null;
}

/** @returns the networks of a mode with paused sending, in the order of pausing. */
export function readPausedNetworks(tx: Tx, mode: AccountMode): Promise<PausedNetwork[]> {
  return tx.query<PausedNetwork>(PAUSED, [mode]);
}
