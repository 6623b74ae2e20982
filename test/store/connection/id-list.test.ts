/** Goal: a list is counted only for whoever asks how many there are, or what is before a page. Method: a database that notes its statements. */
import { expect, test } from 'vitest';
import type { Statement, Tx } from '../../../src/store/connection/database.ts';
import { type IdSlice, idList } from '../../../src/store/connection/id-list.ts';

const readList = idList<{ readonly id: bigint }>({
  ...{ name: 'things', id: 't.id', columns: 't.id', from: 'thing t', where: 't.mode = $1', filters: 1 },
});

function noting() {
  const names: string[] = [];
  const query = async ({ name }: Statement) => {
    names.push(name);
    return name === 'things_count' ? [{ total: 7n, hasNewer: false, hasOlder: true }] : [{ id: 3n }];
  };
  return { names, tx: { query } as unknown as Tx };
}
const START: IdSlice = { limit: 1, below: null, above: null, isBackward: false };

test('a part that begins with the list counts nothing until the total is requested, and then once', async () => {
  const { names, tx } = noting();
  const { total, ...part } = await readList(tx, ['live'], START);
  expect(part).toEqual({ rows: [{ id: 3n }], hasNewer: false, hasOlder: false });
  expect(names).toEqual(['things_page_desc']);
  expect([await total(), await total()]).toEqual([7n, 7n]);
  expect(names).toEqual(['things_page_desc', 'things_count']);
});

test.each<[string, Partial<IdSlice>, boolean]>([
  ['after a cursor', { below: 5n }, false],
  ['before a cursor', { above: 2n, isBackward: true }, false],
  ['at a place', { skip: 2 }, true],
])('a part %s says what is around it', async (_where, change, hasNewer) => {
  const { names, tx } = noting();
  expect(await readList(tx, ['live'], { ...START, ...change })).toMatchObject({ hasNewer, hasOlder: true });
  expect(names).toContain('things_count');
});
