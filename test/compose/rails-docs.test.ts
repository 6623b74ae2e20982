/** Goal: docs/rails.md is what the readers of settings take. Method: its examples are read, and its tables are held against what readers know. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readEvmSettings } from '../../src/rails/evm/index.ts';
import { readInventorySettings } from '../../src/rails/inventory/index.ts';
import { readRateSettings } from '../../src/rails/rates/index.ts';
import { readTronSettings } from '../../src/rails/tron/index.ts';

const TEXT = readFileSync(new URL('../../docs/rails.md', import.meta.url), 'utf8');

/** The section of a rail, with its example and the names of its table. */
function sectionOf(title: string) {
  const [, text = ''] = TEXT.split(`\n## ${title}\n`);
  const own = text.split('\n## ')[0] ?? '';
  const example = JSON.parse(/```json\n([\s\S]*?)```/.exec(own)?.[1] ?? 'null').live;
  const names = [...own.matchAll(/^\| `(?:\w+\[\]\.)?(\w+)` \|/gm)].map((match) => match[1]);
  return { example, names };
}

/** Every name that a reader knows at an object: what it says when one is wrong. */
function knownTo(read: (json: unknown, path: string) => unknown, json: unknown): string[] {
  try {
    read(json, '');
  } catch (error) {
    const [, names = ''] = /known here: (.*)$/.exec((error as Error).message) ?? [];
    return names.split(', ').filter((name) => name !== 'kind');
  }
  throw new Error('an unknown member is refused');
}

test('the inventory', () => {
  const { example, names } = sectionOf('Inventory');
  const { liquidity } = example;
  expect(() => readInventorySettings(liquidity, 'live.liquidity')).not.toThrow();
  const known = [
    knownTo(readInventorySettings, { ...liquidity, x: 1 }),
    knownTo(readInventorySettings, { kind: 'inventory', positions: { BRL: { x: 1 } } }),
  ].flat();
  expect(names.toSorted()).toEqual(known.toSorted());
});

test('rates', () => {
  const { example, names } = sectionOf('Rates');
  const { rates } = example;
  expect(() => readRateSettings(rates, 'live.rates')).not.toThrow();
  const [feed] = rates.feeds;
  const [price] = feed.prices;
  const known = [
    knownTo(readRateSettings, { ...rates, x: 1 }),
    knownTo(readRateSettings, { ...rates, feeds: [{ ...feed, x: 1 }] }),
    knownTo(readRateSettings, { ...rates, feeds: [{ ...feed, prices: [{ ...price, x: 1 }] }] }),
  ].flat();
  expect(names.toSorted()).toEqual(known.toSorted());
});

test('EVM networks', () => {
  const { example, names } = sectionOf('Networks');
  const { ETH } = example.networks;
  expect(() => readEvmSettings(ETH, 'live.networks.ETH', 'ETH')).not.toThrow();
  expect(names.toSorted()).toEqual(
    knownTo((json, path) => readEvmSettings(json, path, 'ETH'), { ...ETH, x: 1 }).toSorted(),
  );
});

test('TRON', () => {
  const { example, names } = sectionOf('TRON');
  const { TRX } = example.networks;
  expect(() => readTronSettings(TRX, 'live.networks.TRX', 'TRX')).not.toThrow();
  expect(names.toSorted()).toEqual(
    knownTo((json, path) => readTronSettings(json, path, 'TRX'), { ...TRX, x: 1 }).toSorted(),
  );
});
