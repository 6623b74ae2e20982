/** Goal: a chart says in words and in a table what it draws, and takes its place before it is drawn. */
import { expect, test } from 'vitest';
import { barChart, changeOf, lineChart } from '../../src/ui/chart.ts';

const WORDS = { open: 'Show figures', name: 'Day', value: 'Amount', before: '30 days earlier' };
const parts = {
  points: [
    { name: 'Nov 1', value: '100.00', before: '50.00' },
    { name: 'Nov 2', value: '0', before: '0' },
    { name: 'Nov 3', value: '0.01', before: '100' },
  ],
  sentence: 'R$100.01 in 3 days',
  words: WORDS,
  show: (value: string) => `R$${value}`,
};

test('a bar chart has its sentence, its figures as a table, and a drawing that readers of the screen pass over', () => {
  const { text } = barChart(parts);
  expect(text).toContain('<figcaption>R$100.01 in 3 days</figcaption>');
  expect(text).toMatch(/<svg class="bars" viewBox="0 0 30 48"[^>]* aria-hidden="true">/);
  expect(text.match(/<th scope="row">Nov \d<\/th>/g)).toHaveLength(3);
  expect(text).toContain('<td class="num">R$0.01</td>');
});

test('the largest value is as high as the chart, a value above zero is visible, and zero is not drawn', () => {
  const [before, now] = [...barChart(parts).text.matchAll(/ d="([^"]*)"/g)].map((match) => match[1]);
  expect(now).toBe('M3 48v-48h5v48zM23 48v-1h5v1z');
  expect(before).toBe('M0 48v-24h5v24zM20 48v-48h5v48z');
});

test('failures stand on their value, in a colour of their own, and have a column of the table', () => {
  const points = [
    { name: '10:00', value: '3', failed: '1' },
    { name: '11:00', value: '0', failed: '2' },
    { name: '12:00', value: '2', failed: '0' },
  ];
  const { text } = barChart({
    ...parts,
    points,
    words: { open: 'Show', name: 'Time', value: 'Delivered', failed: 'Failed' },
  });
  const [done, failed] = [...text.matchAll(/<path( class="bad")? d="([^"]*)"/g)].map(([, kind, d]) => [
    kind,
    d,
  ]);
  expect(done).toEqual([undefined, 'M0 48v-36h7v36zM20 48v-24h7v24z']);
  expect(failed).toEqual([' class="bad"', 'M0 12v-12h7v12zM10 48v-24h7v24z']);
  expect(text).toMatch(/<th[^>]*>Failed<\/th>/);
  expect(text).toContain('<td class="num">R$2</td>');
});

test('a line of values below zero has its zero in the middle', () => {
  const points = ['10', '-10', '0'].map((value, at) => ({ name: String(at), value }));
  const paths = [...lineChart({ ...parts, points }).text.matchAll(/"stroke"[^>]* d="([^"]*)"/g)].map(
    (match) => match[1],
  );
  expect(paths).toEqual(['M0 24H20', 'M0 0L10 48L20 24']);
});

test('nothing but zeros and no point at all are drawn as nothing', () => {
  for (const points of [[], [{ name: 'Nov 1', value: '0' }]])
    expect(barChart({ ...parts, points }).text).toContain('<path d=""/>');
});

test.each([
  ['120', '100', { percent: '20', isMore: true }],
  ['50', '100', { percent: '50', isMore: false }],
  ['100.00', '100', { percent: '0', isMore: false }],
  ['5', '0', null],
  ['-5', '10', null],
])('a change from %s against %s before', (value, before, change) => {
  expect(changeOf(value, before)).toEqual(change);
});
