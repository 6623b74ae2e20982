/** What every act is walked with: one gateway, one browser, and people who come in once each, with script and without. */
import type { Page } from 'playwright-core';
import { beforeAll, expect, vi } from 'vitest';
import type { ActionName } from '../../../src/base/access/actions.ts';
import type { Role } from '../../../src/base/access/roles.ts';
import { consoleOrigin } from '../../../src/base/pages/console-url.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { type TestApp, useApp } from '../../support/app.ts';
import { type TestBrowser, useBrowser } from '../../support/browser.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { givePasskeyDevice } from '../../support/passkey-device.ts';
import { inviteByOperator } from '../../support/people.ts';
import { type Receiver, useReceiver } from '../../support/receiver.ts';
import { newCpf } from '../../walk/walker.ts';

/** An address of TRON that anybody can name. */
export const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const DESK = { viewport: { width: 1440, height: 900 } };
const PATIENCE = { timeout: 15_000 };
/** As long ago as no passkey counts any more. */
const STALE = '6 minutes';

/** Whether a browser runs what pages bring. */
export type Way = 'with script' | 'without script';
/** Both, in the order in which each act is walked. */
export const WAYS: readonly Way[] = ['with script', 'without script'];

/** Somebody at a browser: with script they have a passkey, without they cannot. */
export interface Person {
  readonly personId: string;
  readonly email: string;
  readonly page: Page & { readonly problems: string[] };
}

/** Whose account the form is in. */
export type Who = 'shop' | 'platform';

/** Where acts are walked. */
export interface Stage {
  readonly app: TestApp;
  readonly receiver: Receiver;
  /** Number of the account of the shop. */
  readonly shop: () => string;
  readonly platform: () => string;
  readonly person: (who: Who, way: Way) => Person;
  /** GraphQL as the shop, and as the operator. */
  readonly ask: ReturnType<typeof graphqlClient>['ask'];
  readonly askAsOperator: ReturnType<typeof graphqlClient>['ask'];
  readonly create: ReturnType<typeof graphqlClient>['create'];
  readonly trigger: ReturnType<typeof graphqlClient>['trigger'];
  readonly stepNow: (end2end: string) => Promise<string>;
  readonly reach: (end2end: string, step: string | RegExp) => Promise<void>;
  /** As if the passkey had been shown a while ago. */
  readonly letPasskeyAge: (person: Person) => Promise<unknown>;
  /** Acts of a person that no earlier call has given, in their order. */
  readonly newActs: (person: Person) => Promise<readonly Entry[]>;
}

/** What the audit log says of an act. */
export interface Entry {
  readonly act: ActionName;
  readonly object: string;
}

/** Starts everything before the tests of the file. */
export function useStage(): Stage {
  const app = useApp();
  const browser = useBrowser({ keepsPages: true });
  const receiver = useReceiver();
  const people = new Map<string, Person>();
  const known = new Map<string, number>();
  let platform: bigint;
  const { ask, create, trigger, stepNow } = graphqlClient(app, () => app.apiKey);

  beforeAll(async () => {
    platform = await platformAccount(app.database, 'sandbox');
    const seats = [
      ['shop', app.accountId, 'owner'],
      ['platform', platform, 'platform_owner'],
    ] as const;
    for (const way of WAYS)
      for (const [who, accountId, role] of seats)
        people.set(`${who} ${way}`, await comeIn({ app, browser }, { accountId, role, way }));
    await ask(
      'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0, approvalAbove: "1" }) { accountSettings { approvalAbove } errors { code message path } } }',
    );
    await ask(
      'mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "5000" }) { funding { journalId } errors { code message path } } }',
    );
  });

  return {
    app,
    receiver,
    shop: () => String(app.accountId),
    platform: () => String(platform),
    person: (who, way) => people.get(`${who} ${way}`) as Person,
    ask,
    askAsOperator: (query, variables) => ask(query, variables, app.platformKey),
    create,
    trigger,
    stepNow,
    reach: (end2end, step) => vi.waitFor(async () => expect(await stepNow(end2end)).toMatch(step), PATIENCE),
    letPasskeyAge: ({ personId }) =>
      app.owner.query(
        'update person_session set verified_at = verified_at - $2::interval where person_id = $1',
        [personId, STALE],
      ),
    newActs: async ({ personId }) => {
      const { rows } = await app.owner.query(
        'select act, object_id as object from audit_entry where actor_id = $1 order by at, account_id, seq',
        [personId],
      );
      const before = known.get(personId) ?? 0;
      known.set(personId, rows.length);
      return rows.slice(before);
    },
  };
}

/** Comes in by an invitation, as people do; with script on a device that has passkeys, of which one is added. */
async function comeIn(
  { app, browser }: { readonly app: TestApp; readonly browser: TestBrowser },
  { accountId, role, way }: { readonly accountId: bigint; readonly role: Role; readonly way: Way },
): Promise<Person> {
  const hasScript = way === 'with script';
  const email = `${role}-${hasScript ? 'script' : 'plain'}@people.invalid`;
  const { url, member } = await inviteByOperator(app.services, accountId, { email, role });
  const page = await browser.open(url, { ...DESK, javaScriptEnabled: hasScript });
  if (hasScript) await givePasskeyDevice(page);
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  if (hasScript) {
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Remove' }).waitFor();
  }
  return { personId: member.id, email, page };
}

/** @returns the address of a path of the console, by the name under which browsers have passkeys. */
export function addressOf({ app }: Pick<Stage, 'app'>, path: string): string {
  return consoleOrigin(app.baseUrl) + path;
}

/** @returns a customer whom no transaction names yet. */
export function customer(): { readonly clientName: string; readonly clientTaxId: string } {
  return { clientName: 'Maria Souza Prado', clientTaxId: newCpf() };
}
