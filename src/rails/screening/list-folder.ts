/**
 * Lists as files in a folder. A changed file is read at the next query. A file that is truncated, damaged or much
 * shorter than its previous version is refused, and the previous version stays in use. An accepted version is copied to
 * `.accepted` in the folder, so that a restart finds it even if the file is bad.
 */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { readExposedList, readSanctionedList } from './brazilian-lists.ts';
import { type ListEntry, type ListForm, ListRefused } from './list-entry.ts';
import { readOfacList } from './ofac-list.ts';
import { readOwnList } from './own-list.ts';
import { readUnList } from './un-list.ts';

/** A version of a list in use. */
export interface ListVersion {
  /** First characters of the SHA-256 of its files. */
  readonly version: string;
  readonly entries: readonly ListEntry[];
  /** Modification time of its oldest file: the list is as old as that. Unit: ms since 1970. */
  readonly fileAtMs: number;
}

/** A list of the folder. */
export interface ListState {
  readonly form: ListForm;
  readonly current: ListVersion | undefined;
  /** Reason why the newest file is not used; undefined if it is. */
  readonly refusal: string | undefined;
}

/** File name endings of each list, in any case; published names begin with a date. */
const FILE_ENDS: Readonly<Record<ListForm, readonly string[]>> = {
  ofac: ['SDN.CSV', 'ALT.CSV', 'ADD.CSV'],
  un: ['CONSOLIDATED.XML'],
  ceis: ['CEIS.CSV'],
  cnep: ['CNEP.CSV'],
  pep: ['PEP.CSV'],
  own: ['OWN.CSV'],
};
const ACCEPTED = '.accepted';
const VERSION_LENGTH = 12;
/** Minimum number of entries of a new version, as a fraction of the previous version's. */
const MIN_SHARE = 0.8;
/** A list with fewer entries, such as the operator's own, may shrink freely. */
const SHRINKS_BELOW = 100;
const SECOND_MS = 1_000;
const FILE_MAX_BYTES = 256 * 1_024 * 1_024;

interface Found {
  readonly paths: readonly string[];
  readonly atMs: number;
  /** Fingerprint of names, sizes and times; files are read again when it changes. */
  readonly mark: string;
}

/** @returns a reader of the lists, which caches their content. */
export function listFolder(
  folder: string,
  forms: readonly ListForm[],
  nowMs: () => number,
): () => Promise<readonly ListState[]> {
  const states = new Map<ListForm, ListState>();
  const marks = new Map<ListForm, string>();
  const refresh = async (form: ListForm, today: string): Promise<void> => {
    const found = await findFiles(folder, form).catch(refusalOf);
    const before = states.get(form)?.current;
    const mark = found instanceof ListRefused ? found.message : `${today} ${found.mark}`;
    if (marks.get(form) === mark) return;
    marks.set(form, mark);
    const read = found instanceof ListRefused ? found : await readVersion(form, found, before, today);
    if (!(read instanceof ListRefused)) {
      states.set(form, { form, current: read, refusal: undefined });
      if (!(found instanceof ListRefused)) await accept(folder, found);
      return;
    }
    const current = before ?? (await readAccepted(folder, form, today));
    states.set(form, { form, current, refusal: read.message });
  };
  let queue: Promise<unknown> = Promise.resolve();
  return () => {
    const next = queue.then(async () => {
      const today = brasiliaDay(nowMs());
      for (const form of forms) await refresh(form, today);
      return forms.flatMap((form) => states.get(form) ?? []);
    });
    queue = next.catch(() => undefined);
    return next;
  };
}

async function readVersion(
  form: ListForm,
  { paths, atMs }: Found,
  before: ListVersion | undefined,
  today: string,
): Promise<ListVersion | ListRefused> {
  try {
    const files = await Promise.all(paths.map((path) => readFile(path)));
    const entries = parse(form, files, today);
    if (entries.length === 0 && form !== 'own') throw new ListRefused(`${form}: the file has no entry`);
    const least = (before?.entries.length ?? 0) * MIN_SHARE;
    if (before && before.entries.length >= SHRINKS_BELOW && entries.length < least)
      throw new ListRefused(
        `${form}: the file has ${entries.length} entries, the version before has ${before.entries.length}`,
      );
    return { version: versionOf(files), entries, fileAtMs: atMs };
  } catch (error) {
    return refusalOf(error);
  }
}

async function readAccepted(folder: string, form: ListForm, today: string): Promise<ListVersion | undefined> {
  const found = await findFiles(join(folder, ACCEPTED), form).catch(refusalOf);
  if (found instanceof ListRefused) return undefined;
  const read = await readVersion(form, found, undefined, today);
  return read instanceof ListRefused ? undefined : read;
}

function parse(form: ListForm, files: readonly Uint8Array[], today: string): readonly ListEntry[] {
  const [first, second, third] = files as [Uint8Array, Uint8Array, Uint8Array];
  switch (form) {
    case 'ofac':
      return readOfacList({ sdn: first, alt: second, add: third });
    case 'un':
      return readUnList(first);
    case 'ceis':
    case 'cnep':
      return readSanctionedList(`${form.toUpperCase()}.csv`, first, today);
    case 'pep':
      return readExposedList('PEP.csv', first, today);
    case 'own':
      return readOwnList('own.csv', first, today);
  }
}

/**
 * @returns the newest file of each kind by name, which begins with the date in the comptroller's lists.
 * @throws {ListRefused}
 */
async function findFiles(folder: string, form: ListForm): Promise<Found> {
  const names = await readdir(folder);
  const paths: string[] = [];
  const marks: string[] = [];
  let atMs = Number.POSITIVE_INFINITY;
  for (const end of FILE_ENDS[form]) {
    const name = names
      .filter((each) => isNamed(each, end))
      .sort()
      .at(-1);
    if (name === undefined) throw new ListRefused(`${form}: there is no file ${end} in ${folder}`);
    const path = join(folder, name);
    const { size, mtimeMs } = await stat(path);
    if (size > FILE_MAX_BYTES) throw new ListRefused(`${name} is larger than 256 MiB`);
    paths.push(path);
    marks.push(`${name} ${size} ${mtimeMs}`);
    atMs = Math.min(atMs, wholeSecond(mtimeMs));
  }
  return { paths, atMs, mark: marks.join(' ') };
}

function isNamed(name: string, end: string): boolean {
  const capitals = name.toUpperCase();
  return capitals === end || (/^\d{6,8}_/.test(name) && capitals.endsWith(`_${end}`));
}

/** Copies an accepted version. In a read-only folder no copy is made, which the rail's `checks` report. */
async function accept(folder: string, { paths }: Found): Promise<void> {
  try {
    await mkdir(join(folder, ACCEPTED), { recursive: true });
    for (const path of paths) {
      const accepted = join(folder, ACCEPTED, path.slice(folder.length + 1));
      const { mtimeMs, mtime, atime } = await stat(path);
      const there = await stat(accepted).catch(() => undefined);
      if (there && wholeSecond(there.mtimeMs) === wholeSecond(mtimeMs)) continue;
      await copyFile(path, `${accepted}.new`);
      await utimes(`${accepted}.new`, atime, mtime);
      await rename(`${accepted}.new`, accepted);
    }
  } catch {
    // Without a copy the version is used anyway.
  }
}

/** File systems may round the copy's time, so times are compared in whole seconds. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / SECOND_MS) * SECOND_MS;
}

function versionOf(files: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file);
  return hash.digest('hex').slice(0, VERSION_LENGTH);
}

function refusalOf(error: unknown): ListRefused {
  if (error instanceof ListRefused) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new ListRefused(code === undefined ? message : `cannot be read (${code})`);
}
