/** Subjects of the fake screener: names, tax ids and wallets with planned decisions. Everybody else is clear. */
import { type Planned, Timeline } from './timeline.ts';

/** Decisions of the screener, in its own vocabulary, the mildest first. */
export const SCREENING_DECISIONS = ['clear', 'pending', 'review', 'block'] as const;
/** One of SCREENING_DECISIONS. */
export type ScreeningDecision = (typeof SCREENING_DECISIONS)[number];

/** A planned decision of the screener. */
export type PlannedScreening = Planned<ScreeningDecision>;

/** Facts of a query. */
export interface ScreeningQuery {
  /** Id of the caller, the same for the same person or wallet. */
  readonly reference: string;
  readonly role: string;
  readonly name: string;
  readonly taxId: string;
  readonly address: string;
  /** Names of the members that the query had. */
  readonly received: readonly string[];
}

/** The answer to a query. */
export interface Screened {
  readonly decision: ScreeningDecision;
  readonly reasons: readonly string[];
}

interface Subject {
  plan: readonly PlannedScreening[] | null;
  decision: ScreeningDecision;
  reasons: readonly string[];
  /** References of the queries about it. */
  readonly references: Set<string>;
}

/** Called after each decision that no answer contained yet, for each reference that was queried before. */
export type OnScreened = (reference: string, screened: Screened) => void;

/** All subjects, and the queries so far. */
export class Subjects {
  readonly #subjects = new Map<string, Subject>();
  readonly #queries: (ScreeningQuery & Screened)[] = [];
  readonly #timeline = new Timeline();
  readonly #onScreened: OnScreened;

  constructor(onScreened: OnScreened) {
    this.#onScreened = onScreened;
  }

  /** All queries, each with its answer. */
  get queries(): readonly (ScreeningQuery & Screened)[] {
    return this.#queries;
  }

  /**
   * Plans the decisions about a subject; they begin with the next query about it.
   *
   * @param value - a name, a tax id or a wallet.
   */
  plan(value: string, decisions: readonly PlannedScreening[]): void {
    this.#of(value).plan = decisions;
  }

  /** Decides about a subject now, and reports the decision by callbacks. */
  decide(value: string, decision: ScreeningDecision, reasons: readonly string[] = []): void {
    const subject = this.#of(value);
    Object.assign(subject, { decision, reasons });
    for (const reference of subject.references) this.#onScreened(reference, { decision, reasons });
  }

  /** @returns the strictest decision about the facts of a query. */
  screen(query: ScreeningQuery): Screened {
    const known = [query.taxId, query.address, query.name].flatMap((value) => {
      const subject = this.#subjects.get(keyOf(value));
      if (!subject) return [];
      subject.references.add(query.reference);
      this.#begin(value, subject);
      return [subject];
    });
    const strictest = SCREENING_DECISIONS.findLast((each) => known.some(({ decision }) => decision === each));
    const { decision, reasons } = known.find((each) => each.decision === strictest) ?? CLEAR;
    this.#queries.push({ ...query, decision, reasons });
    return { decision, reasons };
  }

  close(): void {
    this.#timeline.close();
  }

  /** Begins the plan of a subject: a decision without delay is part of the answer, later ones are reported. */
  #begin(value: string, subject: Subject): void {
    const [first, ...later] = subject.plan ?? [];
    if (!first) return;
    const isNow = first.afterMs === 0;
    subject.plan = null;
    subject.decision = isNow ? first.decision : 'pending';
    subject.reasons = (isNow && first.reasons) || [];
    this.#timeline.follow(isNow ? later : [first, ...later], ({ decision, reasons }) =>
      this.decide(value, decision, reasons),
    );
  }

  #of(value: string): Subject {
    const found = this.#subjects.get(keyOf(value)) ?? { ...CLEAR, plan: null, references: new Set<string>() };
    this.#subjects.set(keyOf(value), found);
    return found;
  }
}

const CLEAR: Screened = { decision: 'clear', reasons: [] };

/** Case does not matter, and neither does punctuation of tax ids. */
function keyOf(value: string): string {
  return (/^[\d./-]+$/.test(value) ? value.replace(/\D/g, '') : value).toLowerCase();
}
