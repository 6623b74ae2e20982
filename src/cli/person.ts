/** `crossramp person invite|link|list|remove|sessions`. */
import { Command, Option } from 'commander';
import { ROLE_NAMES } from '../base/access/roles.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { makeNewcomerLink, makeSignInLink } from '../resolvers/people/links.ts';
import { confirmMember, inviteMember, removeMember } from '../resolvers/people/members.ts';
import type { Context } from '../resolvers/services/context.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { findPerson, type Member, readMembers } from '../store/people/people.ts';
import { readOwnSessions } from '../store/people/person-sessions.ts';
import { lists, uses } from './command.ts';
import { LIVE_HOLDER } from './output.ts';
import {
  type AccountOptions,
  accountOrPlatform,
  asHolder,
  gatewayUrl,
  onServices,
  onStore,
  operatorContext,
} from './with-store.ts';

interface Invitation {
  readonly name: string;
  readonly role: string;
}

const EMAIL = 'e-mail address of the person';

/** The command `person`. */
export function personCommand(): Command {
  const person = new Command('person').description('Invites people to the console, lists and removes them.');
  addInvite(person);
  uses(
    withHolder(
      person
        .command('confirm')
        .description('Confirms an invited person, who then no longer counts as one maker with the inviter.')
        .argument('<email>', EMAIL),
    ),
    {
      on: asHolder,
      run: async (context, _options: object, email: string) =>
        shown(await confirmMember(context, (await memberNamed(context, email)).id)),
      text: ({ email }) => `${email} is confirmed`,
    },
  );
  addLink(person);
  lists(withHolder(person.command('list').description('Lists the people of an account.')), {
    on: onStore,
    run: async (database, options: AccountOptions) =>
      readMembers(database, await accountOrPlatform(database, options)),
    row: shown,
    columns: {
      ...({ ID: 'personId', ROLE: 'role' } as const),
      STATE: ({ joinedAt }) => (joinedAt ? 'joined' : 'invited'),
      ...({ 'E-MAIL': 'email', NAME: 'name' } as const),
    },
    none: 'no people',
  });
  uses(
    withHolder(
      person.command('remove').description('Removes a person from an account.').argument('<email>', EMAIL),
    ),
    {
      on: asHolder,
      run: async (context, _options: object, email: string) => {
        const { id: value } = await memberNamed(context, email);
        return shown(await removeMember(context, { name: '<email>', value }));
      },
      text: ({ email }) => `${email} removed`,
    },
  );
  addSessions(person);
  return person;
}

function addSessions(person: Command): void {
  const sessions = person
    .command('sessions')
    .description('Lists the browsers in which a person is signed in.')
    .argument('<email>', EMAIL);
  lists(sessions, {
    on: onStore,
    run: async (database, _options: object, email: string) => {
      const found = await findPerson(database, email.trim().toLowerCase());
      if (!found) throw new StoreError(`no one has the e-mail address ${email}`);
      return readOwnSessions(database, found.id, new Date(database.nowMs()));
    },
    row: ({ id, accountId, ...rest }) => ({ sessionId: id, accountId: String(accountId), ...rest }),
    columns: {
      ...{ ID: 'sessionId', ACCOUNT: 'accountId', SEEN: 'seenAt', ADDRESS: 'address', BROWSER: 'userAgent' },
    },
    none: 'no sessions',
  });
}

function addInvite(person: Command): void {
  const invite = person
    .command('invite')
    .description('Invites a person to an account, and shows the link to hand over. It is not shown again.')
    .argument('<email>', EMAIL)
    .requiredOption('--name <name>', 'name of the person')
    .addOption(
      new Option('--role <role>', 'what the person may do; docs/security.md says what each role is for')
        .choices(ROLE_NAMES)
        .makeOptionMandatory(),
    );
  uses(withHolder(invite), {
    on: asHolder,
    run: async (context, { name, role }: Invitation, email: string) => {
      const input = {
        name: { name: '--name', value: name },
        email: { name: '<email>', value: email },
        role: { name: '--role', value: role },
      };
      const { member, url, expiresAt } = await inviteMember(linking(context), input, checksOf(context));
      return { personId: member.id, url, expiresAt };
    },
    text: ({ url }) => url,
  });
}

function addLink(person: Command): void {
  const link = person
    .command('link')
    .description('Shows a link that signs a person in, once. It is not shown again.')
    .argument('[email]', `${EMAIL}; default: the person who started the sandbox`)
    .option(
      '--forget-passkeys',
      'remove all passkeys of the person, who has lost them, and end all sessions',
    );
  uses(withHolder(link), {
    on: onServices,
    run: async (services, options: AccountOptions & { forgetPasskeys?: boolean }, email?: string) => {
      const contextOf = async (accountId: bigint) => linking(await operatorContext(services, accountId));
      if (email === undefined) return linkOf(await makeNewcomerLink(services.database, contextOf));
      const context = await contextOf(await accountOrPlatform(services.database, options));
      await memberNamed(context, email);
      return linkOf(await makeSignInLink(context, email, options.forgetPasskeys));
    },
    text: ({ url }) => url,
  });
}

function linkOf<Expiry>({ url, expiresAt }: { readonly url: string; readonly expiresAt: Expiry }) {
  return { url, expiresAt };
}

function withHolder(command: Command): Command {
  return command
    .option(
      '--account <id>',
      'id of the account, "sandbox", or "platform" for people of the operator',
      'sandbox',
    )
    .option('--live', LIVE_HOLDER);
}

/** Links lead to the running gateway, which may have chosen its port. */
function linking(context: Context): Context {
  return { ...context, publicUrl: gatewayUrl() };
}

async function memberNamed({ database, caller }: Context, email: string): Promise<Member> {
  const members = await readMembers(database, caller.accountId);
  const member = members.find((each) => each.email === email.trim().toLowerCase());
  if (!member) throw new StoreError(`no one in the account has the e-mail address ${email}`);
  return member;
}

function shown({ id, ...rest }: Member) {
  return { personId: id, ...rest };
}
