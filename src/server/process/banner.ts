/** Text that a gateway prints when it starts. */
import { dirname, resolve } from 'node:path';
import { type Config, HOME_DEFAULT } from '../../config.ts';
import type { Sandbox } from './sandbox-files.ts';

/** Content of the banner. */
export interface Started {
  readonly config: Config;
  /** Undefined if the start made none. */
  readonly sandbox: Sandbox | undefined;
  /** Link that signs the person at the terminal in to the console; undefined if none was made. */
  readonly entrance: string | undefined;
  /** Whether a person reads the output: files and logs never contain a key. */
  readonly isTerminal: boolean;
}

/** @returns the URLs, and the first steps: with a sandbox, its keys and four steps; otherwise how to make a key. */
export function banner({ config, sandbox, entrance, isTerminal }: Started): string {
  const { publicUrl, graphiql } = config;
  return [
    '\nCrossramp Gateway is ready\n\n',
    `  REST      ${publicUrl}/v2\n`,
    `  GraphQL   ${publicUrl}/graphql${graphiql ? '   (GraphiQL in a browser)' : ''}\n`,
    `  OpenAPI   ${publicUrl}/v2/openapi.json\n`,
    `  Docs      ${publicUrl}/docs\n`,
    sandbox ? consoleLine(publicUrl, entrance) : '',
    sandbox ? sandboxWords(sandbox, isTerminal) : FIRST_KEY,
    '\nCtrl-C stops it.\n\n',
  ].join('');
}

function consoleLine(publicUrl: string, entrance: string | undefined): string {
  if (entrance) return `  Console   ${entrance}   (signs you in once, within 12 hours)\n`;
  return `  Console   ${publicUrl}/console   (sign in by a link: npm run -s crossramp -- person link --help)\n`;
}

const FIRST_KEY = `
This start made no sandbox (--sandbox makes one). Make an account, and a key for it by the id that is printed:

  npm run -s crossramp -- account create --name "Loja Azul"
  npm run -s crossramp -- key create --account ID --scopes read,create,move,admin

docs/operations.md says more.
`;

/** The account, its new keys, and at the first start four steps whose commands can be pasted. */
function sandboxWords(sandbox: Sandbox, isTerminal: boolean): string {
  const { baseUrl, graphqlUrl, accountId, paths, holder } = sandbox;
  const command = commandOf(dirname(paths.json));
  const known = [
    `  Account   ${accountId} (sandbox)\n`,
    keyLine('API key ', isTerminal && sandbox.isNewKey && sandbox.apiKey, paths.json),
    keyLine('Platform', isTerminal && sandbox.isNewPlatformKey && sandbox.platformKey, paths.json),
    holder ? `\n${holder} uses this home too and keeps sandbox.json; this gateway has its own file.\n` : '',
  ];
  // A later start does not repeat the commands.
  if (!sandbox.isNewKey && !holder) return known.join('');
  const curl = (rest: string) => `     curl -sS -H @${shellQuoted(paths.header)} ${rest}\n`;
  const json = `-H 'content-type: application/json'`;
  return [
    ...known,
    '\nFour steps to see all of it:\n',
    '\n  1. Pay a checkout: create one, open the payment_link of the answer in a browser, enter a name and the CPF 529.982.247-25, press Continue twice, then Pay.\n\n',
    curl(
      `${json} -d '{"amount_payment": 150, "currency_exit_received_code": "USDT_TRX"}' ${baseUrl}/v2/crossramp_checkout`,
    ),
    '\n     Read it back, over REST and over GraphQL:\n\n',
    curl(`'${baseUrl}/v2/crossramp_checkouts?limit=5'`),
    curl(
      `${json} -d '{"query":"{ transactions(families: CHECKOUTS, first: 5) { totalCount edges { node { end2end status { en } } } } }"}' ${graphqlUrl}`,
    ),
    '\n  2. Watch it live: this prints events as they happen, in a second shell:\n\n',
    `     ${command} events tail\n`,
    '\n  3. Get webhooks: start a server that prints them, and in one more shell have each event sent to it, signed:\n\n',
    `     node -e "require('http').createServer((q, r) => { q.pipe(process.stdout); r.end() }).listen(3000)"\n`,
    `     ${command} listen --forward-to http://localhost:3000\n`,
    `\n     ${baseUrl}/docs/webhooks leads to webhooks of your own server, verified.\n`,
    '\n  4. Open the console by its link above, and find the checkout there.\n',
  ].join('');
}

/**
 * @returns the beginning of a command that finds this gateway from another shell: it names a home that is not the usual
 * one.
 */
function commandOf(home: string): string {
  const isUsual = home === resolve(HOME_DEFAULT);
  return `${isUsual ? '' : `CROSSRAMP_HOME=${shellQuoted(home)} `}npm run -s crossramp --`;
}

/** Shows a new key to a person; otherwise the name of its file. */
function keyLine(name: string, newKey: string | false, path: string): string {
  return newKey ? `  ${name}  ${newKey}   (shown once; kept in ${path})\n` : `  ${name}  in ${path}\n`;
}

/** @returns the text of a process that answers only reads (`ROLE=read`). */
export function readerBanner(baseUrl: string): string {
  return `\nCrossramp Gateway answers reads on a standby (ROLE=read)\n\n  REST      ${baseUrl}/v2\n  GraphQL   ${baseUrl}/graphql\n\nCtrl-C stops it.\n\n`;
}

/** @returns the text of a process that answers no requests (`ROLE=work`). */
export function workerBanner(baseUrl: string): string {
  return `\nCrossramp Gateway works on jobs and webhooks (ROLE=work)\n\n  Health    ${baseUrl}/healthz\n\nCtrl-C stops it.\n\n`;
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
