/**
 * Goal: a person, a company or an address of a list is found however it is written, and nobody else; a damaged file changes nothing.
 * Method: small lists in the published forms, in a folder, with planted entries.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { createScreening, readScreeningSettings } from '../../../src/rails/screening/index.ts';
import { ScreenerUnavailable, type ScreeningSubject } from '../../../src/resolvers/services/rails.ts';
import { useApp } from '../../support/app.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';
import { age, LIST_FILES, listFolderOf, SANCTIONED_WALLET } from '../../support/screening-lists.ts';

const app = useApp();
const ALL = ['ofac', 'un', 'ceis', 'cnep', 'pep', 'own'];
const SECONDS_MS = 1_000;

function screening(folder: string, more: object = {}) {
  const json = { kind: 'lists', folder, lists: ALL, ...more };
  return createScreening(readScreeningSettings(json, 'screening'), {
    ...{ mode: 'live', database: app.database, clock: SYSTEM_CLOCK, log: pino({ level: 'silent' }) },
    receive: () => Promise.reject(new Error('screening tells nothing')),
  });
}

const matchOf = async (part: ReturnType<typeof screening>, subject: Partial<ScreeningSubject>) =>
  (await part.port.match?.([{ role: 'customer', ...subject }])) ?? [];
const foundIn = async (part: ReturnType<typeof screening>, subject: Partial<ScreeningSubject>) =>
  (await matchOf(part, subject)).map(
    ({ list, entry, strength, answer }) => `${list} ${entry} ${strength} ${answer}`,
  );

describe('planted entries', () => {
  const folder = listFolderOf();
  const part = () => screening(folder);
  test.each<[string, Partial<ScreeningSubject>, readonly string[]]>([
    ['a name without its accents', { name: 'Joao Antonio Muller Goncalves' }, ['ofac 20001 strong frozen']],
    [
      'swapped tokens in small letters',
      { name: 'gonçalves joão müller antônio' },
      ['ofac 20001 strong frozen'],
    ],
    ['an alias', { name: 'Ahmad Fuad Salim' }, ['ofac 7157 strong frozen']],
    ['a name with letters exchanged', { name: 'Aiman Al Zawahri' }, ['ofac 7157 review held']],
    ['a name with another token', { name: 'Osama Mahmoud Ali Kaddafi' }, ['un 6908555 review held']],
    ['an alias with an entity of XML', { name: 'Yusuf Harbi Abu' }, ['un 6908555 strong frozen']],
    [
      'a company by another form of company',
      { name: 'Korea Kwangson Trading Ltda.' },
      ['un 110403 strong frozen'],
    ],
    ['a wallet in another case', { address: SANCTIONED_WALLET }, ['ofac 23500 exact frozen']],
    ['a company of CNEP', { taxId: '11444777000161' }, ['cnep 300 exact held']],
    ['a whole CNPJ', { taxId: '12345678000195', name: 'Outro Nome' }, ['ceis 100 exact held']],
    [
      'a masked CPF with its name',
      { taxId: '52998224725', name: 'Ana Lucia da Conceicao' },
      ['ceis 101 strong held'],
    ],
    [
      'a politically exposed person',
      { taxId: '52998224725', name: 'Maria Conceição Pereira' },
      ['pep ***.982.247-**:MARIA DA CONCEIÇÃO PEREIRA strong held'],
    ],
    [
      'a name of the own list',
      { name: 'FULANO BELTRANO SICRANO' },
      ['own name:Fulano Beltrano Sicrano strong held'],
    ],
    [
      'an address of the own list',
      { address: 'TLyqzVGLV1srkB7dToTAEqgDSfPtXRJZYH' },
      ['own address:TLyqzVGLV1srkB7dToTAEqgDSfPtXRJZYH exact held'],
    ],
  ])('%s is found', async (_title, subject, found) => {
    expect(await foundIn(part(), subject)).toEqual(found);
  });

  test.each<[string, Partial<ScreeningSubject>]>([
    ['a namesake whose CPF has other digits', { taxId: '11144477735', name: 'Ana Lúcia Conceição' }],
    [
      'a company of the same name with another CNPJ',
      { taxId: '11222333000181', name: 'Construções Alvorada' },
    ],
    ['a sanction that has ended', { taxId: '99888777000166' }],
    ['an entry of the own list that has ended', { taxId: '11144477735' }],
    ['one word of a listed name', { name: 'Osama' }],
    ['one common word among others', { name: 'Maria Aparecida Souza' }],
    ['a ship', { name: 'Silver Star' }],
    ['a base58 address of another case', { address: 'tLYQZVGLV1SRKB7DtOtaeQGdsFpTxrjzyh' }],
  ])('%s is not', async (_title, subject) => {
    expect(await foundIn(part(), subject)).toEqual([]);
  });

  test('another year of birth lowers the score below a strong match', async () => {
    const name = 'João Antônio Müller Gonçalves';
    const scores = await Promise.all(
      ['1965-12-12', '1990-01-01'].map(async (birthDate) => (await matchOf(part(), { name, birthDate }))[0]),
    );
    expect(scores.map((each) => [each?.score, each?.strength])).toEqual([
      ['1', 'strong'],
      ['0.9', 'review'],
    ]);
  });

  test('the threshold is a setting, and the version of the list is part of a match', async () => {
    const strict = screening(folder, { review: '0.99', strong: '1' });
    expect(await foundIn(strict, { name: 'Aiman Al Zawahri' })).toEqual([]);
    const [match] = await matchOf(strict, { address: SANCTIONED_WALLET });
    expect(match).toMatchObject({ score: '1', version: expect.stringMatching(/^[0-9a-f]{12}$/) });
  });
});

describe('a damaged file', () => {
  const [xml, sdn] = [LIST_FILES['consolidated.xml'], LIST_FILES['SDN.CSV']];
  test.each<[string, 'consolidated.xml' | 'SDN.CSV' | '202611_PEP.csv', string | Uint8Array, string]>([
    ['an XML that ends early', 'consolidated.xml', xml.slice(0, -40), 'truncated'],
    [
      'an XML with a document type',
      'consolidated.xml',
      `<!DOCTYPE a [<!ENTITY b "c">]>${xml}`,
      'document type',
    ],
    ['a CSV whose last line does not end', 'SDN.CSV', sdn.slice(0, 200), 'truncated'],
    ['a CSV with other columns', 'SDN.CSV', '"1","A"\r\n', '2 columns, 12 expected'],
    ['an empty file', 'SDN.CSV', '', 'no entry'],
    ['a page of an error in place of the file', '202611_PEP.csv', '<html>\n</html>\n', 'no column'],
  ])('%s is refused and told, and the version before stays in use, also after a restart', async (_title, name, contents, why) => {
    const folder = listFolderOf();
    const part = screening(folder);
    const found = await foundIn(part, { address: SANCTIONED_WALLET, name: 'Osama Mahmoud Qaddafi' });
    expect(found).toHaveLength(2);
    writeFileSync(join(folder, name), contents);
    const refused = (await part.checks()).filter(({ ok }) => !ok);
    expect(refused).toMatchObject([{ detail: expect.stringContaining(why) }]);
    const restarted = screening(folder);
    for (const each of [part, restarted])
      expect(await foundIn(each, { address: SANCTIONED_WALLET, name: 'Osama Mahmoud Qaddafi' })).toEqual(
        found,
      );
    expect((await restarted.checks()).filter(({ ok }) => !ok)).toMatchObject(refused);
  });

  test('a file that lost most of its entries is refused', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `name,Pessoa Numero ${i}x,reason,\n`);
    const own = (lines: readonly string[]) => `type,value,reason,until\n${lines.join('')}`;
    const folder = listFolderOf({ ...LIST_FILES, 'own.csv': own(many) });
    const part = screening(folder, { lists: ['own'] });
    await part.checks();
    writeFileSync(join(folder, 'own.csv'), own(many.slice(0, 100)));
    expect(await part.checks()).toMatchObject([
      { ok: false, detail: expect.stringContaining('100 entries, the version before has 200') },
    ]);
  });

  test('no subject passes while a list has no version', async () => {
    const folder = listFolderOf();
    rmSync(join(folder, 'consolidated.xml'));
    await expect(matchOf(screening(folder), { name: 'Ana Souza' })).rejects.toThrow(ScreenerUnavailable);
  });
});

test('a new version is used from the next read of the folder', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const folder = listFolderOf();
    const part = screening(folder);
    expect(await foundIn(part, { name: 'Novo Nome Listado' })).toEqual([]);
    const before = readFileSync(join(folder, 'own.csv'), 'utf8');
    writeFileSync(join(folder, 'own.csv'), `${before}name,Novo Nome Listado,new,\n`);
    vi.advanceTimersByTime(11 * SECONDS_MS);
    expect(await foundIn(part, { name: 'Novo Nome Listado' })).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['SDN.CSV', ['list ofac']],
  ['ALT.CSV', ['list ofac']],
  ['ADD.CSV', ['list ofac']],
  ['consolidated.xml', ['list un']],
  ['20261128_CEIS.csv', ['list ceis']],
  ['20261128_CNEP.csv', ['list cnep']],
  ['202611_PEP.csv', ['list pep']],
  ['own.csv', []],
])('%s that is older than the setting fails the check of its list, apart from the own list', async (name, failing) => {
  const folder = listFolderOf();
  age(folder, name, 8);
  const checks = await screening(folder).checks();
  expect(checks.filter(({ ok }) => !ok)).toEqual(
    failing.map((check) => ({ check, ok: false, detail: expect.stringContaining('older than 7 days') })),
  );
  expect((await screening(folder, { maxAgeDays: 9 }).checks()).filter(({ ok }) => !ok)).toEqual([]);
});

test('every file of the lists is aged above', () => {
  expect(Object.keys(LIST_FILES)).toHaveLength(8);
});

test.each<[object, string]>([
  [{ kind: 'list' }, 'screening.kind: expected "lists" or "http" or "chainalysis-sanctions"'],
  [{ kind: 'lists', folder: '/x', lists: ['eu'] }, 'screening.lists: expected a list of "ofac", "un"'],
  [
    { kind: 'lists', folder: '/x', lists: ['un'], review: '0.5' },
    'screening.review: expected a score from "0.7" to "1"',
  ],
  [
    { kind: 'lists', folder: '/x', lists: ['un'], review: '0.9', strong: '0.8' },
    'screening.strong: expected at least review',
  ],
  [{ kind: 'lists', folder: '/x', lists: ['un'], maxAge: 3 }, 'screening.maxAge: there is no such setting'],
  [[], 'screening: expected "off", a screener, or a list of screeners'],
])('settings %j are refused by name and form', (json, message) => {
  expect(() => readScreeningSettings(json, 'screening')).toThrow(message);
});
