/** One act as a row of a table: what is there before, what is typed, and what has to be seen afterwards. */
import type { ActionName } from '../../../src/base/access/actions.ts';
import type { Stage, Way, Who } from './stage.ts';

/** What is there before the act, and what follows from it. */
export interface Situation {
  /** Screen on which the form stands. */
  readonly path: string;
  /** What tells the form from others of its act on the screen, by the names of its hidden fields. */
  readonly given?: Readonly<Record<string, string>>;
  /** What is typed, chosen or ticked, by the names of the fields. */
  readonly typed?: Readonly<Record<string, string | readonly string[]>>;
  /** Value of the button, where the form has several. */
  readonly pressed?: string;
  /** Whether the form asks first, and a second one does it. */
  readonly isAskedFirst?: boolean;
  /** Whether the form is reviewed first, and whether a price is reserved for that. */
  readonly review?: 'priced' | 'unpriced';
  /** What the page says afterwards, besides that it is done. */
  readonly seen?: string;
  /** Whether the act leads to what is shown once: then `check` is given it. */
  readonly isShownOnce?: boolean;
  /** What the audit log says it was done to. */
  readonly object?: string;
  /** Looks into the data, after the act. */
  readonly check: (shown: string) => Promise<unknown>;
}

/** A row of the table. */
export interface ActRow {
  /** Name of the document, as in `acts.graphql`. */
  readonly act: string;
  /** What is different where an act has several rows. */
  readonly about?: string;
  readonly who: Who;
  /** Its name in the audit log, where the mutation does several acts. */
  readonly entry?: ActionName;
  /** Whether a passkey is asked for because of what was typed, though the act by itself needs none. */
  readonly needsPasskey?: boolean;
  /** How many entries the audit log has of it; 1 where not given. */
  readonly entries?: number;
  readonly begin: (stage: Stage, walk: Walk) => Promise<Situation>;
}

/** What of a walk is its own. */
export interface Walk {
  readonly way: Way;
  /** A word that no other walk has. */
  readonly mark: string;
}
