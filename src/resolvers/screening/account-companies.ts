/** The company behind an account and its owners: stored by the operator, and compared with lists and providers before that. */
import { known } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { parseTaxId } from '../../base/pix/tax-id.ts';
import { maskTaxId } from '../../base/text/mask.ts';
import {
  type Company,
  type CompanyOwner,
  readCompany,
  removeOwner,
  setCompany,
  setOwner,
} from '../../store/account/companies.ts';
import type { Tx } from '../../store/connection/database.ts';
import { accountObject } from '../../store/engine/audit.ts';
import { auditedChange } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { screenSubject } from './screen-transaction.ts';

/** Facts of a company, under the caller's names for them. */
export interface CompanyInput {
  readonly taxId: Named;
  readonly legalName: Named;
  readonly street: Named;
  readonly city: Named;
  readonly state: Named;
  readonly postalCode: Named;
}

/** An owner, under the caller's names. */
export interface OwnerInput {
  readonly taxId: Named;
  readonly name: Named;
  /** Percent. */
  readonly share?: Named | undefined;
}

/** Owners of a company that are stored at most. */
export const OWNERS_MAX = 50;
const STATES = 'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ');
const POSTAL_CODE = /^\d{5}-?\d{3}$/;
const SHARE = /^(100(\.0{1,2})?|\d{1,2}(\.\d{1,2})?)$/;

/**
 * Stores the company behind an account, after its comparison with the lists: a match is a hit, which a person decides.
 *
 * @param context - of the platform, on the account of the company.
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`; `UNAVAILABLE` while a screener cannot answer.
 */
export async function updateCompany(
  context: Context,
  input: CompanyInput,
  checks: CreationChecks,
): Promise<Company> {
  requirePermission(context, 'company.update');
  const facts = {
    taxId: companyTaxId(input.taxId, checks),
    legalName: checks.personName(input.legalName),
    street: checks.reference(input.street),
    city: checks.reference(input.city),
    state: oneOfStates(input.state, checks),
    postalCode: postalCode(input.postalCode, checks),
  };
  checks.refuse();
  const stored = facts as { [Name in keyof typeof facts]: string };
  await screen(context, { role: 'holder', taxId: stored.taxId, name: stored.legalName });
  return change(context, (tx, nowMs) => setCompany(tx, context.caller.accountId, stored, new Date(nowMs)));
}

/** Stores an owner of the company, after the same comparison. @throws as `updateCompany`; `NOT_FOUND` before the company is known. */
export async function setCompanyOwner(
  context: Context,
  input: OwnerInput,
  checks: CreationChecks,
): Promise<Company> {
  requirePermission(context, 'company.update');
  const taxId = checks.taxId(input.taxId);
  const name = checks.personName(input.name);
  const share = input.share && shareOf(input.share, checks);
  checks.refuse();
  const owner: CompanyOwner = {
    taxId: known(taxId, 'a tax id'),
    name: known(name, 'a name'),
    share: share ?? null,
  };
  await screen(context, { role: 'owner', taxId: owner.taxId, name: owner.name });
  return change(context, async (tx) => {
    const { accountId } = context.caller;
    const others = (await existing(tx, accountId)).owners.filter((each) => each.taxId !== owner.taxId);
    if (others.length >= OWNERS_MAX)
      throw new GatewayError('STEP_CONFLICT', `a company has at most ${OWNERS_MAX} owners here`);
    await setOwner(tx, accountId, owner);
  });
}

/** Removes an owner of the company. @throws as `setCompanyOwner`. */
export async function removeCompanyOwner(
  context: Context,
  input: Named,
  checks: CreationChecks,
): Promise<Company> {
  requirePermission(context, 'company.update');
  const taxId = checks.taxId(input);
  checks.refuse();
  return change(context, async (tx) => {
    const { accountId } = context.caller;
    const { owners } = await existing(tx, accountId);
    if (!owners.some((each) => each.taxId === taxId)) throw notFound();
    await removeOwner(tx, accountId, known(taxId, 'a tax id'));
  });
}

async function change(context: Context, work: (tx: Tx, nowMs: number) => Promise<void>): Promise<Company> {
  const { accountId } = context.caller;
  const factsOf = (tx: Tx) => factsOfCompany(tx, accountId);
  return auditedChange(context, 'company.update', accountObject(accountId), factsOf, async (tx, nowMs) => {
    await work(tx, nowMs);
    return existing(tx, accountId);
  });
}

/** Tax ids of owners are those of people: the log has them masked. */
async function factsOfCompany(tx: Tx, accountId: bigint): Promise<object> {
  const company = await readCompany(tx, accountId);
  if (!company) return {};
  const { updatedAt: _updatedAt, owners, ...facts } = company;
  return { ...facts, owners: owners.map((owner) => ({ ...owner, taxId: maskTaxId(owner.taxId) })) };
}

async function existing(tx: Tx, accountId: bigint): Promise<Company> {
  const company = await readCompany(tx, accountId);
  if (!company) throw notFound();
  return company;
}

async function screen(
  context: Context,
  subject: { readonly role: 'holder' | 'owner'; readonly taxId: string; readonly name: string },
): Promise<void> {
  await screenSubject(context, { accountId: context.caller.accountId, transactionId: null }, subject);
}

function companyTaxId(input: Named, checks: CreationChecks): string | undefined {
  const taxId = parseTaxId(input.value);
  if (taxId?.kind === 'cnpj') return taxId.value;
  return checks.add({
    parameter: input.name,
    message: 'must be a CNPJ with right check digits: 12 digits or letters and 2 digits',
  });
}

function oneOfStates({ name: parameter, value }: Named, checks: CreationChecks): string | undefined {
  const letters = value.trim().toUpperCase();
  if (STATES.includes(letters)) return letters;
  return checks.add({ parameter, message: 'must be the two letters of a state, such as SP' });
}

function postalCode({ name: parameter, value }: Named, checks: CreationChecks): string | undefined {
  if (POSTAL_CODE.test(value.trim())) return value.replace(/\D/g, '');
  return checks.add({ parameter, message: 'must be a CEP of eight digits, such as 01310-100' });
}

function shareOf({ name: parameter, value }: Named, checks: CreationChecks): string | undefined {
  if (SHARE.test(value) && Number.parseFloat(value) > 0) return value;
  return checks.add({
    parameter,
    message: 'must be a percentage above 0 up to 100, with at most two decimals',
  });
}
