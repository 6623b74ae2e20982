/**
 * Goal: customers and saved destinations are compared with every list once a day, and when it has a new version (C-25). Method: a gateway
 * whose sandbox screens by real lists; each list gets one more entry.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createScreening, readScreeningSettings } from '../../../src/rails/screening/index.ts';
import { rescreenSlice } from '../../../src/resolvers/screening/rescreen.ts';
import { useApp } from '../../support/app.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { cpfOf } from '../../support/load.ts';
import { type ListFile, listFolderOf, windows1252 } from '../../support/screening-lists.ts';

const LOG = pino({ level: 'silent' });
const folder = listFolderOf();
const settings = { kind: 'lists', folder, lists: ['ofac', 'un', 'ceis', 'cnep', 'pep', 'own'] };
const app = useApp({
  railsFile: {
    sandbox: {
      ...{ pix: undefined, networks: new Map(), signer: undefined, rates: undefined, liquidity: undefined },
      identity: undefined,
      screening: (tools) => createScreening(readScreeningSettings(settings, 'screening'), tools),
    },
  },
});
const { ask, create } = graphqlClient(app, () => app.apiKey);

/** Hits of no transaction, which rescreening raises. */
async function hits(state = 'OPEN') {
  const { screeningHits } = await ask(
    `{ screeningHits(first: 100, state: ${state}) { nodes { id: hitId role list entry entryName strength answer end2end } } }`,
    {},
    app.platformKey,
  );
  return screeningHits.nodes.filter(({ end2end }: { end2end: string | null }) => end2end === null);
}
const dismiss = (id: string) =>
  ask(
    `mutation { dismissScreeningHit(input: { hitId: "${id}", reason: "another person, case 4711" }) { errors { message } } }`,
    {},
    app.platformKey,
  );
const onramp = (clientName: string, clientTaxId: string) =>
  create('createOnramp', {
    ...{ currency: 'USDT_TRX', amount: { brl: '550' }, accept: true, clientName, clientTaxId },
  });
/** Compares until nothing is left to do. */
async function round(): Promise<void> {
  while (await rescreenSlice(app.services, LOG));
}
const append = (line: string) => {
  const own = join(folder, 'own.csv');
  writeFileSync(own, `${readFileSync(own, 'utf8')}${line}\n`);
};

test('customers are compared with a new version of a list, a dismissed hit is not raised again, and a round is done by one process', async () => {
  await onramp('Ana Souza', '529.982.247-25');
  await round();
  expect(await hits()).toEqual([]);
  append('tax_id,529.982.247-25,fraud,');
  await Promise.all([round(), round()]);
  const [hit, ...others] = await hits();
  expect([hit, others]).toMatchObject([{ role: 'customer', list: 'own', strength: 'EXACT' }, []]);
  await dismiss(hit.id);
  append('name,Outra Pessoa Qualquer,fraud,');
  await round();
  expect(await hits()).toEqual([]);
});

/** A new version of each list with one more person, whose CPF is known as far as the list shows CPFs. */
const NEWLY_LISTED: readonly (readonly [
  list: string,
  file: ListFile,
  line: (before: string, name: string, cpf: string) => string,
])[] = [
  [
    'ofac',
    'SDN.CSV',
    (before, name) =>
      before.replace('\x1a', `"40001","${name}","individual","SDGT",${'"-0- ",'.repeat(7)}"-0- "\r\n\x1a`),
  ],
  [
    'un',
    'consolidated.xml',
    (before, name) =>
      before.replace(
        '</INDIVIDUALS>',
        `<INDIVIDUAL><DATAID>40002</DATAID><FIRST_NAME>${name}</FIRST_NAME></INDIVIDUAL></INDIVIDUALS>`,
      ),
  ],
  [
    'ceis',
    '20261128_CEIS.csv',
    (before, name, cpf) => `${before}"CEIS";"40003";"F";"${maskOf(cpf)}";"${name}";"Sem informação"\r\n`,
  ],
  [
    'cnep',
    '20261128_CNEP.csv',
    (before, name, cpf) => `${before}"CNEP";"40004";"F";"${maskOf(cpf)}";"${name}";"Sem informação"\r\n`,
  ],
  [
    'pep',
    '202611_PEP.csv',
    (before, name, cpf) => `${before}${maskOf(cpf)};${name};PREF;PREFEITA;Não informada\r\n`,
  ],
  ['own', 'own.csv', (before, name) => `${before}name,${name},fraud,\n`],
];
const maskOf = (cpf: string) => `***.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-**`;

test.each(
  NEWLY_LISTED,
)('customers are compared with a new version of the list %s', async (list, file, line) => {
  const number = NEWLY_LISTED.findIndex(([each]) => each === list);
  const first = ['Zulmira', 'Quiteria', 'Wanderleia', 'Hermengarda', 'Jacinta', 'Filomena'][number];
  const [name, cpf] = [`${first} Xavantina Brotas`, cpfOf(81_000 + number)];
  const found = async () =>
    (await hits()).filter(({ entryName }: { entryName: string }) => entryName === name);
  await onramp(name, cpf);
  await round();
  expect(await found()).toEqual([]);
  const path = join(folder, file);
  const isUtf8 = ['own', 'un', 'ofac'].includes(list);
  const after = line(readFileSync(path, isUtf8 ? 'utf8' : 'latin1'), name, cpf);
  writeFileSync(path, isUtf8 ? after : windows1252(after));
  await round();
  expect(await found()).toMatchObject([{ role: 'customer', list }]);
});

test('customers are compared again once a day, and no more often, while no list changes', async () => {
  const again = async () => {
    await round();
    const { rows } = await app.owner.query(
      `select began_at as "beganAt", ended_at is not null as "hasEnded", compared > 0 as "hasCompared" from screening_round where mode = 'sandbox'`,
    );
    return rows[0];
  };
  await onramp('Bea Lima', cpfOf(82_000));
  const before = await again();
  expect(await again()).toEqual(before);
  await app.owner.query(
    `update screening_round set began_at = began_at - interval '25 hours', ended_at = ended_at - interval '25 hours' where mode = 'sandbox'`,
  );
  const next = await again();
  expect(next).toMatchObject({ hasEnded: true, hasCompared: true });
  expect(next.beganAt.getTime()).toBeGreaterThanOrEqual(before.beganAt.getTime());
});

test('saved destinations of an account are compared with a new version of a list, as its own addresses', async () => {
  const saved = 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7';
  const { createWhitelistGroup: made } = await ask(
    'mutation { createWhitelistGroup(input: { name: "own" }) { whitelistGroup { groupId } errors { message } } }',
  );
  await ask(
    `mutation { addWhitelistEntry(input: { groupId: "${made.whitelistGroup.groupId}", target: { wallet: { network: "TRX", address: "${saved}" } } }) { whitelistEntry { id } errors { message } } }`,
  );
  const found = async () => (await hits()).filter(({ role }: { role: string }) => role === 'own_address');
  await round();
  expect(await found()).toEqual([]);
  append(`address,${saved},mule,`);
  await round();
  expect(await found()).toMatchObject([
    { list: 'own', entry: `address:${saved}`, strength: 'EXACT', answer: 'HELD' },
  ]);
});
