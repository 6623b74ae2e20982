/** Applicants of the fake provider: who is checked, what the provider found, and what it will find by plan. */
import { randomBytes } from 'node:crypto';
import { Refused } from './http.ts';

/** Answers of the provider, in its own words. */
export const DECISIONS = ['pending', 'approved', 'denied', 'retry', 'review', 'expired'] as const;
/** One of DECISIONS. */
export type Decision = (typeof DECISIONS)[number];

/** A person or company that is checked. */
export interface Applicant {
  /** Id of the provider. */
  readonly id: string;
  /** The caller's own id: one applicant each. */
  readonly externalId: string;
  readonly taxId: string;
  readonly name: string;
  readonly level: string;
  readonly kind: string;
  /** Members of the request that made it, by name. */
  readonly received: readonly string[];
  decision: Decision;
  reasons: readonly string[];
  score: number | null;
  /** Decisions so far. */
  decisions: number;
  /** Tokens of links that were not used yet. */
  readonly links: Set<string>;
}

/** A decision that follows by plan. */
export interface PlannedDecision {
  readonly decision: Decision;
  /** After the decision before, or after the start. Unit: ms. */
  readonly afterMs: number;
  readonly reasons?: readonly string[];
}

/** Facts of a new applicant. */
export type NewApplicant = Pick<Applicant, 'externalId' | 'taxId' | 'name' | 'level' | 'kind' | 'received'>;

/** Called when an applicant was decided. */
export type OnDecision = (applicant: Applicant) => void;

const TOKEN_BYTES = 16;

/** All applicants. */
export class Applicants {
  readonly #byExternalId = new Map<string, Applicant>();
  readonly #plans = new Map<string, readonly PlannedDecision[]>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #onDecision: OnDecision;
  /** Starts with an external id that was there already. */
  repeated = 0;

  constructor(onDecision: OnDecision) {
    this.#onDecision = onDecision;
  }

  get all(): readonly Applicant[] {
    return [...this.#byExternalId.values()];
  }

  /** @returns the new applicant, whose plan begins; undefined where there is one of this external id. */
  add(facts: NewApplicant): Applicant | undefined {
    if (this.#byExternalId.has(facts.externalId)) {
      this.repeated += 1;
      return undefined;
    }
    const applicant: Applicant = {
      ...facts,
      id: randomBytes(12).toString('hex'),
      ...{ decision: 'pending', reasons: [], score: null, decisions: 0 },
      links: new Set(),
    };
    this.#byExternalId.set(facts.externalId, applicant);
    this.#follow(applicant, this.#plans.get(facts.taxId) ?? []);
    return applicant;
  }

  /** @returns the applicant of an external id, or of the provider's own. */
  find(id: string): Applicant | undefined {
    return this.#byExternalId.get(id) ?? this.all.find((each) => each.id === id);
  }

  /** @returns the applicant. @throws {Refused} 404. */
  known(id: string): Applicant {
    const found = this.find(id);
    if (!found) throw new Refused(404, 'there is no applicant of this id');
    return found;
  }

  /** Decides about applicants of a tax id as they come, one decision after the other. */
  plan(taxId: string, decisions: readonly PlannedDecision[]): void {
    this.#plans.set(taxId, decisions);
  }

  /** Decides about an applicant now, and tells it by a callback. */
  decide(applicant: Applicant, decision: Decision, reasons: readonly string[] = []): void {
    applicant.decision = decision;
    applicant.reasons = reasons;
    applicant.score = decision === 'approved' ? 0.97 : decision === 'denied' ? 0.12 : null;
    applicant.decisions += 1;
    this.#onDecision(applicant);
  }

  /** @returns the token of a new link, which is used up by a decision on its page. */
  newLink(applicant: Applicant): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    applicant.links.add(token);
    return token;
  }

  /** @returns the applicant of a link that was not used. @throws {Refused} 404. */
  ofLink(token: string): Applicant {
    const found = this.all.find(({ links }) => links.has(token));
    if (!found) throw new Refused(404, 'this link was used, or never existed');
    return found;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #follow(applicant: Applicant, [next, ...rest]: readonly PlannedDecision[]): void {
    if (!next) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.decide(applicant, next.decision, next.reasons);
      this.#follow(applicant, rest);
    }, next.afterMs);
    this.#timers.add(timer);
  }
}
