/**
 * PIX keys in the canonical form of the directory of keys (DICT, BACEN). The caller always declares the type, because
 * 11 digits can be a CPF or a phone number.
 */
import { parseTaxId } from './tax-id.ts';

/** The types of a PIX key, as on the wire. */
export const PIX_KEY_TYPES = ['cpf', 'cnpj', 'email', 'phone', 'random'] as const;
/** A member of PIX_KEY_TYPES. */
export type PixKeyType = (typeof PIX_KEY_TYPES)[number];

/** The accepted form of each type, for the end of a sentence that begins with the parameter's name. */
export const PIX_KEY_FORMS: Readonly<Record<PixKeyType, string>> = {
  cpf: 'must be a CPF with right check digits: 11 digits, or 000.000.000-00',
  cnpj: 'must be a CNPJ with right check digits: 12 digits or letters and 2 digits, or AA.AAA.AAA/AAAA-00',
  email: 'must be an email address of at most 77 characters, such as name@example.com',
  phone: 'must be a Brazilian mobile phone with its area code, such as +5511987654321',
  random: 'must be a UUID, such as 123e4567-e12b-12d1-a456-426655440000',
};

/** Maximum length of an e-mail key in DICT and in a BR Code. */
const EMAIL_MAX = 77;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** The pattern of the directory itself (API DICT, BACEN): dots anywhere before the @, and a host name of one label or more. */
const EMAIL = new RegExp(`^[a-z0-9.!#$&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`);
const ASCII = /^[!-~]*$/;

/** Optional country code, area code with or without brackets, nine digits with or without a hyphen or a space. */
const PHONE_FORM = /^(?:\+?55 ?)?(?:\((\d{2})\) ?|(\d{2}) ?)(\d{5})[- ]?(\d{4})$/;
/** The 67 area codes in use (Anatel, national numbering plan). */
const AREA_CODE = /^(?:1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])$/;
/**
 * Nine digits of the mobile service, Anatel resolution 749/2022, article 12: 7, 8 or 9 first, but 700 is satellite. A
 * landline number has eight digits and is no key: DICT registers only mobile phones ("número de telefone celular"),
 * whose owners prove them with a code by SMS.
 */
const MOBILE = /^(?!700)[789]\d{8}$/;

/** Any UUID version is accepted: the example of the BR Code manual itself is not of the random version 4. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Characters without a width, which pasted text often contains. */
const UNSEEN = /\p{Cf}/gu;

const PARSERS: Readonly<Record<PixKeyType, (text: string) => string | undefined>> = {
  cpf: (text) => taxIdOf('cpf', text),
  cnpj: (text) => taxIdOf('cnpj', text),
  email: parseEmail,
  phone: parsePhone,
  random: (text) => matchLowerCase(UUID, text),
};

/**
 * Reads a PIX key of the declared type: CPF and CNPJ as parseTaxId does; an email address in either case, spaces around it
 * ignored; a phone with or without +55, brackets, hyphen and single spaces; a UUID in either case.
 *
 * @returns the canonical key, or undefined if the text is not a key of the type (see PIX_KEY_FORMS): 11 digits, 14
 * characters, a lower-case address, `+55` with area code and number (E.164), a lower-case UUID.
 */
export function parsePixKey(type: PixKeyType, text: string): string | undefined {
  return PARSERS[type](text.replace(UNSEEN, '').trim());
}

function taxIdOf(kind: 'cpf' | 'cnpj', text: string): string | undefined {
  const taxId = parseTaxId(text);
  return taxId?.kind === kind ? taxId.value : undefined;
}

function parseEmail(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed.length <= EMAIL_MAX ? matchLowerCase(EMAIL, trimmed) : undefined;
}

function parsePhone(text: string): string | undefined {
  const [, bracketed, plain, front = '', back = ''] = PHONE_FORM.exec(text) ?? [];
  const areaCode = bracketed ?? plain;
  if (areaCode === undefined || !AREA_CODE.test(areaCode)) return undefined;
  return MOBILE.test(front + back) ? `+55${areaCode}${front}${back}` : undefined;
}

/** ASCII is checked first, because lower-casing turns the Kelvin sign into a plain k. */
function matchLowerCase(form: RegExp, text: string): string | undefined {
  const lower = text.toLowerCase();
  return ASCII.test(text) && form.test(lower) ? lower : undefined;
}
