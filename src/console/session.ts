/** Whose rights the console shows and acts with; who it is, its documents say. */
import type { Scope } from '../base/api-key.ts';

/** A session of a person, at one account. */
export interface ConsoleSession {
  readonly scopes: readonly Scope[];
  /** Stands in every form of the session, and nowhere else. */
  readonly csrf: string;
}
