/**
 * Goal: BR Codes are written as the manual shows them and read only when every object and the CRC are right.
 * Method: published payloads, the same with one fault beside them; round trips; a second implementation over
 * random names.
 */
import { generatePixPayload, getPixPayloadInfo, isValidPixPayload } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  crc16,
  decodeBrCode,
  dynamicBrCode,
  type StaticBrCode,
  staticBrCode,
} from '../../../src/base/pix/br-code.ts';

const SEED = 20_261_121;
const KEY = '123e4567-e12b-12d1-a456-426655440000';
const FULANO = { merchantName: 'Fulano de Tal', merchantCity: 'BRASILIA' };

/** Published codes and what they say; the manual's own first. */
const VECTORS = {
  static:
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
  dynamic:
    '00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4',
  upperCaseGui:
    '00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB',
  recurrence:
    '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741',
  amountAndTxid:
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406123.455802BR5921Padaria Sao Joao Ltda6009Sao Paulo62120508PEDIDO426304C383',
  phone:
    '00020126360014BR.GOV.BCB.PIX0114+5511943214321520400005303986540566.665802BR5907EMPRESA6008BRASILIA62070503***630404ED',
} as const;
/** As published, with a length of 08 for seven characters. */
const MALFORMED =
  '00020126360014BR.GOV.BCB.PIX0114+5511943214321520400005303986540566.665802BR5907EMPRESA6008BRASILIA62080503***6304170E';

const PADARIA: StaticBrCode = {
  key: KEY,
  amount: '123.45',
  merchantName: 'Padaria São João Ltda',
  merchantCity: 'São Paulo',
  txid: 'PEDIDO42',
};

/** Four objects of the greatest length. */
const OTHERS = [70, 71, 72, 73].map((id) => `${id}99${'x'.repeat(99)}`).join('');

/** The code with a right CRC, so that it is its objects that are judged. */
function sealed(body: string): string {
  return `${body}6304${crc16(`${body}6304`)}`;
}

/** A code of the usual objects, some of them replaced or, when empty, left out. */
function codeWith(changes: Readonly<Record<string, string>>): string {
  const objects: Record<string, string> = {
    format: '000201',
    initiation: '',
    account: `26580014br.gov.bcb.pix0136${KEY}`,
    category: '52040000',
    currency: '5303986',
    amount: '',
    country: '5802BR',
    name: '5913Fulano de Tal',
    city: '6008BRASILIA',
    additional: '62070503***',
    ...changes,
  };
  return sealed(Object.values(objects).join(''));
}

describe('CRC', () => {
  test.each([
    ['123456789', '29B1'],
    ['', 'FFFF'],
    ...Object.values(VECTORS).map((code): [string, string] => [code.slice(0, -4), code.slice(-4)]),
  ])('of %j is %s', (text, crc) => expect(crc16(text)).toBe(crc));
  test('differs with the city in capitals', () =>
    expect(staticBrCode({ ...PADARIA, merchantCity: 'SAO PAULO' })).toMatch(/6009SAO PAULO.*63041A59$/));
});

describe('writing', () => {
  test('generates the published codes', () => {
    expect(staticBrCode({ key: KEY, ...FULANO })).toBe(VECTORS.static);
    expect(staticBrCode(PADARIA)).toBe(VECTORS.amountAndTxid);
    expect(dynamicBrCode({ url: 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441', ...FULANO })).toBe(
      VECTORS.dynamic,
    );
  });

  test.each([
    ['0.01', '54040.01'],
    ['1', '54041.00'],
    ['1.5', '54041.50'],
    ['1.500', '54041.50'],
    ['9999999999.99', '54139999999999.99'],
  ])('the amount %s is %s', (amount, object) =>
    expect(staticBrCode({ ...PADARIA, amount })).toContain(`5303986${object}5802BR`));

  test.each([
    '0',
    '0.00',
    '-1',
    '1.005',
    '10000000000',
    '1,00',
    '1e2',
    '+5',
    '１',
    '',
  ])('the amount %j is refused', (amount) =>
    expect(() => staticBrCode({ ...PADARIA, amount })).toThrow(RangeError));

  test.each([
    [{ merchantName: 'Conceição  &\tFilhos' }, '5918Conceicao & Filhos'],
    [{ merchantName: 'Companhia Brasileira de Distribuição' }, '5925Companhia Brasileira de D'],
    [{ merchantName: 'Companhia Brasileira das Águas' }, '5924Companhia Brasileira das6009'],
    [{ merchantCity: 'São José do Rio Preto' }, '6015Sao Jose do Rio'],
    [{ txid: 'a'.repeat(25) }, `62290525${'a'.repeat(25)}`],
    [{ txid: undefined }, '62070503***'],
    [{ description: 'Pão de açúcar' }, '0213Pao de acucar'],
    [{ description: 'x'.repeat(80) }, `26990014br.gov.bcb.pix0136${KEY}0237${'x'.repeat(37)}52`],
    [{ key: '52998224725', description: 'x'.repeat(80) }, `0111529982247250262${'x'.repeat(62)}52`],
    [{ key: 'k'.repeat(77), description: 'x'.repeat(9) }, `26990014br.gov.bcb.pix0177${'k'.repeat(77)}52`],
    [{ key: 'k'.repeat(72), description: 'xyz' }, `0172${'k'.repeat(72)}0201x52`],
    [{ description: '猫' }, `0136${KEY}52`],
  ])('%j is written as %s', (changes, object) =>
    expect(staticBrCode({ ...PADARIA, ...changes })).toContain(object));

  test.each([
    { key: '' },
    { key: 'k'.repeat(78) },
    { key: 'two words' },
    { key: 'chavé' },
    { txid: '' },
    { txid: 'a'.repeat(26) },
    { txid: 'PEDIDO-42' },
    { txid: '***' },
    { merchantName: '' },
    { merchantName: '株式会社' },
    { merchantCity: ' \n' },
  ])('%j is refused', (changes) =>
    expect(() => staticBrCode({ ...PADARIA, ...changes })).toThrow(RangeError));

  test.each([
    'pix.example.com',
    'pix.example.com/',
    `pix.example.com/${'a'.repeat(61)}`,
  ])('the URL %s is written', (url) =>
    expect(decodeBrCode(dynamicBrCode({ url, ...FULANO }))).toMatchObject({ kind: 'dynamic', url }));
  test.each([
    'https://pix.example.com/1',
    'pix',
    'pix.example.com:8080/1',
    'pix.example.com/a b',
    'pix.example.com/á',
    '/1',
    '',
    `pix.example.com/${'a'.repeat(62)}`,
  ])('the URL %j is refused', (url) => expect(() => dynamicBrCode({ url, ...FULANO })).toThrow(RangeError));
});

describe('reading', () => {
  test.each([
    ['static', { kind: 'static', key: KEY, ...FULANO }],
    ['dynamic', { kind: 'dynamic', url: 'pix.example.com/8b3da2f39a4140d1a91abd93113bd441', ...FULANO }],
    [
      'upperCaseGui',
      {
        kind: 'dynamic',
        url: 'pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99',
        merchantName: 'EMPRESA',
        merchantCity: 'SAO PAULO',
      },
    ],
    [
      'recurrence',
      { kind: 'dynamic', url: 'pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441', ...FULANO },
    ],
    [
      'amountAndTxid',
      { kind: 'static', ...PADARIA, merchantName: 'Padaria Sao Joao Ltda', merchantCity: 'Sao Paulo' },
    ],
    [
      'phone',
      {
        kind: 'static',
        key: '+5511943214321',
        amount: '66.66',
        merchantName: 'EMPRESA',
        merchantCity: 'BRASILIA',
      },
    ],
  ] as const)('takes the published code %s', (name, says) =>
    expect(decodeBrCode(VECTORS[name])).toStrictEqual(says));

  test('refuses the published code with a wrong length, with any CRC', () => {
    expect(decodeBrCode(MALFORMED)).toBeUndefined();
    expect(decodeBrCode(sealed(MALFORMED.slice(0, -8)))).toBeUndefined();
  });

  test.each<[string, Readonly<Record<string, string>>, object]>([
    ['a reusable code', { initiation: '010211' }, {}],
    ['no additional data', { additional: '' }, {}],
    ['additional data without txid', { additional: '62065002ab' }, {}],
    ['a postcode', { city: '6008BRASILIA610870074900' }, {}],
    ['another arrangement beside', { initiation: '27080004abcd' }, {}],
    ['a category', { category: '52045812' }, {}],
    ['an amount in whole reais', { amount: '540210' }, { amount: '10.00' }],
    ['one decimal', { amount: '540410.5' }, { amount: '10.50' }],
    ['a point at the end', { amount: '540310.' }, { amount: '10.00' }],
    ['leading zeros', { amount: '540800010.50' }, { amount: '10.50' }],
    ['objects without a meaning here', { city: `6008BRASILIA${OTHERS.slice(0, 309)}` }, {}],
    ['a long name', { name: `5926${'n'.repeat(26)}` }, { merchantName: 'n'.repeat(26) }],
    ['a description', { account: `26640014br.gov.bcb.pix0136${KEY}0202oi` }, { description: 'oi' }],
  ])('takes %s', (_, changes, says) =>
    expect(decodeBrCode(codeWith(changes))).toStrictEqual({ kind: 'static', key: KEY, ...FULANO, ...says }));

  test.each<[string, Readonly<Record<string, string>>]>([
    ['no format', { format: '' }],
    ['another format', { format: '000202' }],
    ['the format later', { format: '', category: '52040000000201' }],
    ['an unknown initiation', { initiation: '010213' }],
    ['no account', { account: '' }],
    ['an account of another arrangement', { account: `26580014br.gov.bcb.pax0136${KEY}` }],
    ['an account outside 26 to 51', { account: `80580014br.gov.bcb.pix0136${KEY}` }],
    ['an account below 26', { account: `25580014br.gov.bcb.pix0136${KEY}` }],
    ['neither key nor URL', { account: '26180014br.gov.bcb.pix' }],
    ['key and URL', { account: '26420014br.gov.bcb.pix0103abc2513pix.example.c' }],
    ['a URL with a scheme', { account: '26420014br.gov.bcb.pix2520https://pix.example/' }],
    ['a key with a space', { account: '26250014br.gov.bcb.pix0103a b' }],
    ['cash withdrawal', { account: '26370014br.gov.bcb.pix0103abc030812345678' }],
    ['malformed account', { account: '26250014br.gov.bcb.pix0104abc' }],
    ['two PIX accounts', { initiation: '27250014br.gov.bcb.pix0103abc' }],
    ['no category', { category: '' }],
    ['dollars', { currency: '5303840' }],
    ['another country', { country: '5802US' }],
    ['no name', { name: '' }],
    ['an empty name', { name: '5900' }],
    ['no city', { city: '' }],
    ['a name twice', { name: '5901a5901b' }],
    ['a length that is no number', { name: '590xabc' }],
    ['a letter in an id', { name: '5913Fulano de Tal5X01a' }],
    ['an amount of zero', { amount: '54040.00' }],
    ['a comma', { amount: '54041,00' }],
    ['three decimals', { amount: '54051.000' }],
    ['eleven digits', { amount: '541412345678901.00' }],
    ['a sign', { amount: '5403-10' }],
    ['a point alone', { amount: '5401.' }],
    ['a txid with a hyphen', { additional: '62080504ab-c' }],
    ['a txid of 26', { additional: `62300526${'a'.repeat(26)}` }],
    ['malformed additional data', { additional: '62070504***' }],
    ['a CRC before the end', { city: '6008BRASILIA6304ABCD' }],
    ['an accent', { name: '5913Fulaño de Tal' }],
    ['a line feed', { name: '5913Fulano\nde Tal' }],
    ['more than 512 characters', { city: `6008BRASILIA${OTHERS}` }],
  ])('refuses %s', (_, changes) => expect(decodeBrCode(codeWith(changes))).toBeUndefined());

  test.each([
    ['nothing', ''],
    ['no CRC', VECTORS.static.slice(0, -8)],
    [
      'a CRC under another id',
      `${VECTORS.static.slice(0, -8)}6404${crc16(`${VECTORS.static.slice(0, -8)}6404`)}`,
    ],
    ['half a CRC', VECTORS.static.slice(0, -2)],
    ['a CRC in lower case', VECTORS.static.slice(0, -4) + VECTORS.static.slice(-4).toLowerCase()],
    ['something behind', `${VECTORS.static} `],
    ['something before', ` ${VECTORS.static}`],
    ['a key alone', KEY],
  ])('refuses %s', (_, text) => expect(decodeBrCode(text)).toBeUndefined());

  test('refuses a published code with any one character changed', () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    for (const code of Object.values(VECTORS)) {
      for (let at = 0; at < code.length; at++) {
        const others = printable.filter((character) => character !== code[at]);
        const taken = others.filter((other) => decodeBrCode(code.slice(0, at) + other + code.slice(at + 1)));
        expect([at, taken]).toEqual([at, []]);
      }
    }
  });
});

describe('any code', () => {
  const characters = (unit: string, minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...unit), minLength, maxLength });
  const WORDS = 'abcxyzABCXYZ0123456789 .-/&@';
  const TXID = 'abcxyzABCXYZ0123456789';
  const plain = (maxLength: number) =>
    characters(WORDS, 1, maxLength)
      .map((text) => text.replace(/ {2,}/g, ' ').trim())
      .filter((text) => text !== '');
  const amount = fc.bigInt(1n, 999_999_999_999n).map((cents) => {
    const digits = String(cents).padStart(3, '0');
    return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
  });
  const key = fc.constantFrom(KEY, '52998224725', '12ABC34501DE35', '+5511987654321', 'fulano@example.com');
  const whole = fc.record(
    {
      key,
      merchantName: plain(25),
      merchantCity: plain(15),
      amount,
      txid: characters(TXID, 1, 25),
      description: plain(37),
    },
    { requiredKeys: ['key', 'merchantName', 'merchantCity'] },
  );

  test('reads back the written values, also with @brazilian-utils', () => {
    fc.assert(
      fc.property(whole, (code) => {
        const text = staticBrCode(code);
        expect(decodeBrCode(text)).toStrictEqual({ kind: 'static', ...code });
        expect(text.length).toBeLessThanOrEqual(512);
        expect(isValidPixPayload(text)).toBe(true);
        const { amount: reais, ...rest } = code;
        expect(getPixPayloadInfo(text)).toMatchObject({
          ...rest,
          ...(reais !== undefined && { amount: Number(reais) }),
        });
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  test('is refused with one character changed, or two neighbours swapped', () => {
    fc.assert(
      fc.property(
        whole,
        fc.nat(),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        (code, seed, other) => {
          const text = staticBrCode(code);
          const at = seed % (text.length - 1);
          const changed = text.slice(0, at) + other + text.slice(at + 1);
          if (changed !== text) expect(decodeBrCode(changed)).toBeUndefined();
          const swapped = text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2);
          if (swapped !== text) expect(decodeBrCode(swapped)).toBeUndefined();
        },
      ),
      { seed: SEED, numRuns: 2000 },
    );
  });

  test('for any names equals that of @brazilian-utils, or is refused by both', () => {
    const name = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'ãçéÜ  -aZ'),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 40,
    });
    const optional = { merchantName: name, merchantCity: name, description: name, amount, key };
    fc.assert(
      fc.property(fc.record(optional), ({ amount: reais, ...code }) => {
        const theirs = generatePixPayload({ ...code, amount: Number(reais) });
        if (theirs === null) expect(() => staticBrCode({ ...code, amount: reais })).toThrow(RangeError);
        else expect(staticBrCode({ ...code, amount: reais })).toBe(theirs);
        const url = 'pix.example.com/qr/v2/1';
        const { merchantName, merchantCity } = code;
        const dynamic = generatePixPayload({ url, merchantName, merchantCity });
        if (dynamic !== null) expect(dynamicBrCode({ url, merchantName, merchantCity })).toBe(dynamic);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });
});
