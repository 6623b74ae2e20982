/**
 * Goal: a list of held deposits reads prices only where the figures of the actions are selected. Method: statements of
 * PostgreSQL are counted, with and without `effects`.
 */
import { beforeAll, expect, test } from 'vitest';
import { known } from '../../src/base/errors/assert.ts';
import { setAheadMs } from '../../src/store/rails/sandbox.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { stand } from '../resolvers/inbound/harness.ts';
import { useApp } from '../support/app.ts';
import { beginCount, counted } from '../support/count-statements.ts';
import { DURING_MS } from '../support/machine.ts';
import { placesOf } from '../support/places.ts';

const app = useApp({ role: 'serve' });
const HELD = 4;

beforeAll(async () => {
  await setAheadMs(app.database, DURING_MS - Date.now());
  const places = REGISTRY.templates.flatMap((template) => placesOf(template));
  const held = known(
    places.find(({ step }) => step === 'crypto_deposit/UNDERPAID'),
    'a place of a held deposit',
  );
  for (let made = 0; made < HELD; made += 1) await stand(app.services, app.accountId, held);
});

interface Listed {
  readonly action: string;
  readonly effects?: readonly { readonly quote: string | null }[];
}

/** @returns the actions of the latest transactions, and the statements that listing them took the second time. */
async function list(first: number, effects: string) {
  const query = `{ transactions(first: ${first}) { nodes { possibleActions { action ${effects} } } } }`;
  await app.graphql(query);
  // An answer that was stored takes no statements.
  beginCount();
  const { json } = await app.graphql(`${query} # again`);
  const nodes: { possibleActions: Listed[] }[] = json.data.transactions.nodes;
  return { actions: nodes.flatMap(({ possibleActions }) => possibleActions), ...counted() };
}

const requoted = (actions: readonly Listed[]) => actions.filter(({ action }) => action === 'REQUOTE_DEPOSIT');

test('a list without `effects` reads no price', async () => {
  const { actions, byName } = await list(HELD, '');
  expect(requoted(actions)).toHaveLength(HELD);
  for (const name of ['rate', 'settings_template']) expect([...byName.keys()]).not.toContain(name);
});

test('a list with `effects` prices each held deposit', async () => {
  const [bare, priced] = [await list(HELD, ''), await list(HELD, 'effects { quote }')];
  const quotes = requoted(priced.actions).flatMap(({ effects = [] }) => effects.map(({ quote }) => quote));
  expect(quotes.filter((quote) => quote !== null)).toHaveLength(HELD);
  expect(priced.statements).toBeGreaterThan(bare.statements);
});
