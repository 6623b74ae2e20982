/** The company behind an account, and its owners: `Account.company`, `AccountHolder.company` and the mutations of the operator. */
import { ACTIONS } from '../base/access/actions.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { contextOnAccount } from '../resolvers/checks/context-on-account.ts';
import { NAME_LENGTH_MAX, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  OWNERS_MAX,
  removeCompanyOwner,
  setCompanyOwner,
  updateCompany,
} from '../resolvers/screening/account-companies.ts';
import { type Company, type CompanyOwner, readCompany } from '../store/account/companies.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import type { AccountRef } from './viewer.ts';

const SCREENED = `A match with a screening list is a hit, and stops nothing. Needs the scope \`${ACTIONS['company.update'].scope}\`.`;
const DOC = {
  taxId: 'CNPJ of the company, with or without punctuation.',
  legalName: `Name as it is registered, 1 to ${NAME_LENGTH_MAX} characters.`,
  street: `Street, number and district, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
  city: `City, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
  state: 'Two letters of the state, such as `SP`.',
  postalCode: 'CEP, with or without its dash.',
  ownerTaxId: 'CPF or CNPJ of the owner, with or without punctuation.',
  ownerName: `Name of the owner, 1 to ${NAME_LENGTH_MAX} characters.`,
  share: 'Percent of the company, above 0 up to 100, with at most two decimals.',
} as const;

/** Type of a company. */
export type CompanyRef = ReturnType<typeof defineCompany>;

/** Defines the company of an account and its mutations. @returns its type. */
export function defineCompanies(builder: Builder, account: AccountRef): CompanyRef {
  const company = defineCompany(builder);
  builder.prismaObjectField(account, 'company', (t) =>
    t.field({
      type: company,
      nullable: true,
      description: 'The company behind the account, as the operator has stored it; null: not stored.',
      resolve: async ({ id }, _args, { database }) => (await readCompany(database, id)) ?? null,
    }),
  );
  defineUpdate(builder, company);
  defineOwners(builder, company);
  return company;
}

function defineCompany(builder: Builder) {
  const owner = builder.objectRef<CompanyOwner>('CompanyOwner').implement({
    description: 'An owner of a company.',
    fields: (t) => ({
      taxId: t.exposeString('taxId', { description: 'CPF or CNPJ without punctuation.' }),
      name: t.exposeString('name', { description: 'Name of the owner.' }),
      share: t.field({
        type: 'Decimal',
        nullable: true,
        description: 'Percent of the company; null: not known.',
        resolve: ({ share }) => share,
      }),
    }),
  });
  return builder.objectRef<Company>('AccountCompany').implement({
    description:
      'The company behind an account. It is compared with the screening lists when it is stored, and once a day.',
    fields: (t) => ({
      taxId: t.exposeString('taxId', { description: 'CNPJ without punctuation.' }),
      legalName: t.exposeString('legalName', { description: 'Name as it is registered.' }),
      street: t.exposeString('street', { description: 'Street, number and district.' }),
      city: t.exposeString('city', { description: 'City.' }),
      state: t.exposeString('state', { description: 'Two letters of the state.' }),
      postalCode: t.exposeString('postalCode', { description: 'CEP, eight digits.' }),
      updatedAt: t.field({
        type: 'DateTime',
        description: 'When its facts were stored last.',
        resolve: ({ updatedAt }) => isoOf(updatedAt),
      }),
      owners: t.field({
        type: [owner],
        description: `Its owners, by tax id; at most ${OWNERS_MAX}.`,
        complexity: { field: 1, multiplier: OWNERS_MAX },
        resolve: ({ owners }) => [...owners],
      }),
    }),
  });
}

function defineUpdate(builder: Builder, company: CompanyRef): void {
  defineMutation(builder, 'updateAccountCompany', {
    result: ['company', company],
    description: `Stores the company behind an account. ${SCREENED}`,
    inputDescription: 'All facts of the company.',
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      taxId: t.string({ required: true, description: DOC.taxId }),
      legalName: t.string({ required: true, description: DOC.legalName }),
      street: t.string({ required: true, description: DOC.street }),
      city: t.string({ required: true, description: DOC.city }),
      state: t.string({ required: true, description: DOC.state }),
      postalCode: t.string({ required: true, description: DOC.postalCode }),
    }),
    resolve: async ({ account, ...facts }, context) => {
      const own = await contextOnAccount(context, 'company.update', account);
      return updateCompany(own, namedOf(facts), checksOf(own));
    },
  });
}

function defineOwners(builder: Builder, company: CompanyRef): void {
  defineMutation(builder, 'setCompanyOwner', {
    result: ['company', company],
    description: `Stores an owner of the company behind an account, or changes the one with this tax id. ${SCREENED}`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      taxId: t.string({ required: true, description: DOC.ownerTaxId }),
      name: t.string({ required: true, description: DOC.ownerName }),
      share: t.field({ type: 'Decimal', description: `${DOC.share} Default: not known.` }),
    }),
    resolve: async ({ account, taxId, name, share }, context) => {
      const own = await contextOnAccount(context, 'company.update', account);
      const named = namedOf({ taxId, name });
      const input =
        share == null ? named : { ...named, share: { name: 'input.share', value: String(share) } };
      return setCompanyOwner(own, input, checksOf(own));
    },
  });
  defineMutation(builder, 'removeCompanyOwner', {
    result: ['company', company],
    description: `Removes an owner of the company behind an account. Needs the scope \`${ACTIONS['company.update'].scope}\`.`,
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      taxId: t.string({ required: true, description: DOC.ownerTaxId }),
    }),
    resolve: async ({ account, taxId }, context) => {
      const own = await contextOnAccount(context, 'company.update', account);
      return removeCompanyOwner(own, { name: 'input.taxId', value: taxId }, checksOf(own));
    },
  });
}

function namedOf<Name extends string>(texts: Readonly<Record<Name, string>>) {
  const entries = Object.entries<string>(texts).map(([name, value]) => [
    name,
    { name: `input.${name}`, value },
  ]);
  return Object.fromEntries(entries) as Record<Name, { readonly name: string; readonly value: string }>;
}
