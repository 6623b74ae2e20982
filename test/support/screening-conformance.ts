/**
 * The suite that the author of a screening rail runs (docs/rails.md#writing-a-rail): a match says whom it is about and why, and a screener
 * that cannot answer clears no one. The suite drives a double of the provider over the wire, or the files of lists.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { liveClock } from '../../src/resolvers/services/clock.ts';
import type { RailPart, RailTools } from '../../src/resolvers/services/rail-part.ts';
import type {
  ScreenerUnavailable,
  Screening,
  ScreeningMatch,
  ScreeningSubject,
} from '../../src/resolvers/services/rails.ts';
import type { TestApp } from './app.ts';

/** A double of the provider. */
export interface ScreeningDouble {
  /** Settings of the screener as they are in RAILS_FILE. */
  readonly settings: object;
  readonly clear: readonly ScreeningSubject[];
  /** Subjects that it objects to, each with the answer. */
  readonly matching: readonly (readonly [ScreeningSubject, 'held' | 'frozen'])[];
  /** Subjects of a kind that it does not screen. */
  readonly ignored?: readonly ScreeningSubject[];
  /** Sets what happens to all requests, or to the files. */
  readonly fail: (how: 'away' | 'unreadable' | 'never') => Promise<void> | void;
  readonly close: () => Promise<void> | void;
}

/** A screening rail. */
export interface ScreeningUnderTest {
  /** Kind, as settings call it. */
  readonly kind: string;
  readonly provider: () => Promise<ScreeningDouble>;
  readonly make: (settings: unknown, tools: RailTools) => RailPart<Screening>;
}

/** Runs the suite. */
export function screeningConforms(app: TestApp, { kind, provider, make }: ScreeningUnderTest): void {
  describe(`screening ${kind}`, () => {
    let double: ScreeningDouble;
    let rail: RailPart<Screening>;
    beforeAll(async () => {
      double = await provider();
    });
    // Each test has a rail without memory: that of a running one must not be needed.
    beforeEach(() => {
      rail = make(double.settings, {
        ...{ mode: 'live', database: app.database, clock: liveClock(app.database) },
        receive: () => Promise.reject(new Error('a screening rail reports no money')),
        log: { info: () => {}, warn: () => {}, error: () => {} },
      });
    });
    afterAll(() => double.close());

    const match = (...subjects: readonly ScreeningSubject[]): Promise<readonly ScreeningMatch[]> =>
      (rail.port.match as NonNullable<Screening['match']>)(subjects);
    const isFailing = async () => (await rail.checks()).some(({ ok }) => !ok);

    test('clears whom nobody objects to, and whom it does not screen', async () => {
      for (const subject of [...double.clear, ...(double.ignored ?? [])])
        expect(await match(subject), JSON.stringify(subject)).toEqual([]);
      expect(await match()).toEqual([]);
    });

    test('names the subject, the entry and the strength of each match', async () => {
      for (const [subject, answer] of double.matching)
        expect(await match(subject), JSON.stringify(subject)).toEqual([
          {
            subject,
            answer,
            list: expect.stringMatching(/./),
            entry: expect.stringMatching(/./),
            entryName: expect.stringMatching(/./),
            score: expect.stringMatching(/^(0\.\d{1,4}|1)$/),
            strength: expect.stringMatching(/^(exact|strong|review)$/),
            version: expect.any(String),
          },
        ]);
    });

    test('finds the same entry at each query, by which a dismissal is known', async () => {
      for (const [subject] of double.matching) {
        const [one, again] = [await match(subject), await match(subject)];
        expect(one.map(({ list, entry }) => [list, entry])).toEqual(
          again.map(({ list, entry }) => [list, entry]),
        );
      }
    });

    test('screens several subjects at once, each match with its own', async () => {
      const wanted = double.matching.map(([subject]) => subject);
      const found = await match(...double.clear, ...wanted, ...(double.ignored ?? []));
      expect(found.map(({ subject }) => subject)).toEqual(wanted);
    });

    test.each([
      'away',
      'unreadable',
    ] as const)('clears no one while the provider is %s; its checks say so until it answers again', async (how) => {
      await double.fail(how);
      const [subject] = double.clear as [ScreeningSubject];
      const error: ScreenerUnavailable = await match(subject).then(
        () => expect.unreachable('nobody is cleared'),
        (reason) => reason,
      );
      // The class is known by its name, because jobs and the console see no more of it.
      expect(error.name).toBe('ScreenerUnavailable');
      for (const secret of [subject.name, subject.taxId, subject.address])
        if (secret !== undefined) expect(error.message).not.toContain(secret);
      expect(await isFailing()).toBe(true);
      await double.fail('never');
      await rail.checks();
      expect(await match(subject)).toEqual([]);
      expect(await isFailing()).toBe(false);
    });
  });
}
