/** `crossramp account company show|set` and `crossramp account owner set|remove`. */
import { Command } from 'commander';
import { maskTaxId } from '../base/text/mask.ts';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import {
  removeCompanyOwner,
  setCompanyOwner,
  updateCompany,
} from '../resolvers/screening/account-companies.ts';
import { type Company, readCompany } from '../store/account/companies.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { columnsText, uses } from './command.ts';
import { revealOption } from './output.ts';

interface Reveal {
  readonly reveal?: boolean;
}

type Facts = Readonly<Record<'taxId' | 'name' | 'street' | 'city' | 'state' | 'postalCode', string>>;

interface Owner extends Reveal {
  readonly taxId: string;
  readonly name: string;
  readonly share?: string;
}

/** The command `account company`. */
export function accountCompanyCommand(): Command {
  const company = new Command('company').description('Shows or stores the company behind an account.');
  uses(onAccount(company.command('show').description('Shows the company and its owners.')), {
    run: async ({ database, caller }) => {
      const found = await readCompany(database, caller.accountId);
      if (!found) throw new StoreError('no company is stored for this account');
      return found;
    },
    ...PRINTED,
  });
  const set = company
    .command('set')
    .description('Stores the company, after a comparison with the screening lists.')
    .requiredOption('--tax-id <cnpj>', 'CNPJ of the company')
    .requiredOption('--name <text>', 'name as it is registered, 1 to 140 characters')
    .requiredOption('--street <text>', 'street, number and district, 1 to 200 characters')
    .requiredOption('--city <text>', 'city, 1 to 200 characters')
    .requiredOption('--state <letters>', 'two letters of the state')
    .requiredOption('--postal-code <cep>', 'CEP');
  uses(onAccount(set), {
    run: (context, { taxId, name, street, city, state, postalCode }: Facts & Reveal) => {
      const input = {
        ...{ taxId: option('--tax-id', taxId), legalName: option('--name', name) },
        ...{ street: option('--street', street), city: option('--city', city) },
        ...{ state: option('--state', state), postalCode: option('--postal-code', postalCode) },
      };
      return updateCompany(context, input, checksOf(context));
    },
    ...PRINTED,
  });
  return company;
}

/** The command `account owner`. */
export function companyOwnerCommand(): Command {
  const owner = new Command('owner').description(
    'Stores or removes an owner of the company behind an account.',
  );
  const set = owner
    .command('set')
    .description(
      'Stores an owner, or changes the one with this tax id, after a comparison with the screening lists.',
    )
    .requiredOption('--tax-id <number>', 'CPF or CNPJ of the owner')
    .requiredOption('--name <text>', 'name of the owner')
    .option('--share <percent>', 'percent of the company, such as 25 or 33.34');
  uses(onAccount(set), {
    run: (context, { taxId, name, share }: Owner) => {
      const input = { taxId: option('--tax-id', taxId), name: option('--name', name) };
      const withShare = share === undefined ? input : { ...input, share: option('--share', share) };
      return setCompanyOwner(context, withShare, checksOf(context));
    },
    ...PRINTED,
  });
  const remove = owner
    .command('remove')
    .description('Removes an owner.')
    .requiredOption('--tax-id <number>', 'CPF or CNPJ of the owner');
  uses(onAccount(remove), {
    run: (context, { taxId }: Pick<Owner, 'taxId' | 'reveal'>) =>
      removeCompanyOwner(context, option('--tax-id', taxId), checksOf(context)),
    ...PRINTED,
  });
  return owner;
}

const option = (name: string, value: string) => ({ name, value });

function onAccount(command: Command): Command {
  return command.requiredOption('--account <id>', 'id or handle of the account').addOption(revealOption());
}

/** Tax ids of owners are tax ids of people: masked unless the caller requests them whole. */
const PRINTED = {
  json: ({ owners, updatedAt, ...facts }: Company, { reveal }: Reveal) => ({
    ...{ ...facts, updatedAt: isoMillis(updatedAt) },
    owners: owners.map((owner) => ({ ...owner, taxId: reveal ? owner.taxId : maskTaxId(owner.taxId) })),
  }),
  text: ({ taxId, legalName, street, city, state, postalCode, owners }: Company, { reveal }: Reveal) => {
    const rows = owners.map((owner) => ({
      ...{ name: owner.name, share: owner.share },
      taxId: reveal ? owner.taxId : maskTaxId(owner.taxId),
    }));
    const listed = columnsText(rows, { OWNER: 'name', 'TAX ID': 'taxId', PERCENT: 'share' }, ['PERCENT']);
    return `${legalName}, CNPJ ${taxId}\n${street}, ${city} ${state}, ${postalCode}\n\n${listed}`;
  },
};
