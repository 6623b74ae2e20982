/**
 * Goal: the company behind an account and its owners are stored whole and checked, by the operator for risk alone, and compared with the
 * lists then and with each new version. Method: GraphQL with keys of the operator and the account, real lists in a folder, and a provider
 * of screening that can be away.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { formatTaxId } from '../../../src/base/pix/tax-id.ts';
import { createScreening, readScreeningSettings } from '../../../src/rails/screening/index.ts';
import { rescreenSlice } from '../../../src/resolvers/screening/rescreen.ts';
import { useApp } from '../../support/app.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { cnpjOf } from '../../support/load.ts';
import { listFolderOf } from '../../support/screening-lists.ts';

const provider = { isAway: false };
const server = createServer((_request, response) => {
  response.writeHead(provider.isAway ? 500 : 200).end(JSON.stringify({ status: 'CLEAR' }));
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const folder = listFolderOf();
const settings = () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bureau = { kind: 'http', name: 'bureau', url, decision: '$.status', decisions: { CLEAR: 'cleared' } };
  return [{ kind: 'lists', folder, lists: ['ofac', 'un', 'own'] }, bureau];
};
const app = useApp({
  railsFile: {
    sandbox: {
      ...{ pix: undefined, networks: new Map(), signer: undefined, rates: undefined, liquidity: undefined },
      identity: undefined,
      screening: (tools) => createScreening(readScreeningSettings(settings(), 'screening'), tools),
    },
  },
});
const { ask, refusal } = graphqlClient(app, () => app.platformKey);

/** With letters, as those of 2026 may have. */
const CNPJ = cnpjOf(7);
const COMPANY = {
  ...{
    taxId: formatTaxId(CNPJ).toLowerCase(),
    legalName: 'Padaria Primavera Ltda',
    street: 'Rua das Flores 10, Centro',
  },
  ...{ city: 'São Paulo', state: 'sp', postalCode: '01310-100' },
};
const OWNER = { taxId: '529.982.247-25', name: 'Ana Souza', share: '60' };
const FACTS = 'company { taxId legalName city state postalCode owners { taxId name share } }';
const mutation = (name: string, input: object) => {
  const members = Object.entries({ account: String(app.accountId), ...input }).map(
    ([key, value]) => `${key}: ${JSON.stringify(value)}`,
  );
  return `mutation { ${name}(input: { ${members.join()} }) { ${FACTS} errors { code message path } } }`;
};
const hits = async () =>
  (await ask('{ screeningHits(first: 50, state: OPEN) { nodes { role list entry strength } } }'))
    .screeningHits.nodes;

test('the operator stores a company with a CNPJ of 2026 and its owners, and the account sees them', async () => {
  const { updateAccountCompany: stored } = await ask(mutation('updateAccountCompany', COMPANY));
  expect(stored.company).toMatchObject({
    taxId: CNPJ,
    state: 'SP',
    postalCode: '01310100',
    owners: [],
  });
  await ask(mutation('setCompanyOwner', OWNER));
  await ask(mutation('setCompanyOwner', { ...OWNER, share: '75.5' }));
  const own = await ask(`{ viewer { account { ${FACTS} } } }`, {}, app.apiKey);
  const owners = [{ taxId: '52998224725', name: 'Ana Souza', share: '75.5' }];
  expect(own.viewer.account.company).toMatchObject({ legalName: 'Padaria Primavera Ltda', owners });
  const { accountHolder } = await ask(`{ accountHolder(accountId: "${app.accountId}") { ${FACTS} } }`);
  expect(accountHolder.company).toEqual(own.viewer.account.company);
  expect(await hits()).toEqual([]);
});

test('everything that is not accepted is named, and only the operator for risk stores it', async () => {
  for (const wrong of [{ taxId: '529.982.247-25' }, { state: 'XX' }, { postalCode: '123' }, { city: '' }])
    expect(
      await refusal(mutation('updateAccountCompany', { ...COMPANY, ...wrong })),
      JSON.stringify(wrong),
    ).toMatchObject({
      code: 'INVALID_PARAMETER',
    });
  for (const share of ['0', '100.01', '1.234'])
    expect((await refusal(mutation('setCompanyOwner', { ...OWNER, share }))).code, share).toBe(
      'INVALID_PARAMETER',
    );
  for (const [name, input] of [
    ['updateAccountCompany', COMPANY],
    ['setCompanyOwner', OWNER],
    ['removeCompanyOwner', { taxId: OWNER.taxId }],
  ] as const)
    expect((await refusal(mutation(name, input), {}, app.apiKey)).code).toBe('FORBIDDEN');
});

test('a listed owner raises a hit; while a screener is away nothing is stored', async () => {
  const listed = { taxId: '111.444.777-35', name: 'Qaddafi, Osama Mahmoud' };
  provider.isAway = true;
  expect((await refusal(mutation('setCompanyOwner', listed))).code).toBe('UNAVAILABLE');
  provider.isAway = false;
  const before = await ask(`{ viewer { account { ${FACTS} } } }`, {}, app.apiKey);
  expect(before.viewer.account.company.owners).toHaveLength(1);
  await ask(mutation('setCompanyOwner', listed));
  expect(await hits()).toMatchObject([{ role: 'owner', list: 'un', strength: 'STRONG' }]);
});

test('a new version of a list is compared with companies and owners', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const own = join(folder, 'own.csv');
    const log = pino({ level: 'silent' });
    while (await rescreenSlice(app.services, log));
    writeFileSync(own, `${readFileSync(own, 'utf8')}tax_id,${CNPJ},fraud,\n`);
    while (await rescreenSlice(app.services, log));
    expect(await hits()).toContainEqual(
      expect.objectContaining({ role: 'holder', list: 'own', strength: 'EXACT' }),
    );
  } finally {
    vi.useRealTimers();
  }
});

test('the audit log has each change, with tax ids of owners masked; an unknown owner is not found', async () => {
  await ask(mutation('removeCompanyOwner', { taxId: '111.444.777-35' }));
  expect((await refusal(mutation('removeCompanyOwner', { taxId: '111.444.777-35' }))).code).toBe('NOT_FOUND');
  const { rows } = await app.owner.query(
    `select after::text as after from audit_entry where act = 'company.update' order by seq`,
  );
  expect(rows).toHaveLength(5);
  expect(JSON.stringify(rows)).toContain('***.982.247-**');
  expect(JSON.stringify(rows)).not.toContain('52998224725');
});
