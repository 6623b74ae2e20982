/** Normalizes names for comparison: without accents, case, punctuation, particles and company forms. */

/** Replacements of letters that NFD does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ Ø: 'O', Æ: 'AE', Œ: 'OE', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH', ẞ: 'SS', İ: 'I', ı: 'I' },
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
const MARKS = /\p{M}+/gu;
/**
 * Characters whose removal joins their neighbours: apostrophes (D'AVILA is DAVILA), and dots of abbreviations (S.A. is
 * SA).
 */
const JOINED = /['’‘ʼ`´.]/g;
const SEPARATORS = /[^\p{L}\p{N}]+/gu;
/** Particles of Portuguese, Spanish, French, German and Arabic names. */
const PARTICLES = 'DA DE DO DAS DOS E DI DEL LA LE EL AL VON VAN DER DEN BIN IBN'.split(' ');
const COMPANY_WORDS =
  'LTDA LIMITADA SA SAS SARL EIRELI ME EPP MEI CIA COMPANHIA INC INCORPORATED LLC LLP LTD LIMITED CORP CORPORATION CO COMPANY PLC GMBH AG BV NV OOO OAO ZAO PAO PJSC JSC OJSC FZE FZCO FZC DMCC SPA SRL THE'.split(
    ' ',
  );
const LEFT_OUT: ReadonlySet<string> = new Set([...PARTICLES, ...COMPANY_WORDS]);

/**
 * @param name - as entered, in any script.
 * @returns the tokens in capitals, in order. Single letters, particles and company words are left out, unless the name
 *   has nothing else.
 */
export function foldName(name: string): readonly string[] {
  const capitals = name
    .normalize('NFD')
    .replace(MARKS, '')
    .toUpperCase()
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);
  const all = capitals.replace(JOINED, '').split(SEPARATORS).filter(Boolean);
  const distinctive = all.filter((token) => token.length > 1 && !LEFT_OUT.has(token));
  return distinctive.length > 0 ? distinctive : all;
}
