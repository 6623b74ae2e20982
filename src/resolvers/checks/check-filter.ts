/** Checks filters as callers write them, for both edges: every bad value is named, none is guessed at (C-13). */
import { CURRENCIES, currenciesMeant, currencyOfHistory } from '../../base/currency.ts';
import { invalidParameters, type Violation } from '../../base/errors.ts';
import { parseDay } from '../../base/instant.ts';
import { currenciesHeld } from '../../store/ledger/ledger.ts';
import type { Context } from '../services/context.ts';

/** A value under the name by which its caller knows it. */
export interface Named {
  readonly name: string;
  readonly value: string;
}

const LONGEST_TEXT = 200;

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

  /** @returns a text of 1 to 200 characters that the database can hold. */
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

  /** @returns the raw ledger code of a currency that the catalogue or the account knows, in any spelling (C-6). */
  async currency(context: Context, given: Named | undefined): Promise<string | undefined> {
    const text = this.text(given);
    if (!given || text === undefined) return undefined;
    const meant = currenciesMeant(text);
    if (meant.length === 1) return meant[0]?.code;
    if (meant.length > 1) {
      const codes = meant.map((currency) => currency.code).join(', ');
      return this.add({
        parameter: given.name,
        message: `names an asset that exists on several networks: use one of ${codes}`,
        code: 'CURRENCY_AMBIGUOUS',
      });
    }
    const held = await currenciesHeld(context.database, context.caller.accountId);
    const named = held.find((code) => code === text || currencyOfHistory(code)?.displayName === text);
    if (named) return named;
    const codes = CURRENCIES.map((currency) => currency.code).join(', ');
    return this.add({ parameter: given.name, message: `must be one of ${codes}` });
  }

  private day(given: Named | undefined): string | undefined {
    if (!given) return undefined;
    return (
      parseDay(given.value) ??
      this.add({ parameter: given.name, message: 'must be an existing day, YYYY-MM-DD' })
    );
  }
}

/**
 * @returns an id of a filter as the database takes it, null where there is none. PostgreSQL has no text with the character
 *   U+0000: without it, an id that has one finds nothing all the same.
 */
export function storableId(id: string | undefined): string | null {
  return id?.replaceAll('\u0000', '\ufffd') ?? null;
}
