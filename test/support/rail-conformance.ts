/**
 * What every rail holds, whoever wrote it: the suite that the author of a rail runs (docs/rails.md). The world outside of the rail is
 * away all the time; what a rail does when it is there is for the rail's own tests.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { SettingsError } from '../../src/base/process/settings.ts';
import { moneyOf } from '../../src/resolvers/inbound/rail-events.ts';
import type { RailEvent } from '../../src/resolvers/services/rail-event.ts';
import type { RailPart, RailTools } from '../../src/resolvers/services/rail-part.ts';
import type { TestDatabase } from './database.ts';
import { SYSTEM_CLOCK } from './machine-clock.ts';

/** A rail, as its folder exports it. */
export interface RailUnderTest {
  /** As settings call it. */
  readonly name: string;
  /** Settings as they stand in RAILS_FILE, of a world that does not answer. */
  readonly settings: () => object;
  /** What its files hold and nobody may be told. */
  readonly secrets?: () => readonly string[];
  /**
   * A call from outside that passes the rail's check of callers, and reports money; absent where a rail hears nobody. With the world
   * unreachable the report cannot be confirmed (C-36).
   */
  readonly reported?: () => {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: string;
    /** The report only makes a query due: nothing of it is stored, and the answer to the query counts. */
    readonly isHint?: true;
  };
  /** Reads the settings and makes the rail. @throws {SettingsError} */
  readonly make: (settings: unknown, path: string, tools: RailTools) => RailPart<unknown>;
}

type Json = Readonly<Record<string, unknown>>;
/** Where a member stands: names and places from the outside in. */
type Position = readonly (string | number)[];

const PATH = 'live.rail';
/** Wide, for a machine that does much else: what waits for the world would never end. */
const ENDS_MAX_MS = 30_000;

/** Runs the suite on a rail. @param store - a database of the test file. */
export function conforms(store: TestDatabase, rail: RailUnderTest): void {
  const said: unknown[] = [];
  const note = (...words: unknown[]) => void said.push(words);
  const tools = (): RailTools => ({
    ...{ mode: 'live', database: store.database, clock: SYSTEM_CLOCK },
    receive: () => Promise.reject(new Error('nothing is told of a world that is away')),
    log: { info: note, warn: note, error: note } as never,
  });
  const made = (settings: unknown) => rail.make(settings, PATH, tools());
  const refusal = (settings: unknown) => {
    try {
      made(settings);
      return null;
    } catch (error) {
      return error;
    }
  };
  const hasNoSecret = (what: unknown) => {
    for (const secret of rail.secrets?.() ?? []) expect(inspectable(what)).not.toContain(secret);
  };

  describe(`rail ${rail.name}`, () => {
    test('settings: unknown members are refused by their path, at every depth', () => {
      expect(refusal(rail.settings())).toBeNull();
      for (const place of objectsIn(rail.settings())) {
        const wrong = refusal(changed(rail.settings(), [...place, 'slip'], 1));
        expect(wrong, pathOf(place)).toBeInstanceOf(SettingsError);
        expect((wrong as Error).message).toContain(pathOf([...place, 'slip']));
      }
    });

    test('settings: each member has a default, or is named when it is missing', () => {
      for (const place of membersIn(rail.settings())) {
        const wrong = refusal(changed(rail.settings(), place, undefined));
        if (wrong === null) continue;
        expect(wrong, pathOf(place)).toBeInstanceOf(SettingsError);
        expect((wrong as Error).message).toMatch(/^live\.rail\b/);
      }
    });

    test('settings: a member of a wrong kind is refused by its path', () => {
      for (const place of membersIn(rail.settings())) {
        if (place.at(-1) === 'kind') continue;
        const value = place.reduce<unknown>((at, name) => (at as Json)[name as string], rail.settings());
        const wrong = refusal(changed(rail.settings(), place, typeof value === 'object' ? 7 : { a: {} }));
        expect(wrong, pathOf(place)).toBeInstanceOf(SettingsError);
        expect((wrong as Error).message).toContain(pathOf(place));
      }
    });

    test('checks answer in time while the provider is unreachable, and show no secret', async () => {
      const began = performance.now();
      const checks = await made(rail.settings()).checks();
      expect(performance.now() - began).toBeLessThan(ENDS_MAX_MS);
      for (const { check, ok, detail } of checks) {
        expect([typeof check, typeof ok, typeof detail]).toEqual(['string', 'boolean', 'string']);
        expect(detail.length).toBeLessThan(1_000);
      }
      hasNoSecret(checks);
    });

    test('it starts and stops, twice, while the provider is unreachable; logs contain no secret', async () => {
      for (let round = 0; round < 2; round++) {
        const running = made(rail.settings()).start?.();
        const began = performance.now();
        await running?.stop();
        expect(performance.now() - began).toBeLessThan(ENDS_MAX_MS);
      }
      hasNoSecret(said);
    });

    test('a report that cannot be confirmed is no money: answered with 2xx it is stored, and credits nothing (C-36)', async () => {
      const stored: RailEvent[] = [];
      const receive = async (event: RailEvent) => {
        stored.push(event);
        return { outcome: 'pending' } as const;
      };
      const { handle } = rail.make(rail.settings(), PATH, { ...tools(), receive });
      expect(handle === undefined, 'whoever hears callers says how they report').toBe(!rail.reported);
      if (!handle || !rail.reported) return;
      const { path, isHint, ...call } = rail.reported();
      const { port, close } = await served(handle);
      const { status } = await fetch(`http://127.0.0.1:${port}/${path}`, { method: 'POST', ...call });
      if (!isHint) expect(Math.floor(status / 100) === 2).toBe(stored.length > 0);
      expect(stored.filter((event) => moneyOf(event) || event.kind.startsWith('dispute_'))).toEqual([]);
      close();
    });

    test('an unknown caller from outside is refused', async () => {
      const { handle } = made(rail.settings());
      if (!handle) return;
      const { port, close } = await served(handle);
      for (const path of ['', 'pix', 'x/y?z=1'])
        for (const method of ['GET', 'POST', 'PUT']) {
          const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
            method,
            ...(method !== 'GET' && { body: '{"pix":[]}' }),
          });
          expect([Math.floor(response.status / 100), path, method]).toEqual([4, path, method]);
          hasNoSecret(await response.text());
        }
      close();
    });
  });
}

/** The rail behind a server, as the gateway has it. */
async function served(handle: NonNullable<RailPart<unknown>['handle']>) {
  const server = createServer((request, response) => {
    handle(request, response, (request.url ?? '/').slice(1)).catch((error: { code?: string }) => {
      // What the gateway answers to a rail's refusal; anything else would be an error of its own.
      response.writeHead(error.code === undefined ? 500 : 403).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, close };
}

function inspectable(what: unknown): string {
  return typeof what === 'string'
    ? what
    : JSON.stringify(what, (_name, value) => (value instanceof Error ? `${value.stack}` : value));
}

function pathOf(place: Position): string {
  return place.reduce<string>(
    (path, name) => (typeof name === 'number' ? `${path}[${name}]` : `${path}.${name}`),
    PATH,
  );
}

/** Places of all objects, the outermost first. */
function objectsIn(json: unknown, place: Position = []): Position[] {
  if (typeof json !== 'object' || json === null) return [];
  const inside = entriesOf(json).flatMap(([name, value]) => objectsIn(value, [...place, name]));
  return Array.isArray(json) ? inside : [place, ...inside];
}

/** Places of all members of objects. */
function membersIn(json: unknown, place: Position = []): Position[] {
  if (typeof json !== 'object' || json === null) return [];
  return entriesOf(json).flatMap(([name, value]) => {
    const own = [...place, name];
    return [...(Array.isArray(json) ? [] : [own]), ...membersIn(value, own)];
  });
}

function entriesOf(json: object): (readonly [string | number, unknown])[] {
  return Array.isArray(json) ? json.map((value, index) => [index, value] as const) : Object.entries(json);
}

/** @returns the same with another value at a place; without the member where that is undefined. */
function changed(json: unknown, [name, ...inner]: Position, value: unknown): unknown {
  if (name === undefined) return value;
  const copy = structuredClone(json) as Record<string | number, unknown>;
  copy[name] = inner.length === 0 ? value : changed(copy[name], inner, value);
  if (copy[name] === undefined) delete copy[name];
  return copy;
}
