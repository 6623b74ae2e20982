/**
 * Goal: CPF and CNPJ, numeric and alphanumeric, are read however they were pasted (C-50), and shown as people write them. Method:
 * published numbers, the nearest refused text beside each accepted one; a second implementation over random
 * numbers.
 */
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fitsTaxId,
  formatTaxId,
  maskTaxId,
  parseTaxId,
  readMaskedTaxId,
} from '../../../src/base/pix/tax-id.ts';

const SEED = 20_261_121;
const ENDINGS = Array.from({ length: 100 }, (_, ending) => String(ending).padStart(2, '0'));

describe('CPF', () => {
  test.each([
    ['52998224725', '52998224725'],
    ['11144477735', '11144477735'],
    ['12345678909', '12345678909'],
    ['28001238938', '28001238938'],
    ['529.982.247-25', '52998224725'],
    ['280012389-38', '28001238938'],
    ['529982.247-25', '52998224725'],
    ['529-982-247.25', '52998224725'],
    ['529 982 247 25', '52998224725'],
    ['529.982.247-25 ', '52998224725'],
    ['\u00a0529.982.247\u201325\n', '52998224725'],
    ['\u200b529.\u00ad982.247\u221225\ufeff', '52998224725'],
  ])('%s is one', (text, value) => expect(parseTaxId(text)).toEqual({ kind: 'cpf', value }));

  test.each([
    '52998224724',
    '52998224715',
    '12345678900',
    '529.982.247-24',
    '00000000000',
    '11111111111',
    '999.999.999-99',
    '5299822472',
    '052998224725',
    '5299822472５',
    '٥٢٩٩٨٢٢٤٧٢٥',
    '+52998224725',
    '5.2998224725e10',
    '',
  ])('%j is none', (text) => expect(parseTaxId(text)).toBeUndefined());

  test('one of a hundred endings is valid, the one that @brazilian-utils accepts', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 9, maxLength: 9 }),
        (base) => {
          const accepted = ENDINGS.map((ending) => base + ending).filter((text) => parseTaxId(text));
          expect(accepted).toEqual(ENDINGS.map((ending) => base + ending).filter((text) => isValidCpf(text)));
          expect(accepted).toHaveLength(/^(\d)\1*$/.test(base) ? 0 : 1);
        },
      ),
      { seed: SEED, examples: [['111111111'], ['000000000'], ['000000001']] },
    );
  });
});

describe('CNPJ', () => {
  test.each([
    ['12ABC34501DE35', '12ABC34501DE35'],
    ['A1B2C3D41A2B62', 'A1B2C3D41A2B62'],
    ['11222333000181', '11222333000181'],
    ['12345678000195', '12345678000195'],
    ['12ABC345000188', '12ABC345000188'],
    ['00000000000191', '00000000000191'],
    ['12.ABC.345/01DE-35', '12ABC34501DE35'],
    ['12.abc.345/01de-35', '12ABC34501DE35'],
    ['12ABC345/01DE-35', '12ABC34501DE35'],
    ['12-ABC-345/01DE.35', '12ABC34501DE35'],
    ['\u00a012 ABC 345 01DE\u201435 ', '12ABC34501DE35'],
    ['11.222.333/0001-81', '11222333000181'],
  ])('%s is one', (text, value) => expect(parseTaxId(text)).toEqual({ kind: 'cnpj', value }));

  test.each([
    '12ABC34501DE36',
    'A1B2C3D41A2B99',
    '11222333000118',
    '12345678000194',
    '12ABC345000189',
    '00000000000000',
    '12.ABC.345/01DE-53',
    '12ABC34501DE3',
    '012ABC34501DE35',
    '12ABC34501DE3E',
    '12ABC34501DEZZ',
    '12ÁBC34501DE35',
    '12ABC3450１DE35',
    'ſ2ABC34501DE35',
    '12ABC345Oıde35',
  ])('%j is none', (text) => expect(parseTaxId(text)).toBeUndefined());

  test('one of a hundred endings is valid, the one that @brazilian-utils accepts', () => {
    const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    const digit = fc.constantFrom(...'0123456789');
    const base = fc.oneof(
      fc.string({ unit: character, minLength: 12, maxLength: 12 }),
      fc.string({ unit: digit, minLength: 12, maxLength: 12 }),
    );
    fc.assert(
      fc.property(base, (text) => {
        const all = ENDINGS.map((ending) => text + ending);
        const accepted = all.filter((each) => parseTaxId(each));
        expect(accepted).toEqual(all.filter((each) => isValidCnpj(each, { version: 2 })));
        expect(accepted).toHaveLength(text === '000000000000' ? 0 : 1);
        expect(parseTaxId(String(accepted[0]).toLowerCase())?.value).toBe(accepted[0]);
      }),
      { seed: SEED, examples: [['AAAAAAAAAAAA'], ['ZZZZZZZZZZZZ'], ['111111111111']] },
    );
  });
});

describe('masked by a provider', () => {
  test.each([
    ['***.982.247-**', '***982247**'],
    [' xxx.982.247–xx ', '***982247**'],
    ['•••982247••', '***982247**'],
    ['###.###.###-25', '*********25'],
    ['**.ABC.345/01de-**', '**ABC34501DE**'],
    ['XX.222.333/0001-81', '**222333000181'],
    // X is a character of this CNPJ.
    ['12.XBC.345/01DE-07', '12XBC34501DE07'],
    ['529.982.247-25', '52998224725'],
    ['', ''],
  ])('%j is read as %j', (text, read) => {
    expect(readMaskedTaxId(text)).toBe(read);
  });

  test.each([
    ['***982247**', '52998224725', true],
    ['***982248**', '52998224725', false],
    ['000***982247**', '52998224725', true],
    ['001***982247**', '52998224725', false],
    ['**982247000181', '52998224725', false],
    ['**2223330001**', '11222333000181', true],
    ['**2223330002**', '11222333000181', false],
    ['***982247**', '11222333000181', false],
    ['***982247', '52998224725', false],
  ])('%s fits %s: %s', (shown, taxId, fits) => {
    expect(fitsTaxId(shown, taxId)).toBe(fits);
  });
});

describe('shown', () => {
  test.each([
    ['52998224725', '529.982.247-25', '***.982.247-**'],
    ['12345678909', '123.456.789-09', '***.456.789-**'],
    ['123.456.789-09', '123.456.789-09', '***.456.789-**'],
    ['12ABC34501DE35', '12.ABC.345/01DE-35', '**.ABC.345/01DE-**'],
    ['11222333000181', '11.222.333/0001-81', '**.222.333/0001-**'],
    // Imported history may hold numbers with wrong check digits: they are shown, and hidden, all the same.
    ['12345678900', '123.456.789-00', '***.456.789-**'],
    ['1234', '1234', '***'],
    ['', '', '***'],
    ['unknown 52998224725', 'unknown 52998224725', '***'],
  ])('%j as %j and, masked, as %j', (text, formatted, masked) => {
    expect(formatTaxId(text)).toBe(formatted);
    expect(maskTaxId(text)).toBe(masked);
  });

  test('a formatted tax id is read back', () => {
    for (const text of ['52998224725', '12ABC34501DE35']) {
      expect(parseTaxId(formatTaxId(text))?.value).toBe(text);
      expect(parseTaxId(maskTaxId(text))).toBeUndefined();
    }
  });
});
