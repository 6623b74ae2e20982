/** `crossramp person invite|link|list|remove|sessions|passkeys`. */
import { Command, Option } from 'commander';
import { ROLE_NAMES } from '../base/roles.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { makeNewcomerLink, makeSignInLink } from '../resolvers/people/links.ts';
import { inviteMember, removeMember } from '../resolvers/people/members.ts';
import { passkeyPlace } from '../resolvers/people/passkeys.ts';
import type { Context, Services } from '../resolvers/services/context.ts';
import { StoreError } from '../store/check-server.ts';
import { readPasskeyKeys } from '../store/people/passkeys.ts';
import { findPerson, type Member, readMembers } from '../store/people/people.ts';
import { readOwnSessions } from '../store/people/person-sessions.ts';
import { accountOrPlatform, answer, jsonOption, table } from './output.ts';
import { gatewayUrl, operatorContext, withServices, withStore } from './with-store.ts';

interface PlaceOptions {
  readonly account: string;
  readonly live?: boolean;
  readonly json?: boolean;
}

const EMAIL = 'e-mail address of the person';
const accountOption = () =>
  new Option(
    '--account <id>',
    'id of the account, "sandbox", or "platform" for people of the operator',
  ).default('sandbox');
const liveOption = () => new Option('--live', 'with --account platform: the platform of live accounts');

/** The command `person`. */
export function personCommand(): Command {
  const person = new Command('person').description('Invites people to the console, lists and removes them.');
  addInvite(person);
  addLink(person);
  place(person.command('list').description('Lists the people of an account.')).action(
    async (options: PlaceOptions) => {
      const members = await withStore(async ({ database }) =>
        readMembers(database, await accountOrPlatform(database, options)),
      );
      const rows = members.map((each) => [
        each.id,
        each.role,
        each.joinedAt ? 'joined' : 'invited',
        each.email,
        each.name,
      ]);
      const heading = ['ID', 'ROLE', 'STATE', 'E-MAIL', 'NAME'];
      answer(options, members.map(shown), rows.length === 0 ? 'no people' : table([heading, ...rows]));
    },
  );
  place(
    person.command('remove').description('Takes a person out of an account.').argument('<email>', EMAIL),
  ).action(async (email: string, options: PlaceOptions) => {
    const removed = await withServices(async (services) => {
      const context = await contextAt(services, options);
      const member = await memberNamed(context, email);
      return removeMember(context, { name: '<email>', value: member.id });
    });
    answer(options, shown(removed), `${removed.email} removed`);
  });
  person
    .command('sessions')
    .description('Lists the browsers in which a person is signed in.')
    .argument('<email>', EMAIL)
    .addOption(jsonOption())
    .action(async (email: string, options: { json?: boolean }) => {
      const sessions = await withStore(async ({ database }) => {
        const found = await findPerson(database, email.trim().toLowerCase());
        if (!found) throw new StoreError(`nobody has the e-mail address ${email}`);
        return readOwnSessions(database, found.id, new Date());
      });
      const values = sessions.map(({ id, accountId, ...rest }) => ({
        sessionId: id,
        accountId: String(accountId),
        ...rest,
      }));
      const rows = values.map((each) => [
        each.sessionId,
        each.accountId,
        each.seenAt,
        each.address ?? '',
        each.userAgent ?? '',
      ]);
      const heading = ['ID', 'ACCOUNT', 'SEEN', 'ADDRESS', 'BROWSER'];
      answer(options, values, rows.length === 0 ? 'no sessions' : table([heading, ...rows]));
    });
  addPasskeys(person);
  return person;
}

function addPasskeys(person: Command): void {
  person
    .command('passkeys')
    .description(
      'Prints the passkeys of a person as the signer takes them among its approvers, one per line (docs/signer.md).',
    )
    .argument('<email>', EMAIL)
    .addOption(jsonOption())
    .action(async (email: string, options: { json?: boolean }) => {
      const keys = await withStore(async ({ database }) => {
        const found = await findPerson(database, email.trim().toLowerCase());
        if (!found) throw new StoreError(`nobody has the e-mail address ${email}`);
        return readPasskeyKeys(database, found.id);
      });
      const { origin, rpID: rpId } = passkeyPlace(gatewayUrl());
      const approvers = keys.map(({ id, publicKey }) => {
        const key = Buffer.from(publicKey).toString('base64url');
        return { kind: 'passkey', id, publicKey: key, rpId, origin };
      });
      const lines = approvers.map((each) => JSON.stringify(each));
      answer(options, approvers, lines.length === 0 ? 'no passkeys' : lines.join('\n'));
    });
}

function addInvite(person: Command): void {
  place(
    person
      .command('invite')
      .description('Invites a person to an account, and shows the link to hand over. It is not shown again.')
      .argument('<email>', EMAIL)
      .requiredOption('--name <name>', 'name of the person')
      .addOption(
        new Option('--role <role>', 'what the person may do; docs/security.md says what each role is for')
          .choices(ROLE_NAMES)
          .makeOptionMandatory(),
      ),
  ).action(async (email: string, options: PlaceOptions & { name: string; role: string }) => {
    const { member, url, expiresAt } = await withServices(async (services) => {
      const context = await contextAt(services, options);
      const input = {
        name: { name: '--name', value: options.name },
        email: { name: '<email>', value: email },
        role: { name: '--role', value: options.role },
      };
      return inviteMember(context, input, checksOf(context));
    });
    answer(options, { personId: member.id, url, expiresAt }, url);
  });
}

function addLink(person: Command): void {
  place(
    person
      .command('link')
      .description('Shows a link that signs a person in, once. It is not shown again.')
      .argument('[email]', `${EMAIL}; default: the person who started the sandbox`)
      .option(
        '--forget-passkeys',
        'remove all passkeys of the person, who has lost them, and end all sessions',
      ),
  ).action(async (email: string | undefined, options: PlaceOptions & { forgetPasskeys?: boolean }) => {
    const { url, expiresAt } = await withServices(async (services) => {
      if (email !== undefined)
        return makeSignInLink(await memberContext(services, options, email), email, options.forgetPasskeys);
      return makeNewcomerLink(services.database, (accountId) => contextOf(services, accountId));
    });
    answer(options, { url, expiresAt }, url);
  });
}

function place(command: Command): Command {
  return command.addOption(accountOption()).addOption(liveOption()).addOption(jsonOption());
}

async function contextAt(services: Services, options: PlaceOptions): Promise<Context> {
  return contextOf(services, await accountOrPlatform(services.database, options));
}

/** Links lead to the gateway that answers, which may have chosen its port. */
async function contextOf(services: Services, accountId: bigint): Promise<Context> {
  return { ...(await operatorContext(services, accountId)), publicUrl: gatewayUrl() };
}

async function memberContext(services: Services, options: PlaceOptions, email: string): Promise<Context> {
  const context = await contextAt(services, options);
  await memberNamed(context, email);
  return context;
}

async function memberNamed({ database, caller }: Context, email: string): Promise<Member> {
  const members = await readMembers(database, caller.accountId);
  const member = members.find((each) => each.email === email.trim().toLowerCase());
  if (!member) throw new StoreError(`nobody of the account has the e-mail address ${email}`);
  return member;
}

function shown({ id, ...rest }: Member) {
  return { personId: id, ...rest };
}
