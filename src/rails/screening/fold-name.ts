/** Names as they are compared: without accents, case, punctuation, particles and words of company forms. */

/** Letters that NFD does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ Ø: 'O', Æ: 'AE', Œ: 'OE', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH', ẞ: 'SS', İ: 'I', ı: 'I' },
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
const MARKS = /\p{M}+/gu;
/** Apostrophes join what stands around them: D'AVILA is DAVILA. Dots of abbreviations do the same: S.A. is SA. */
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
 * @param name - as somebody wrote it, in any script.
 * @returns its tokens in capitals, in their order. Single letters, particles and company words are left out, unless nothing else
 *   is there.
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
