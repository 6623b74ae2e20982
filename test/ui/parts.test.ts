/** Goal: parts escape what they are given and say what they mean to readers of the screen. Method: their HTML as text. */
import { expect, test } from 'vitest';
import { field } from '../../src/ui/field.ts';
import { attributes, html } from '../../src/ui/html.ts';
import { badge, copyValue, initials, keyValues, pair, steps } from '../../src/ui/parts.ts';
import { table } from '../../src/ui/table.ts';

const EVIL = '"><script>alert(1)</script>';

test('values are escaped everywhere', () => {
  const parts = [
    html`<p title="${EVIL}">${[EVIL, null, false]}</p>`,
    attributes({ title: EVIL }),
    field({ name: 'name', label: EVIL, value: EVIL, wrong: EVIL }),
    badge('good', EVIL),
    copyValue({ id: 'code', shown: EVIL, text: EVIL }),
    table({ caption: EVIL, columns: [{ name: EVIL, cell: () => EVIL }], rows: [1] }),
  ];
  for (const { text } of parts) expect(text).not.toContain('<script>');
});

test('empty attributes are not written', () => {
  expect(attributes({ a: 1, b: true, c: false, d: null, e: undefined, f: '' }).text).toBe(' a="1" b f=""');
});

test('a field shows its error in place of its hint', () => {
  const given = { name: 'taxId', label: 'CPF', hint: '11 digits' };
  expect(field(given).text).toContain('aria-describedby="taxId-hint"');
  const { text } = field({ ...given, wrong: 'One digit is wrong' });
  expect(text).toContain('aria-invalid="true" aria-describedby="taxId-wrong"');
  expect(text).not.toContain('11 digits');
});

test('names without a value are left out', () => {
  expect(keyValues([pair('Fees', null), pair('Rate', '')])).toBeNull();
  expect(keyValues([pair('Fees', 'R$1.50'), null])?.text).toContain('<dt>Fees</dt><dd>R$1.50</dd>');
});

test('the unfinished step is the current one', () => {
  const list = ['arrived', 'going back', 'back'].map((what) => ({ what }));
  expect(steps(list, 1).text.match(/<li[^>]*>/g)).toEqual([
    '<li class="done">',
    '<li aria-current="step">',
    '<li class="next">',
  ]);
});

test.each([
  ['Loja da Ana', 'LA'],
  ['Café Aurora', 'CA'],
  ['Sandbox', 'S'],
  ['🦊 fox', 'F'],
  ['', ''],
])('the initials of %j are %j', (name, letters) => {
  expect(initials(name)).toBe(letters);
});
