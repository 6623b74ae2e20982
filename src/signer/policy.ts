/** Limits and known keys of the signer, from a policy file that the gateway cannot reach. */
import { readFileSync } from 'node:fs';
import { parseAddress } from '../base/chain/address.ts';
import { CURRENCIES } from '../base/money/currency.ts';
import { fromMinor, isDecimal, toMinor } from '../base/money/money.ts';
import { Settings, SettingsError } from '../base/process/settings.ts';
import { readApprovers } from './approvers.ts';
import { coinOf } from './read-transfer.ts';
import { SignerError } from './signer-error.ts';
import { SIGNED_NETWORKS } from './wallet.ts';

/** Decimals of amounts in the policy, which are millionths of a US dollar or of a currency unit, rounded up. */
export const MICRO_DECIMALS = 6;

/** Maximum amounts of one transaction, of 60 minutes and of 24 hours. Unit: millionths. */
export interface Limits {
  readonly transaction: bigint;
  readonly hour: bigint;
  readonly day: bigint;
}

/** The whole policy. */
export type Policy = Readonly<ReturnType<typeof policyIn>>;

/** Settings of the signer's page. */
export type PageSettings = Readonly<ReturnType<typeof pageOf>>;

const ORIGIN_FORM =
  'an origin such as "https://prove.example.com" (http only for localhost and names below it)';
const STABLE = { transaction: '5000', hour: '10000', day: '40000' };
const GAS_COIN = {
  ETH: ['5000', '1'],
  POL: ['1', '5000'],
  BNB: ['1500', '4'],
  TRX: ['0.5', '10000'],
} as const;

/**
 * Defaults of omitted members. Nothing leaves to a destination without proof unless the operator sets `unproven`. The assumed values of currencies are high, so that limits are reached too early rather
 * than too late.
 */
export const DEFAULT_POLICY = {
  values: valuesOf((asset) => GAS_COIN[asset as keyof typeof GAS_COIN]?.[0] ?? '1'),
  all: { transaction: '5000', hour: '10000', day: '50000' },
  unproven: { transaction: '0', hour: '0', day: '0' },
  gas: { transaction: '100', hour: '1000', day: '5000' },
  currencies: valuesOf((asset) => {
    const unit = GAS_COIN[asset as keyof typeof GAS_COIN]?.[1];
    if (unit === undefined) return STABLE;
    return { transaction: unit, hour: String(2 * Number(unit)), day: String(8 * Number(unit)) };
  }),
  fee: '50',
  perMinute: 60,
  proofDays: 365,
};

/**
 * @param path - of a JSON file whose members override DEFAULT_POLICY; undefined for the defaults alone.
 * @throws {SignerError} naming the member and the accepted form.
 */
export function readPolicy(path?: string): Policy {
  try {
    return policyIn(new Settings(path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8')), ''));
  } catch (error) {
    if (error instanceof SettingsError || error instanceof SyntaxError)
      throw new SignerError(`${path}: ${error.message}`);
    throw error;
  }
}

function policyIn(settings: Settings) {
  return settings.end({
    /**
     * Value of one unit of each currency in US dollars, millionths. Transactions of a currency without a value are
     * refused.
     */
    values: mapOf(settings, 'values', amountOf),
    /** Limits of all outgoing money: payouts, refunds, withdrawals and all fees. Unit: US dollars. */
    all: limitsOf(settings, 'all'),
    /** Limits of outgoing money to destinations without proof. Unit: US dollars. */
    unproven: limitsOf(settings, 'unproven'),
    /** Limits of gas from the hot wallet to the gateway's deposit addresses. Unit: US dollars. */
    gas: limitsOf(settings, 'gas'),
    /** Limits of single currencies, in units of the currency. */
    currencies: mapOf(settings, 'currencies', limitsOf),
    /** Maximum fee of one transaction. Unit: US dollars. */
    fee: amountOf(settings, 'fee', DEFAULT_POLICY.fee),
    /** Maximum number of transactions in 60 seconds. */
    perMinute: settings.integer('perMinute', { min: 1, max: 1_000_000, fallback: DEFAULT_POLICY.perMinute }),
    /** Keys that may prove destinations. Passkeys are in another file. */
    approvers: settings.has('approvers') ? readApprovers(settings.parts('approvers')) : [],
    /** Maximum validity of a proof. Unit: days. */
    proofDays: settings.integer('proofDays', { min: 1, max: 3_650, fallback: DEFAULT_POLICY.proofDays }),
    /** The page on which passkeys prove destinations; null when there is none. */
    page: settings.has('page') ? pageOf(settings.part('page')) : null,
    /** Destinations with revoked proofs, by `destinationName`. */
    withdrawn: new Set(settings.has('withdrawn') ? settings.parts('withdrawn').map(destinationIn) : []),
  });
}

/** @returns the limits as lines of text, for the signer's output and for the gateway. */
export function describeLimits({ all, unproven, gas, currencies, fee, perMinute }: Policy) {
  return {
    unit: 'USD',
    all: textsOf(all),
    unproven: textsOf(unproven),
    gas: textsOf(gas),
    fee: usd(fee),
    perMinute,
    currencies: Object.fromEntries([...currencies].map(([code, limits]) => [code, textsOf(limits)])),
  };
}

/** @returns the limits of `unproven` that are 0, by their names in policy.json: with one, nothing leaves without proof. */
export function closedUnproven({ unproven }: Pick<Policy, 'unproven'>): readonly string[] {
  const names = ['transaction', 'hour', 'day'] as const;
  return names.filter((name) => unproven[name] === 0n).map((name) => `unproven.${name}`);
}

/** @returns an amount in millionths as decimal text. */
export function usd(micro: bigint): string {
  return fromMinor(micro, MICRO_DECIMALS);
}

const textsOf = ({ transaction, hour, day }: Limits) => ({
  transaction: usd(transaction),
  hour: usd(hour),
  day: usd(day),
});

/** @returns one value for each currency of the supported networks, including coins that only pay fees. */
function valuesOf<Value>(value: (asset: string) => Value): Record<string, Value> {
  const tokens = CURRENCIES.filter(({ network }) => SIGNED_NETWORKS.includes(network));
  const coins = SIGNED_NETWORKS.map((network) => coinOf(network));
  return Object.fromEntries([...tokens, ...coins].map(({ code, asset }) => [code, value(asset)]));
}

/** @param address - in its canonical form. @returns the unique name of a destination. */
export function destinationName(network: string, address: string): string {
  return `${network} ${address}`;
}

function destinationIn(settings: Settings): string {
  const network = settings.choice('network', SIGNED_NETWORKS);
  const address = settings.parse('address', `an address on ${network}`, (text) =>
    parseAddress(network, text),
  );
  return settings.end(destinationName(network, address));
}

function pageOf(settings: Settings) {
  /** Origin of the page, to which its passkeys are bound. */
  const origin = settings.parse('origin', ORIGIN_FORM, originOf);
  /** Origin of the gateway's console, from which people come and to which they return; null without a console. */
  const console = settings.has('console') ? settings.parse('console', ORIGIN_FORM, originOf) : null;
  // Pages of one origin share passkeys, so a console on this origin could request the signer's.
  if (console === origin) settings.refuse('console', 'another origin than that of the page of the signer');
  /** Host name of the page: the `rpId` of the passkeys. */
  const rpId = new URL(origin).hostname;
  return settings.end({ origin, rpId, console });
}

/** Only on this machine can a page without TLS use passkeys. */
function originOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && /^(?:.+\.)?localhost$/.test(url.hostname);
  return url?.origin === text && (isLocal || url.protocol === 'https:') ? text : undefined;
}

/** @returns the members of the file, completed by the defaults. */
function mapOf<Name extends 'values' | 'currencies', Value>(
  settings: Settings,
  name: Name,
  read: (members: Settings, code: string) => Value,
): ReadonlyMap<string, Value> {
  const own = settings.has(name) ? settings.part(name) : new Settings({}, settings.at(name));
  const unknown = own.names().find((code) => !(code in DEFAULT_POLICY[name]));
  if (unknown) own.refuse(unknown, `one of ${Object.keys(DEFAULT_POLICY[name]).join(', ')} instead`);
  const all = new Settings(withDefaults(own, DEFAULT_POLICY[name]), own.path);
  return new Map(all.names().map((code) => [code, read(all, code)]));
}

function limitsOf(settings: Settings, name: string): Limits {
  const shipped = name in DEFAULT_POLICY ? DEFAULT_POLICY[name as 'all'] : DEFAULT_POLICY.currencies[name];
  const own = settings.has(name) ? settings.part(name) : new Settings({}, settings.at(name));
  return own.end({
    transaction: amountOf(own, 'transaction', shipped?.transaction),
    hour: amountOf(own, 'hour', shipped?.hour),
    day: amountOf(own, 'day', shipped?.day),
  });
}

const withDefaults = (own: Settings, defaults: object) => ({
  ...defaults,
  ...Object.fromEntries(own.names().map((name) => [name, own.raw(name)])),
});

const AMOUNT = /^\d{1,12}(?:\.\d{1,6})?$/;

function amountOf(settings: Settings, name: string, fallback?: string): bigint {
  const form = `a decimal amount as text, with at most ${MICRO_DECIMALS} decimals, below 10^12`;
  const parse = (text: string) =>
    AMOUNT.test(text) && isDecimal(text) ? toMinor(text, MICRO_DECIMALS) : undefined;
  return settings.parse(name, form, parse, fallback);
}
