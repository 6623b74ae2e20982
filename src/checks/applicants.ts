/** Applicants of the fake provider: their facts, the decisions so far, and the planned decisions. */
import { randomBytes } from 'node:crypto';
import { Refused } from './http.ts';
import { type Planned, Timeline } from './timeline.ts';

/** Decisions of the provider, in its own vocabulary. */
export const DECISIONS = ['pending', 'approved', 'denied', 'retry', 'review', 'expired'] as const;
/** One of DECISIONS. */
export type Decision = (typeof DECISIONS)[number];

/** A person or company under check. */
export interface Applicant {
  /** Id at the provider. */
  readonly id: string;
  /** The caller's own id, unique among the applicants. */
  readonly externalId: string;
  readonly taxId: string;
  readonly name: string;
  readonly level: string;
  readonly kind: string;
  /** Names of the members that the start request had. */
  readonly received: readonly string[];
  decision: Decision;
  reasons: readonly string[];
  score: number | null;
  /** Number of decisions so far. */
  decisions: number;
  /** Tokens of links that are still unused. */
  readonly links: Set<string>;
}

/** A planned decision of the provider. */
export type PlannedDecision = Planned<Decision>;

/** Facts of a new applicant. */
export type NewApplicant = Pick<Applicant, 'externalId' | 'taxId' | 'name' | 'level' | 'kind' | 'received'>;

/** Called after each decision about an applicant. */
export type OnDecision = (applicant: Applicant) => void;

const TOKEN_BYTES = 16;

/** All applicants. */
export class Applicants {
  readonly #byExternalId = new Map<string, Applicant>();
  readonly #plans = new Map<string, readonly PlannedDecision[]>();
  readonly #timeline = new Timeline();
  readonly #onDecision: OnDecision;
  /** Number of starts whose external id existed already. */
  repeated = 0;

  constructor(onDecision: OnDecision) {
    this.#onDecision = onDecision;
  }

  get all(): readonly Applicant[] {
    return [...this.#byExternalId.values()];
  }

  /** Adds an applicant and begins its plan. @returns undefined if the external id exists already. */
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
    this.#timeline.follow(this.#plans.get(facts.taxId) ?? [], ({ decision, reasons }) =>
      this.decide(applicant, decision, reasons),
    );
    return applicant;
  }

  /** @param id - external id, or the provider's own. */
  find(id: string): Applicant | undefined {
    return this.#byExternalId.get(id) ?? this.all.find((each) => each.id === id);
  }

  /** @returns the applicant. @throws {Refused} 404. */
  known(id: string): Applicant {
    const found = this.find(id);
    if (!found) throw new Refused(404, 'there is no applicant of this id');
    return found;
  }

  /** Plans the decisions about applicants with this tax id, one after the other. */
  plan(taxId: string, decisions: readonly PlannedDecision[]): void {
    this.#plans.set(taxId, decisions);
  }

  /** Decides about an applicant now, and reports the decision by a callback. */
  decide(applicant: Applicant, decision: Decision, reasons: readonly string[] = []): void {
    applicant.decision = decision;
    applicant.reasons = reasons;
    applicant.score = decision === 'approved' ? 0.97 : decision === 'denied' ? 0.12 : null;
    applicant.decisions += 1;
    this.#onDecision(applicant);
  }

  /** @returns the token of a new link; the first decision on the link's page uses it up. */
  newLink(applicant: Applicant): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    applicant.links.add(token);
    return token;
  }

  /** @returns the applicant of an unused link. @throws {Refused} 404. */
  ofLink(token: string): Applicant {
    const found = this.all.find(({ links }) => links.has(token));
    if (!found) throw new Refused(404, 'this link was used, or never existed');
    return found;
  }

  close(): void {
    this.#timeline.close();
  }
}
