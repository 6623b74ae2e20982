/**
 * Goal: a PIX key of a declared type is read strictly and kept in the form in which the directory of keys
 * holds it. Method: tables, the nearest refused text beside each accepted one; a second implementation over
 * area codes and keys.
 */
import { getAreaCodesByState, getPixKeyInfo, isValidMobilePhone } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PIX_KEY_FORMS, PIX_KEY_TYPES, type PixKeyType, parsePixKey } from '../../../src/base/pix/pix-key.ts';

const UUID = '123e4567-e12b-12d1-a456-426655440000';
const LONGEST_EMAIL = `${'a'.repeat(65)}@example.com`;

const ACCEPTED: readonly [PixKeyType, string, string][] = [
  ['cpf', '52998224725', '52998224725'],
  ['cpf', '111.444.777-35', '11144477735'],
  ['cpf', '12345678909', '12345678909'],
  ['cpf', '\u200b529.982.247-25\u00a0', '52998224725'],
  ['cnpj', '12ABC34501DE35', '12ABC34501DE35'],
  ['cnpj', '12.abc.345/01de-35', '12ABC34501DE35'],
  ['cnpj', '11.222.333/0001-81', '11222333000181'],
  ['email', 'fulano@example.com', 'fulano@example.com'],
  ['email', '  Fulano.de-Tal+pix@Example.COM.br\n', 'fulano.de-tal+pix@example.com.br'],
  ['email', "o'neil_1@a.b-c.example", "o'neil_1@a.b-c.example"],
  ['email', LONGEST_EMAIL, LONGEST_EMAIL],
  ['phone', '+5511987654321', '+5511987654321'],
  ['phone', '5511987654321', '+5511987654321'],
  ['phone', '11987654321', '+5511987654321'],
  ['phone', '+55 (11) 98765-4321', '+5511987654321'],
  ['phone', '(11) 98765-4321', '+5511987654321'],
  ['phone', '11 98765 4321', '+5511987654321'],
  ['phone', ' 11987654321\n', '+5511987654321'],
  // 55 is the area code of Santa Maria as well as the country's.
  ['phone', '55987654321', '+5555987654321'],
  ['phone', '5555987654321', '+5555987654321'],
  ['random', UUID, UUID],
  ['random', UUID.toUpperCase(), UUID],
  ['random', ` ${UUID}\ufeff`, UUID],
  ['random', '71c7d9be-4b85-4e43-9f1c-1f3b8b4e9a2d', '71c7d9be-4b85-4e43-9f1c-1f3b8b4e9a2d'],
  ['random', '01890a5d-ac96-774b-bcce-b302099a8057', '01890a5d-ac96-774b-bcce-b302099a8057'],
];

const REFUSED: Readonly<Record<PixKeyType, readonly string[]>> = {
  cpf: ['52998224724', '11111111111', '12ABC34501DE35', '11987654321', ''],
  cnpj: ['12ABC34501DE36', '00000000000000', '52998224725', '12ABC34501DE3E', ''],
  email: [
    `a${LONGEST_EMAIL}`,
    'fulano',
    'fulano@',
    '@example.com',
    'fulano@@example.com',
    'fulano@exam ple.com',
    'ful ano@example.com',
    'fulano@-example.com',
    'fulano@example-.com',
    'fulano@example..com',
    'fulano@example.com.',
    'ful%ano@example.com',
    '"fulano"@example.com',
    'fuláno@example.com',
    '\u212Aaren@example.com',
    'fulano@example.com\0',
    '',
  ],
  phone: [
    '+551132654321',
    '+5511887654',
    '+55119876543210',
    '+551198765432',
    '+5511687654321',
    '+5511187654321',
    '+5511700123456',
    '+5520987654321',
    '+5510987654321',
    '52998224725',
    '987654321',
    '+55987654321',
    '+5411987654321',
    '+1 202 555 0143',
    '011987654321',
    '005511987654321',
    '++5511987654321',
    '+55  11987654321',
    '+55(11)98765--4321',
    '(11 98765-4321',
    '1198765432１',
    '+٥٥١١٩٨٧٦٥٤٣٢١',
    '',
  ],
  random: [
    '123e4567e12b12d1a456426655440000',
    '{123e4567-e12b-12d1-a456-426655440000}',
    'urn:uuid:123e4567-e12b-12d1-a456-426655440000',
    '123e4567-e12b-12d1a456-426655440000',
    '123e4567-e12b-12d1-a456-42665544000',
    '123e4567-e12b-12d1-a456-42665544000g',
    '123e4567-e12b-12d1-a4564-26655440000',
    '',
  ],
};

describe('keys', () => {
  test.each(ACCEPTED)('as %s, %j is %s', (type, text, key) => expect(parsePixKey(type, text)).toBe(key));

  test.each(
    PIX_KEY_TYPES.flatMap((type) => REFUSED[type].map((text): [PixKeyType, string] => [type, text])),
  )('as %s, %j is none', (type, text) => expect(parsePixKey(type, text)).toBeUndefined());

  test('a canonical key stays unchanged, and is no key of another type', () => {
    for (const [type, , key] of ACCEPTED) {
      expect(PIX_KEY_TYPES.filter((other) => parsePixKey(other, key) !== undefined)).toEqual([type]);
      expect(parsePixKey(type, key)).toBe(key);
    }
  });

  test('11 digits may be a CPF and a phone: the declared type decides', () => {
    expect(parsePixKey('cpf', '11987654374')).toBe('11987654374');
    expect(parsePixKey('phone', '11987654374')).toBe('+5511987654374');
  });

  test.each([
    'joao..silva@example.com',
    'joao.@example.com',
    '.joao@example',
  ])('as the directory has them, %s is an email address (K01)', (key) =>
    expect(parsePixKey('email', key)).toBe(key));

  test('@brazilian-utils finds the same type and form in every canonical key', () => {
    for (const [type, , key] of ACCEPTED) {
      expect(getPixKeyInfo(key)).toEqual({ type: type === 'random' ? 'evp' : type, value: key });
    }
  });
});

describe('phones', () => {
  test('area codes are those of the states', () => {
    const states = 'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(
      ' ',
    );
    const codes = new Set(states.flatMap((state) => getAreaCodesByState(state as 'SP')));
    const accepted = Array.from({ length: 100 }, (_, code) => code).filter((code) =>
      parsePixKey('phone', `+55${String(code).padStart(2, '0')}987654321`),
    );
    expect(accepted).toEqual([...codes].sort((a, b) => a - b));
    expect(accepted).toHaveLength(67);
  });

  test('mobile numbers are those of mobile networks', () => {
    for (let start = 0; start < 1000; start++) {
      const number = `11${String(start).padStart(3, '0')}654321`;
      expect([number, parsePixKey('phone', number) !== undefined]).toEqual([
        number,
        isValidMobilePhone(number, { version: 2 }),
      ]);
    }
  });
});

test('any text is either refused or becomes a canonical key', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'0123456789+55(1) -.@abzAZ\u212A１é'),
    maxLength: 24,
  });
  fc.assert(
    fc.property(fc.constantFrom(...PIX_KEY_TYPES), text, (type, each) => {
      const key = parsePixKey(type, each);
      if (key === undefined) return;
      expect(key).toMatch(/^[!-~]{1,77}$/);
      expect(parsePixKey(type, key)).toBe(key);
    }),
    { seed: 20_261_121, numRuns: 1000 },
  );
});

test('every type describes its accepted form', () => {
  for (const type of PIX_KEY_TYPES) expect(PIX_KEY_FORMS[type]).toMatch(/^must be an? /);
});
