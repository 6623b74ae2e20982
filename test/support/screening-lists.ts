/** A folder with small screening lists in the published forms, with planted entries. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { newHome } from './home.ts';

/** On the list of OFAC. */
export const SANCTIONED_WALLET = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
/** As SDN.CSV writes an address that the planted entry has. */
const WALLET_ON_LIST = SANCTIONED_WALLET.toLowerCase();

const line = (...fields: readonly string[]) => `${fields.map((each) => `"${each}"`).join(',')}\r\n`;
const sdn = (id: string, name: string, type: string, remarks: string) =>
  line(id, name, type, 'SDGT', ...Array<string>(7).fill('-0- '), remarks);

/** Contents of the files by their names. */
export const LIST_FILES = {
  'SDN.CSV': `${[
    sdn('36', 'AEROCARIBBEAN AIRLINES', '-0- ', '-0- '),
    sdn('7157', 'AL-ZAWAHIRI, Dr. Ayman', 'individual', 'DOB 19 Jun 1951; POB Giza, Egypt.'),
    sdn('20001', 'MÜLLER-GONÇALVES, João Antônio', 'individual', 'DOB 12 Dec 1965.'),
    sdn('23500', 'LAZARUS GROUP', '-0- ', `Digital Currency Address - ETH ${WALLET_ON_LIST};`),
    sdn('9', 'SILVER STAR', 'vessel', '-0- '),
  ].join('')}\x1a`,
  'ALT.CSV': line('7157', '12', 'aka', 'SALIM, Ahmad Fuad', '-0- '),
  'ADD.CSV': line('36', '25', 'Sierra 120', 'Havana', 'Cuba', '-0- '),
  'consolidated.xml': `<?xml version="1.0" encoding="utf-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-11-28T00:00:00Z"><INDIVIDUALS><INDIVIDUAL><DATAID>6908555</DATAID>
<FIRST_NAME>OSAMA</FIRST_NAME><SECOND_NAME>MAHMOUD</SECOND_NAME><THIRD_NAME>QADDAFI</THIRD_NAME>
<REFERENCE_NUMBER>QDi.999</REFERENCE_NUMBER><INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Abu &amp; Yusuf Harbi</ALIAS_NAME></INDIVIDUAL_ALIAS>
<INDIVIDUAL_DATE_OF_BIRTH><YEAR>1970</YEAR></INDIVIDUAL_DATE_OF_BIRTH></INDIVIDUAL></INDIVIDUALS>
<ENTITIES><ENTITY><DATAID>110403</DATAID><FIRST_NAME>KOREA KWANGSON TRADING CORPORATION</FIRST_NAME></ENTITY></ENTITIES></CONSOLIDATED_LIST>
`,
  '20261128_CEIS.csv': windows1252(
    '"CADASTRO";"CÓDIGO DA SANÇÃO";"TIPO DE PESSOA";"CPF OU CNPJ DO SANCIONADO";"NOME DO SANCIONADO";"DATA FINAL SANÇÃO"\r\n' +
      '"CEIS";"100";"J";"12345678000195";"CONSTRUÇÕES ALVORADA LTDA";"31/12/2099"\r\n' +
      '"CEIS";"101";"F";"***.982.247-**";"ANA LÚCIA CONCEIÇÃO";"Sem informação"\r\n' +
      '"CEIS";"102";"J";"99888777000166";"OBRAS ENCERRADAS SA";"01/01/2020"\r\n',
  ),
  '20261128_CNEP.csv': windows1252(
    '"CADASTRO";"CÓDIGO DA SANÇÃO";"TIPO DE PESSOA";"CPF OU CNPJ DO SANCIONADO";"NOME DO SANCIONADO";"DATA FINAL SANÇÃO"\r\n' +
      '"CNEP";"300";"J";"11444777000161";"PONTES DO NORTE SA";"31/12/2099"\r\n',
  ),
  '202611_PEP.csv': windows1252(
    'CPF;Nome_PEP;Sigla_Função;Descrição_Função;Data_Fim_Carência\r\n' +
      '***.982.247-**;MARIA DA CONCEIÇÃO PEREIRA;PREF;PREFEITA;Não informada\r\n' +
      '***.111.222-**;MARIA DA CONCEIÇÃO PEREIRA;VER;VEREADORA;01/02/2010\r\n',
  ),
  'own.csv':
    'type,value,reason,until\nname,"Fulano Beltrano Sicrano",chargebacks,\naddress,TLyqzVGLV1srkB7dToTAEqgDSfPtXRJZYH,mule,2099-01-01\ntax_id,111.444.777-35,mule,2020-01-01\n',
} as const;

/** Name of a file. */
export type ListFile = keyof typeof LIST_FILES;

const removals: (() => void)[] = [];
afterAll(() => {
  for (const remove of removals.splice(0)) remove();
});

/** Makes a folder with all lists, which is removed after the tests of the file. @returns its path. */
export function listFolderOf(files: Partial<Record<ListFile, string | Uint8Array>> = LIST_FILES): string {
  const { home, remove } = newHome();
  removals.push(remove);
  const folder = join(home, 'lists');
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of Object.entries(files)) writeFileSync(join(folder, name), contents ?? '');
  return folder;
}

/** Sets the time of a file so many days back. */
export function age(folder: string, name: string, days: number): void {
  const then = new Date(Date.now() - days * 86_400_000);
  utimesSync(join(folder, name), then, then);
}

/** @returns the text in the encoding of the comptroller's files. */
export function windows1252(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}
