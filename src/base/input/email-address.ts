/** E-mail addresses as people type them. */

/** Characters of an e-mail address. */
export const EMAIL_LENGTH_MAX = 254;
/** Refusal of a text that is no e-mail address. */
export const EMAIL_MESSAGE = 'must be an e-mail address such as ana@example.com';
const EMAIL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/;

/** @returns the address without blanks around it and in lower case; undefined for another text. */
export function parseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email) ? email : undefined;
}
