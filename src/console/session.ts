/** Rights of the console's requests; its documents name the person. */
import type { Scope } from '../base/access/api-key.ts';

/** A session of a person, at one account. */
export interface ConsoleSession {
  /** Also part of every form, so that a form of one account never acts in another that was opened meanwhile. */
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** Token that only the forms of the session contain. */
  readonly csrf: string;
  /** Names of the cells of the installation, the one of the session first. */
  readonly cells: readonly string[];
  /** Whether the sign-in is taken along to another cell. */
  readonly takesSignIn: boolean;
}
