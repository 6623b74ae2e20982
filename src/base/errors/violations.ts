/** Collects all violations in a request's parameters, so that one response names them all. */

import { parseDay } from '../time/instant.ts';
import { invalidParameters, type Violation } from './errors.ts';

/** A value under its name for the caller. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

/** Maximum number of characters of a searched text. */
export const LONGEST_TEXT = 200;

/**
 * Maximum number of parameters that an error response names. A caller that fixes these sees the remaining ones at the next
 * attempt.
 */
export const VIOLATIONS_MAX = 50;

/** Collects violations of a request, to report them together. */
export class Violations {
  /** Violations by parameter, so that a long input is not searched for each of its members. */
  readonly #noted = new Map<string, Violation>();

  /** Adds a violation; for each parameter only the first is kept. */
  add(violation: Violation): undefined {
    const { parameter } = violation;
    if (!this.isFull && !this.#noted.has(parameter)) this.#noted.set(parameter, violation);
    return undefined;
  }

  /** Whether the response is full, so that no further checks are needed. */
  get isFull(): boolean {
    return this.#noted.size >= VIOLATIONS_MAX;
  }

  /** @throws {GatewayError} that names the collected violations, if there are any. */
  refuse(): void {
    if (this.#noted.size > 0) throw invalidParameters([...this.#noted.values()]);
  }

  /**
   * Adds a violation for a list that is too long; its values are then not checked.
   *
   * @param things - plural name of the values, for the message "at most `max` …".
   * @returns whether the list is short enough.
   */
  atMost(parameter: string, values: readonly unknown[], max: number, things: string): boolean {
    if (values.length <= max) return true;
    this.add({ parameter, message: `must have at most ${max} ${things}` });
    return false;
  }

  /** @returns a text of 1 to `LONGEST_TEXT` characters that the database can store. */
  text(input: Named | undefined): string | undefined {
    if (!input) return undefined;
    const { name, value } = input;
    if (value.includes('\0') || !value.isWellFormed())
      return this.add({ parameter: name, message: 'must be well-formed text without NUL' });
    if (value === '' || [...value].length > LONGEST_TEXT)
      return this.add({ parameter: name, message: `must have 1 to ${LONGEST_TEXT} characters` });
    return value;
  }

  /** @returns the days of a range, both inclusive; either may be missing. */
  days(from: Named | undefined, to: Named | undefined): { dateFrom?: string; dateTo?: string } {
    const dateFrom = this.day(from);
    const dateTo = this.day(to);
    if (from && to && dateFrom && dateTo && dateFrom > dateTo) {
      this.add({ parameter: from.name, message: `must not be after ${to.name}` });
      this.add({ parameter: to.name, message: `must not be before ${from.name}` });
    }
    return { ...(dateFrom && { dateFrom }), ...(dateTo && { dateTo }) };
  }

  private day(input: Named | undefined): string | undefined {
    if (!input) return undefined;
    return (
      parseDay(input.value) ??
      this.add({ parameter: input.name, message: 'must be an existing day, YYYY-MM-DD' })
    );
  }
}
