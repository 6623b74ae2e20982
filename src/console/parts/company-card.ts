/** The company behind an account, and its owners. */
import { formatTaxId } from '../../base/pix/tax-id.ts';
import { showFigure } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { empty, keyValues, pair } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import type { ScreenContext } from '../context.ts';
import type { CompanyFactsFragment as Company } from '../generated/graphql.ts';
import { addForm, disclosedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';

type Owner = Company['owners'][number];

/** @param account - id of the account whose company is edited; undefined shows the company only. */
export function companyCard(
  context: ScreenContext,
  company: Company | null | undefined,
  account?: string,
): Html {
  const { translate } = context;
  const shown = company ? factsOf(context, company) : empty('person', translate('noCompany'));
  const form = account !== undefined && companyForm(context, account, company);
  const owners = company && ownerList(context, company.owners, account);
  return section(
    'company',
    translate('company'),
    html`<div class="in stack tight">${shown}${form}</div>${owners}`,
  );
}

function factsOf({ translate }: ScreenContext, company: Company): Html | null {
  const { taxId, legalName, street, city, state, postalCode } = company;
  return keyValues([
    pair(translate('legalName'), legalName),
    pair(translate('cnpj'), formatTaxId(taxId)),
    pair(
      translate('companyAddress'),
      `${street}, ${city} – ${state}, ${postalCode.replace(/^(.{5})/, '$1-')}`,
    ),
  ]);
}

const FACTS = [
  ['taxId', 'cnpj'],
  ['legalName', 'legalName'],
  ['street', 'street'],
  ['city', 'city'],
  ['state', 'uf'],
  ['postalCode', 'cep'],
] as const;

function companyForm(
  context: ScreenContext,
  account: string,
  company: Company | null | undefined,
): Html | null {
  const { translate } = context;
  const action = 'UpdateAccountCompany';
  const preset = { account };
  const fields = FACTS.map(([name, label]) =>
    field(
      context,
      action,
      { name, label: translate(label), value: company?.[name] ?? null, isRequired: true },
      preset,
    ),
  );
  return disclosedForm(context, {
    action,
    preset,
    open: translate(company ? 'changeSettings' : 'addCompany'),
    what: translate('companyWhat'),
    button: translate('saveCompany'),
    fields: html`${fields}`,
  });
}

function ownerList(context: ScreenContext, owners: readonly Owner[], account: string | undefined): Html {
  const { translate, language } = context;
  const columns: readonly Column<Owner>[] = [
    {
      name: translate('name'),
      isRowHead: true,
      cell: ({ name, taxId }) => html`${name}<small class="narrow">${formatTaxId(taxId)}</small>`,
    },
    { name: translate('clientTaxId'), style: 'wide', cell: ({ taxId }) => formatTaxId(taxId) },
    {
      name: translate('share'),
      isFigure: true,
      cell: ({ share }) => (share === null ? translate('unknown') : `${showFigure(share, language, 0)} %`),
    },
    ...(account === undefined
      ? []
      : [
          {
            name: unseen(translate('actsHere')),
            isActions: true,
            cell: (owner: Owner) => removal(context, account, owner),
          },
        ]),
  ];
  const caption = translate('owners');
  const shown =
    owners.length === 0
      ? empty('person', translate('noOwners'))
      : scrolled(translate('tableOf', { name: caption }), table({ caption, rows: owners, columns }));
  return html`${shown}${account !== undefined && ownerForm(context, account)}`;
}

function removal(context: ScreenContext, account: string, { taxId, name }: Owner): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: 'RemoveCompanyOwner',
    preset: { account, taxId },
    open: translate('takeAway'),
    what: translate('removeOwnerWhat', { name }),
    button: translate('removeOwner'),
    kind: 'danger',
  });
}

function ownerForm(context: ScreenContext, account: string): Html | null {
  const { translate } = context;
  const action = 'SetCompanyOwner';
  const preset = { account };
  const fields = [
    field(context, action, { name: 'name', label: translate('name'), isRequired: true }, preset),
    field(context, action, { name: 'taxId', label: translate('clientTaxId'), isRequired: true }, preset),
    field(
      context,
      action,
      { name: 'share', label: translate('share'), hint: translate('shareHint'), inputmode: 'decimal' },
      preset,
    ),
  ];
  return addForm(context, {
    action,
    preset,
    open: translate('addOwner'),
    button: translate('add'),
    fields: html`${fields}`,
  });
}
