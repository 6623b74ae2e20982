/** What callers give under names of their own, and what is wrong with it: everything at once. */
import { invalidParameters, type Violation } from './errors.ts';
import { parseDay } from './instant.ts';

/** A value under the name by which its caller knows it. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

/** Characters of a text that is looked up. */
export const LONGEST_TEXT = 200;

/** Collects what is wrong with a request, so that all of it can be said at once. */
export class Violations {
  readonly all: Violation[] = [];

  /** Notes a violation; of two about the same parameter the first says enough. */
  add(violation: Violation): undefined {
    if (!this.all.some(({ parameter }) => parameter === violation.parameter)) this.all.push(violation);
    return undefined;
  }

  /** @throws {GatewayError} that names everything noted so far, when there is anything. */
  refuse(): void {
    if (this.all.length > 0) throw invalidParameters(this.all);
  }

  /** @returns a text of 1 to `LONGEST_TEXT` characters that the database can hold. */
  text(given: Named | undefined): string | undefined {
    if (!given) return undefined;
    const { name, value } = given;
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

  private day(given: Named | undefined): string | undefined {
    if (!given) return undefined;
    return (
      parseDay(given.value) ??
      this.add({ parameter: given.name, message: 'must be an existing day, YYYY-MM-DD' })
    );
  }
}
