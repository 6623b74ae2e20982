/** Settings that all networks have (docs/rails.md). */
import { addressForm, parseAddress } from '../../base/address.ts';
import { currencyOf } from '../../base/currency.ts';
import { deriveDepositAddress } from '../../base/deposit-address.ts';
import { toMinor } from '../../base/money.ts';
import { Settings } from '../../base/settings.ts';

/** A node of a network. */
export interface NodeAddress {
  /** What counts as one provider: a name of its own, or else the host and port of the URL. No secret is in it. */
  readonly name: string;
  /** Without a slash at its end. */
  readonly url: string;
}

/** What an operator configures of every network. */
export interface NetworkSettings<Node extends NodeAddress = NodeAddress> {
  /** The preferred one first. */
  readonly providers: readonly Node[];
  /** How many providers have to say the same. */
  readonly quorum: number;
  /** Extended public key that deposit addresses come of. */
  readonly xpub: string;
  readonly hotAddress: string;
  /** From which amount on a currency is swept, minor units, by raw ledger code. */
  readonly sweep: ReadonlyMap<string, bigint>;
  /** What a transfer is said to cost, minor units, by raw ledger code. */
  readonly networkFees: ReadonlyMap<string, bigint>;
  /** What the hot wallet has to have of the coin, minor units. */
  readonly gasFloat: bigint;
  readonly pollMs: number;
  readonly timeLimitMs: number;
}

/** How nodes of a kind of network are written. */
export interface NodeForm<Node extends NodeAddress> {
  /** Members of the objects that may stand in place of a URL, in words. */
  readonly words: string;
  /** Reads one of them, but for its name. */
  readonly read: (node: Settings) => Omit<Node, 'name'>;
}

const PROVIDERS_MAX = 5;
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readNetworkSettings<Node extends NodeAddress>(
  all: Settings,
  network: string,
  coinDecimals: number,
  form: NodeForm<Node>,
): NetworkSettings<Node> {
  const providers = nodesOf(all, form);
  return {
    providers,
    quorum: all.integer('quorum', { min: 1, max: providers.length, fallback: Math.min(2, providers.length) }),
    xpub: xpubOf(all, network),
    hotAddress: hotAddressOf(all, network),
    sweep: amountsOf(all, 'sweep', network),
    networkFees: amountsOf(all, 'networkFees', network),
    gasFloat: minorOf(all, 'gasFloat', coinDecimals, '0'),
    pollMs: millisFrom(all, 'pollSeconds', { min: 1, max: 60, fallback: 3 }),
    timeLimitMs: millisFrom(all, 'timeoutSeconds', { min: 1, max: 60, fallback: 10 }),
  };
}

/** The nodes; none twice, because one provider would agree with itself. */
function nodesOf<Node extends NodeAddress>(all: Settings, form: NodeForm<Node>): readonly Node[] {
  const given = all.raw('providers');
  if (!Array.isArray(given) || given.length === 0 || given.length > PROVIDERS_MAX)
    return all.refuse('providers', `a list of one to ${PROVIDERS_MAX} URLs, or objects with ${form.words}`);
  const nodes = given.map((json: unknown, index) => nodeOf(json, `${all.at('providers')}[${index}]`, form));
  const urls = new Set(nodes.map(({ url }) => new URL(url).href));
  if (urls.size < nodes.length) return all.refuse('providers', 'each node once');
  const names = nodes.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return nodes;
  return all.refuse(
    'providers',
    `each provider once (${twice} stands twice; nodes of different operators behind one host need a "name" each)`,
  );
}

function nodeOf<Node extends NodeAddress>(json: unknown, path: string, form: NodeForm<Node>): Node {
  const given = new Settings(typeof json === 'string' ? { url: json } : json, path);
  const node = form.read(given);
  const { host } = new URL(node.url);
  const name = given.has('name') ? given.match('name', NAME, 'a name of a-z, 0-9 and -') : host;
  given.end();
  return { ...node, name } as Node;
}

function xpubOf(all: Settings, network: string): string {
  const xpub = all.text('xpub');
  try {
    deriveDepositAddress(network, xpub, 0);
    return xpub;
  } catch {
    return all.refuse(
      'xpub',
      'the extended public key of an account (xpub…, depth 3; private keys belong to the signer)',
    );
  }
}

function hotAddressOf(all: Settings, network: string): string {
  const address = parseAddress(network, all.text('hotAddress'));
  return address ?? all.refuse('hotAddress', `the address of the hot wallet, ${addressForm(network)}`);
}

/** @returns an amount in minor units of so many decimals. @throws {SettingsError} */
export function minorOf(all: Settings, name: string, decimals: number, fallback?: string): bigint {
  const amount = all.decimal(name, fallback);
  const given = amount.split('.')[1]?.length ?? 0;
  return given > decimals ? all.refuse(name, `at most ${decimals} decimals`) : toMinor(amount, decimals);
}

/** Amounts by currency of the network, minor units: `{ "USDT_ETH": "50" }`; none where there is no such member. */
function amountsOf(all: Settings, name: string, network: string): ReadonlyMap<string, bigint> {
  if (!all.has(name)) return new Map();
  const given = all.part(name);
  const found = given.names().map((code): [string, bigint] => {
    const currency = currencyOf(code);
    if (currency?.network !== network)
      return given.refuse(code, `the code of a currency on ${network} of the catalogue as the name`);
    return [code, minorOf(given, code, currency.decimals)];
  });
  return new Map(found);
}

/** @returns a time in milliseconds, from a member in seconds. @throws {SettingsError} */
export function millisFrom(
  all: Settings,
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  return 1_000 * all.integer(name, bounds);
}
