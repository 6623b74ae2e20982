/** Whose rights the console shows and acts with; who it is, its documents say. */
import type { Scope } from '../base/access/api-key.ts';

/** A session of a person, at one account. */
export interface ConsoleSession {
  /** Stands in every form, too: what was asked for in one account is not done in another that was opened meanwhile. */
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** Stands in every form of the session, and nowhere else. */
  readonly csrf: string;
}
