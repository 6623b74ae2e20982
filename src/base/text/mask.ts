/**
 * Masks personal data on pages that anyone with the link can open: people recognise their own data, and others learn
 * nothing.
 */

/**
 * @param taxId - without punctuation; a provider may have hidden the characters that a mask hides.
 * @returns a CPF as `***.456.789-**`, a CNPJ as `**.345.678/0001-**`; anything else as stars.
 */
export function maskTaxId(taxId: string): string {
  if (/^[\d*]{3}\d{6}[\d*]{2}$/.test(taxId)) return `***.${taxId.slice(3, 6)}.${taxId.slice(6, 9)}-**`;
  if (/^[0-9A-Z*]{2}[0-9A-Z]{10}[\d*]{2}$/.test(taxId))
    return `**.${taxId.slice(2, 5)}.${taxId.slice(5, 8)}/${taxId.slice(8, 12)}-**`;
  return '***';
}

/** @returns the first name, and the initials of the others: `Maria S. P.`. */
export function maskName(name: string): string {
  const [first = '', ...others] = name.trim().split(/\s+/);
  return [first, ...others.map((other) => `${[...other][0]}.`)].join(' ');
}

/** @returns the first three and the last two characters of a PIX key, with stars between. */
export function maskPixKey(key: string): string {
  return key.length > 7 ? `${key.slice(0, 3)}***${key.slice(-2)}` : '***';
}
