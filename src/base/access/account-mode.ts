/** Kind of money that an account moves: play money or real money. */
import type { KeyMode } from './api-key.ts';

/** Modes of accounts. */
export const ACCOUNT_MODES = ['sandbox', 'live'] as const;
/** `sandbox`: play money on sandbox rails; `live`: real money on real rails. An account never changes its mode. */
export type AccountMode = (typeof ACCOUNT_MODES)[number];

/** The current time of the accounts of each mode: milliseconds since 1970. */
export type Times = Readonly<Record<AccountMode, number>>;

/** @returns the time of the sandbox and of live accounts as statements expect it: ISO 8601. */
export function instantsOf({ sandbox, live }: Times): [string, string] {
  return [new Date(sandbox).toISOString(), new Date(live).toISOString()];
}

/** @returns the mode of the keys of an account; keys of the other mode have no access. */
export function keyModeOf(mode: AccountMode): KeyMode {
  return mode === 'live' ? 'live' : 'test';
}
