/** What a gateway prints for the person who started it. */
import type { Config } from '../config.ts';
import type { Sandbox } from './sandbox-files.ts';

/** What the banner shows. */
export interface Started {
  readonly config: Config;
  /** Undefined where the start made none. */
  readonly sandbox: Sandbox | undefined;
  /** The link that lets whoever started it in to the console. */
  readonly entrance: string | undefined;
}

/** @returns the URLs, and what to do first: with a sandbox, its keys and three commands; otherwise how to make a key. */
export function banner({ config, sandbox, entrance }: Started): string {
  const { publicUrl, graphiql } = config;
  return [
    '\nCrossramp Gateway is ready\n\n',
    `  REST      ${publicUrl}/v2\n`,
    `  GraphQL   ${publicUrl}/graphql${graphiql ? '   (GraphiQL in a browser)' : ''}\n`,
    `  OpenAPI   ${publicUrl}/v2/openapi.json\n`,
    entrance ? `  Console   ${entrance}   (signs you in once, within 12 hours)\n` : '',
    sandbox ? sandboxWords(sandbox) : FIRST_KEY,
    '\nCtrl-C stops it.\n\n',
  ].join('');
}

const FIRST_KEY = `
This start made no sandbox (--sandbox makes one). Make an account, and a key for it by the id that is printed:

  npm run -s crossramp -- account create --name "Loja Azul"
  npm run -s crossramp -- key create --account ID --scopes read,create,move,admin

docs/operations.md says more.
`;

/** The account, the keys that are new, and three commands that work when pasted: make, read, ask. */
function sandboxWords(sandbox: Sandbox): string {
  const { baseUrl, graphqlUrl, accountId, paths, holder } = sandbox;
  const known = [
    `  Account   ${accountId} (sandbox)\n`,
    keyLine('API key ', sandbox.isNewKey && sandbox.apiKey, paths.json),
    keyLine('Platform', sandbox.isNewPlatformKey && sandbox.platformKey, paths.json),
    holder ? `\n${holder} uses this home too and keeps sandbox.json; this gateway has its own file.\n` : '',
  ];
  // Whoever starts it again has seen the commands.
  if (!sandbox.isNewKey && !holder) return known.join('');
  const curl = (rest: string) => `  curl -sS -H @${shellQuoted(paths.header)} ${rest}\n`;
  const json = `-H 'content-type: application/json'`;
  return [
    ...known,
    '\nMake a checkout, and open the payment_link of the answer in a browser:\n\n',
    curl(
      `${json} -d '{"amount_payment": 150, "currency_exit_received_code": "USDT_TRX"}' ${baseUrl}/v2/crossramp_checkout`,
    ),
    '\nRead it back, over REST and over GraphQL:\n\n',
    curl(`'${baseUrl}/v2/crossramp_checkouts?limit=5'`),
    curl(
      `${json} -d '{"query":"{ transactions(family: CHECKOUTS, first: 5) { totalCount edges { node { end2end status { en } } } } }"}' ${graphqlUrl}`,
    ),
  ].join('');
}

/** Shows a new key; for an existing one, the file that holds it. */
function keyLine(name: string, newKey: string | false, path: string): string {
  return newKey ? `  ${name}  ${newKey}   (shown once; kept in ${path})\n` : `  ${name}  in ${path}\n`;
}

/** @returns the text of a process that answers no requests (`ROLE=work`). */
export function workerBanner(baseUrl: string): string {
  return `\nCrossramp Gateway works on jobs and webhooks (ROLE=work)\n\n  Health    ${baseUrl}/healthz\n\nCtrl-C stops it.\n\n`;
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
