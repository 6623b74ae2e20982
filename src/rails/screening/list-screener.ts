/**
 * Screens against the lists of a folder. While a list has no readable version, screening fails, so that no subject
 * passes without being compared with it.
 */
import type { Check, RailTools } from '../../resolvers/services/rail-part.ts';
import { ScreenerUnavailable, type ScreeningList } from '../../resolvers/services/rails.ts';
import type { ListForm } from './list-entry.ts';
import { type ListState, listFolder } from './list-folder.ts';
import { ListIndex } from './list-index.ts';
import { matchLists } from './match-lists.ts';
import type { Screener } from './screener.ts';
import type { ListSettings } from './settings.ts';

const DAY_MS = 86_400_000;
/** Interval between reads of the folder. Unit: ms. */
const EVERY_MS = 10_000;

interface Loaded {
  readonly states: readonly ListState[];
  readonly index: ListIndex;
  readonly versions: ReadonlyMap<ListForm, string>;
}

/** @returns the screener; the files are read at the first query. */
export function listScreener(settings: ListSettings, { database, log, mode }: RailTools): Screener {
  const read = listFolder(settings.folder, settings.lists, () => database.nowMs());
  let loaded: Loaded | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const refused = new Map<ListForm, string | undefined>();
  const load = async (): Promise<Loaded> => {
    if (loaded && performance.now() - checkedAt < EVERY_MS) return loaded;
    const states = await read();
    checkedAt = performance.now();
    for (const { form, refusal } of states) {
      if (refusal !== undefined && refused.get(form) !== refusal)
        log.error({ mode, list: form, refusal }, 'a new version of a screening list is refused');
      refused.set(form, refusal);
    }
    loaded = isSame(loaded?.states, states) && loaded ? { ...loaded, states } : indexed(states);
    return loaded;
  };
  const lists = async (): Promise<readonly ScreeningList[]> => {
    // A request for the state of the lists reads the folder immediately.
    checkedAt = Number.NEGATIVE_INFINITY;
    const { states } = await load();
    const nowMs = database.nowMs();
    return states.map((state) => listOf(state, nowMs, settings.maxAgeDays));
  };
  return {
    match: async (subjects) => {
      const { index, versions, states } = await load();
      const unread = states.find(({ current }) => !current);
      if (unread) throw new ScreenerUnavailable(`no version of the list ${unread.form} can be read`);
      return subjects.flatMap((subject) => matchLists(index, versions, subject, settings.thresholds));
    },
    names: async () => {
      const { versions } = await load();
      return [...versions].map(([form, version]) => ({ name: `${form} ${version}`, screens: () => true }));
    },
    lists,
    checks: async () => (await lists()).map((list) => checkOf(list, settings.maxAgeDays)),
  };
}

function indexed(states: readonly ListState[]): Loaded {
  const entries = states.flatMap(({ form, current }) =>
    (current?.entries ?? []).map((entry) => ({ ...entry, list: form })),
  );
  const versions = new Map(states.map(({ form, current }) => [form, current?.version ?? '']));
  return { states, index: new ListIndex(entries), versions };
}

function isSame(before: readonly ListState[] | undefined, after: readonly ListState[]): boolean {
  return before !== undefined && after.every(({ current }, index) => before[index]?.current === current);
}

function listOf({ form, current, refusal }: ListState, nowMs: number, maxAgeDays: number): ScreeningList {
  return {
    list: form,
    version: current?.version ?? null,
    entries: current?.entries.length ?? 0,
    fileAt: current ? new Date(current.fileAtMs).toISOString() : null,
    // The operator's own list has no maximum age, because it changes only when needed.
    isStale: form !== 'own' && (!current || nowMs - current.fileAtMs > maxAgeDays * DAY_MS),
    refusal: refusal ?? null,
  };
}

function checkOf({ list, version, entries, fileAt, isStale, refusal }: ScreeningList, days: number): Check {
  const check = `list ${list}`;
  if (version === null)
    return { check, ok: false, detail: `no version can be read, so nobody passes: ${refusal}` };
  const used = `version ${version} of ${fileAt}, ${entries} entries`;
  if (refusal !== null) return { check, ok: false, detail: `${used}; the new file is refused: ${refusal}` };
  return { check, ok: !isStale, detail: isStale ? `${used}: older than ${days} days` : used };
}
