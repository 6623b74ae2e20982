/** Settings shared by all networks (docs/rails.md). */
import { addressForm, parseAddress } from '../../base/chain/address.ts';
import { deriveDepositAddress } from '../../base/chain/deposit-address.ts';
import { currencyOf } from '../../base/money/currency.ts';
import { Settings } from '../../base/process/settings.ts';

/** A node of a network. */
export interface NodeAddress {
  /** Identity of a provider: its configured name, or the host and port of the URL. Contains no secret. */
  readonly name: string;
  /** URL without a trailing slash. */
  readonly url: string;
}

/** Settings of every network. */
export type NetworkSettings<Node extends NodeAddress = NodeAddress> = Readonly<
  ReturnType<typeof readNetworkSettings<Node>>
>;

/** Form of a node in the settings of one kind of network. */
export interface NodeForm<Node extends NodeAddress> {
  /** Description, for messages, of the object that may replace a URL. */
  readonly words: string;
  /** Reads such an object, except its name. */
  readonly read: (node: Settings) => Omit<Node, 'name'>;
}

const PROVIDERS_MAX = 5;
const XPUB_FORM = 'the extended public key of an account (xpub…, depth 3; private keys belong to the signer)';
const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readNetworkSettings<Node extends NodeAddress>(
  all: Settings,
  network: string,
  coinDecimals: number,
  form: NodeForm<Node>,
) {
  const providers = nodesOf(all, form);
  return {
    /** Providers in order of preference. */
    providers,
    /** Number of providers that must agree. */
    quorum: all.integer('quorum', { min: 1, max: providers.length, fallback: Math.min(2, providers.length) }),
    /** Extended public key from which deposit addresses are derived. */
    xpub: all.parse('xpub', XPUB_FORM, (text) => xpubOf(network, text)),
    hotAddress: all.parse('hotAddress', `the address of the hot wallet, ${addressForm(network)}`, (text) =>
      parseAddress(network, text),
    ),
    /** Minimum amounts of a sweep in minor units, by raw ledger code. */
    sweep: amountsOf(all, 'sweep', network),
    /** Fixed fees of a transfer in minor units, by raw ledger code. */
    networkFees: amountsOf(all, 'networkFees', network),
    /** Minimum balance of the coin in the hot wallet. Unit: minor units. */
    gasFloat: all.minor('gasFloat', coinDecimals, '0'),
    pollMs: all.seconds('pollSeconds', { min: 1, max: 60, fallback: 3 }),
    timeLimitMs: all.seconds('timeoutSeconds', { min: 1, max: 60, fallback: 10 }),
  };
}

/** Reads the nodes. Duplicates are refused, because one provider would count twice in a quorum. */
function nodesOf<Node extends NodeAddress>(all: Settings, form: NodeForm<Node>): readonly Node[] {
  const settings = all.raw('providers');
  if (!Array.isArray(settings) || settings.length === 0 || settings.length > PROVIDERS_MAX)
    return all.refuse('providers', `a list of one to ${PROVIDERS_MAX} URLs, or objects with ${form.words}`);
  const nodes = settings.map((json: unknown, index) =>
    nodeOf(json, `${all.at('providers')}[${index}]`, form),
  );
  const urls = new Set(nodes.map(({ url }) => new URL(url).href));
  if (urls.size < nodes.length) return all.refuse('providers', 'each node once');
  const names = nodes.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return nodes;
  return all.refuse(
    'providers',
    `each provider once (${twice} appears twice; nodes of different operators behind one host need a "name" each)`,
  );
}

function nodeOf<Node extends NodeAddress>(json: unknown, path: string, form: NodeForm<Node>): Node {
  const settings = new Settings(typeof json === 'string' ? { url: json } : json, path);
  const node = form.read(settings);
  const { host } = new URL(node.url);
  const name = settings.has('name') ? settings.match('name', NAME, 'a name of a-z, 0-9 and -') : host;
  return settings.end({ ...node, name } as Node);
}

function xpubOf(network: string, text: string): string | undefined {
  try {
    deriveDepositAddress(network, text, 0);
    return text;
  } catch {
    return undefined;
  }
}

/**
 * Amounts by currency of the network, such as `{ "USDT_ETH": "50" }`, in minor units; empty if the member is missing.
 */
function amountsOf(all: Settings, name: string, network: string): ReadonlyMap<string, bigint> {
  if (!all.has(name)) return new Map();
  const settings = all.part(name);
  const found = settings.names().map((code): [string, bigint] => {
    const currency = currencyOf(code);
    if (currency?.network !== network)
      return settings.refuse(code, `a name that is the code of a catalogue currency on ${network}`);
    return [code, settings.minor(code, currency.decimals)];
  });
  return new Map(found);
}
