/** Checks callers' input for creations, for both interfaces: every bad value is named with the accepted form (C-50). */
import { addressForm, isRefusedDestination, parseAddress } from '../../base/chain/address.ts';
import { known } from '../../base/errors/assert.ts';
import { type Named, Violations } from '../../base/errors/violations.ts';
import { BRL, CURRENCIES, type Currency, currenciesMeant } from '../../base/money/currency.ts';
import { isDecimal, isMore, plainAmount, toMinor } from '../../base/money/money.ts';
import { PIX_KEY_FORMS, PIX_KEY_TYPES, type PixKeyType, parsePixKey } from '../../base/pix/pix-key.ts';
import { parseTaxId } from '../../base/pix/tax-id.ts';
import { EXPIRES_IN, type Input, type Members, type Stored } from './creation-members.ts';
import { AMOUNT_LENGTH_MAX, NAME_LENGTH_MAX, REFERENCE_LENGTH_MAX, URL_LENGTH_MAX } from './lengths.ts';

/** Refuses what the parser would repair: missing slashes or host, credentials, spaces and control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const URL_FORM = /^https?:\/\/[^\s\\/?#@\u0000-\u001f\u007f]+([/?#][^\s\\\u0000-\u001f\u007f]*)?$/i;
/**
 * Invisible characters, and those that reorder the text around them: control characters, marks of direction such as U+202E,
 * zero-width characters, fillers, private use. The selectors after an emoji are accepted.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u2800[\p{Default_Ignorable_Code_Point}--[\ufe0e\ufe0f]]]/v;

/** Collects violations in the input of a creation. */
export class CreationChecks extends Violations {
  /** Whether plain http to this machine is accepted, as in a sandbox (C-63). */
  readonly #allowsLoopback: boolean;

  constructor(options: { allowsLoopback: boolean }) {
    super();
    this.#allowsLoopback = options.allowsLoopback;
  }

  /**
   * Notes a missing value.
   *
   * @returns the checked value.
   */
  required(supplied: Named | undefined, parameter: string): Named | undefined {
    return supplied ?? this.add({ parameter, message: 'is required' });
  }

  /** @returns an amount above zero with no more decimals than the currency has; never rounded. */
  amount(supplied: Named | undefined, currency: Currency | undefined): string | undefined {
    if (!supplied) return undefined;
    const amount = plainAmount(supplied.value);
    const message = amountProblem(amount, currency);
    if (message) return this.add({ parameter: supplied.name, message });
    return currency && amount;
  }

  /** @returns the named currency, in any spelling (C-6). */
  oneCurrency(supplied: Named | undefined, options: { crypto: boolean }): Currency | undefined {
    if (!supplied) return undefined;
    const { name: parameter, value } = supplied;
    const meant = currenciesMeant(value);
    const accepted = CURRENCIES.filter((currency) => !options.crypto || currency !== BRL);
    const codes = (currencies: readonly Currency[]) => currencies.map(({ code }) => code).join(', ');
    if (meant.length > 1)
      return this.add({
        parameter,
        message: `names an asset that exists on several networks: use one of ${codes(meant)}`,
        code: 'CURRENCY_AMBIGUOUS',
      });
    const [currency] = meant;
    if (!currency || !accepted.includes(currency))
      return this.add({ parameter, message: `must be one of ${codes(accepted)}` });
    return currency;
  }

  /** @returns the tax id without punctuation. */
  taxId(supplied: Named | undefined): string | undefined {
    if (!supplied) return undefined;
    return (
      parseTaxId(supplied.value)?.value ??
      this.add({
        parameter: supplied.name,
        message:
          'must be a CPF (11 digits) or CNPJ (12 digits or letters and 2 digits) with right check digits',
      })
    );
  }

  /** @returns the name of a person or business. */
  personName(supplied: Named | undefined): string | undefined {
    return this.words(supplied, NAME_LENGTH_MAX);
  }

  /** @returns a reference of the caller's own. */
  reference(supplied: Named | undefined): string | undefined {
    return this.words(supplied, REFERENCE_LENGTH_MAX);
  }

  /**
   * @returns the reason of a decision, which the audit log stores.
   * @throws {GatewayError} `INVALID_PARAMETER` with every violation so far.
   */
  reasonOf(input: Named): string {
    const reason = this.reference(input);
    this.refuse();
    return known(reason, 'a reason');
  }

  /** @returns free text of the caller, of 1 to `max` characters. */
  words(supplied: Named | undefined, lengthMax: number): string | undefined {
    if (!supplied) return undefined;
    const { name: parameter, value } = supplied;
    const text = value.trim();
    if (HIDDEN.test(value) || !value.isWellFormed())
      return this.add({
        parameter,
        message: 'must be well-formed text without control or invisible characters',
      });
    if (text === '' || [...text].length > lengthMax)
      return this.add({ parameter, message: `must have 1 to ${lengthMax} characters` });
    return text;
  }

  /** @returns the texts, URLs and tax ids of a list, which are stored as they are. */
  stored<List extends Members>(list: List, input: Input<List>): Stored<List> {
    const checked = Object.entries(list).flatMap(([name, member]) => {
      const supplied = input[name];
      if (member.is === 'words') return [[name, this.words(supplied, member.maxLength) ?? null]];
      if (member.is === 'url') return [[name, this.url(supplied) ?? null]];
      return member.is === 'tax_id' ? [[name, this.taxId(supplied) ?? null]] : [];
    });
    return Object.fromEntries(checked) as Stored<List>;
  }

  /** @returns an https URL without credentials; in a sandbox also http to this machine. */
  url(supplied: Named | undefined): string | undefined {
    if (!supplied) return undefined;
    const { name: parameter, value } = supplied;
    const message = `must be an https URL without user name or password, of at most ${URL_LENGTH_MAX} characters`;
    if (
      value.length > URL_LENGTH_MAX ||
      !URL_FORM.test(value) ||
      HIDDEN.test(value) ||
      !value.isWellFormed() ||
      !URL.canParse(value)
    )
      return this.add({ parameter, message });
    const { protocol, username, password, hostname } = new URL(value);
    const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
    const isAccepted = protocol === 'https:' || (protocol === 'http:' && isLoopback && this.#allowsLoopback);
    return isAccepted && username === '' && password === '' ? value : this.add({ parameter, message });
  }

  /** @returns the most of a fee that the caller accepts: a decimal of zero or more. */
  feeMax(supplied: Named | undefined): string | undefined {
    if (!supplied) return undefined;
    const { name: parameter, value } = supplied;
    const isAccepted = value.length <= AMOUNT_LENGTH_MAX && isDecimal(value) && !isMore('0', value);
    return isAccepted ? value : this.add({ parameter, message: 'must be a decimal number of zero or more' });
  }

  /** @returns the life of a session in seconds; the default if omitted. */
  expiresIn(supplied: Named | undefined): number | undefined {
    if (!supplied) return EXPIRES_IN.default;
    const seconds = /^[1-9]\d{0,8}$/.test(supplied.value) ? Number(supplied.value) : -1;
    if (seconds >= EXPIRES_IN.min && seconds <= EXPIRES_IN.max) return seconds;
    return this.add({
      parameter: supplied.name,
      message: `must be an integer from ${EXPIRES_IN.min} to ${EXPIRES_IN.max} (seconds)`,
    });
  }

  /** @returns a canonical address of the currency's network that may be paid to. */
  wallet(supplied: Named | undefined, currency: Currency | undefined): string | undefined {
    if (!supplied || !currency) return undefined;
    const { name: parameter, value } = supplied;
    if (!currency.network) return this.add({ parameter, message: `${currency.code} has no addresses` });
    const address = parseAddress(currency.network, value);
    if (!address) return this.add({ parameter, message: `must be ${addressForm(currency.network)}` });
    const refused = isRefusedDestination(currency.network, address);
    return refused ? this.add({ parameter, message: `must not be ${refused}` }) : address;
  }

  /** @returns a canonical PIX key of its declared type. */
  pixKey(
    key: Named | undefined,
    type: Named | undefined,
  ): { pixKey: string; pixKeyType: PixKeyType } | undefined {
    const pixKeyType = PIX_KEY_TYPES.find((each) => each === type?.value);
    if (type && !pixKeyType)
      return this.add({ parameter: type.name, message: `must be one of ${PIX_KEY_TYPES.join(', ')}` });
    if (!key || !pixKeyType) return undefined;
    const pixKey = parsePixKey(pixKeyType, key.value);
    return pixKey
      ? { pixKey, pixKeyType }
      : this.add({ parameter: key.name, message: PIX_KEY_FORMS[pixKeyType] });
  }

  /** Records a violation when two values are given of which one is allowed, or none where one is required. */
  oneOf(
    left: Named | undefined,
    right: Named | undefined,
    names: readonly [string, string],
    isRequired: boolean,
  ): void {
    if (left && right)
      this.add({ parameter: right.name, message: `must not be given together with ${left.name}` });
    if (isRequired && !left && !right)
      this.add({ parameter: names[0], message: `is required, or ${names[1]} instead` });
  }
}

/** @returns checks that accept the currencies and methods of this gateway's rails. */
export function checksOf({ sandbox }: { readonly sandbox: object | null }): CreationChecks {
  return new CreationChecks({ allowsLoopback: sandbox !== null });
}

/** @returns the error of an amount, to follow its parameter's name; undefined when it is right. */
export function amountProblem(value: string, currency: Currency | undefined): string | undefined {
  const decimals = currency ? ` with at most ${currency.decimals} decimals` : '';
  const form = `must be a decimal number above zero${decimals}, such as 12.50`;
  if (value.length > AMOUNT_LENGTH_MAX || !isDecimal(value) || !isMore(value, '0')) return form;
  if (!currency) return undefined;
  try {
    toMinor(value, currency.decimals);
    return undefined;
  } catch {
    return `${form}: ${currency.displayName} has ${currency.decimals}`;
  }
}
