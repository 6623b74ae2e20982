/**
 * Goal: a form of settings is filled with what holds; saved as it was it changes nothing, one changed field changes that alone, and
 * an emptied one removes its value. Method: forms as the pages of the real application show them, sent back as a browser does.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
let owner: SignedInForTest;
let operator: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  const platform = await platformAccount(app.database, 'sandbox');
  operator = await signInAs(app, platform, { email: 'olga@platform.invalid', role: 'platform_owner' });
  // On a busy machine the first page takes longer than a page may.
  await vi.waitFor(async () => expect((await visit(app, owner, '/console/settings')).status).toBe(200), {
    timeout: 30_000,
  });
});

const CUSTOMER = '52998224725';
const RULES = { approvalAbove: '1234.5', outflowPerHour: '5000', newTargetPerHour: '300' };
const LIMITS = { template: 'onramp', part: 'change', amountMin: '20', amountMax: '1234.5' };

/** A form, the page that has it, a value of its preset that tells it from others, and fields that are filled in first. */
interface Filled {
  readonly action: string;
  readonly path: () => string;
  readonly of: string;
  readonly set: Readonly<Record<string, string>>;
  /** A field, its value as the page shows it, and another one. */
  readonly change: readonly [name: string, held: string, other: string];
  readonly canBeEmpty: boolean;
  readonly byOperator?: boolean;
}

const LOOK = { part: 'look', accent: '#0b5fff', displayName: 'Loja da Rita' };

const account = () => `/console/accounts/${app.accountId}`;
const FORMS: readonly Filled[] = [
  {
    ...{ action: 'UpdateAccountSettings', path: () => '/console/settings', of: 'rules', set: RULES },
    ...{ change: ['approvalAbove', '1234.5', '1000'], canBeEmpty: true },
  },
  {
    ...{ action: 'UpdateTemplateLimits', path: () => '/console/settings', of: 'onramp', set: LIMITS },
    ...{ change: ['amountMax', '1234.5', '1000'], canBeEmpty: true },
  },
  {
    ...{ action: 'UpdateBranding', path: () => '/console/settings', of: 'look', set: LOOK },
    ...{ change: ['accent', '#0b5fff', '#7a1fa2'], canBeEmpty: true },
  },
  {
    ...{ action: 'UpdateCustomer', path: () => `/console/customers?q=${CUSTOMER}`, of: CUSTOMER },
    ...{
      set: { taxId: CUSTOMER, limitDaily: '800' },
      change: ['limitDaily', '800', '700'],
      canBeEmpty: true,
    },
  },
  {
    ...{ action: 'GrantCustomerLimits', path: account, of: CUSTOMER, byOperator: true, canBeEmpty: true },
    set: { taxId: CUSTOMER, limitDaily: '900', level: 'VERIFIED' },
    change: ['limitDaily', '900', '950'],
  },
  {
    ...{ action: 'UpdateTemplateSettings', path: account, of: 'onramp', byOperator: true, canBeEmpty: false },
    ...{ set: { template: 'onramp', amountMax: '4000' }, change: ['amountMax', '4000', '4500'] },
  },
];

const by = ({ byOperator }: Filled) => (byOperator ? operator : owner);
const send = (form: Filled, values: Readonly<Record<string, string>>) =>
  visit(app, by(form), `/console/acts/${form.action}`, {
    form: { back: form.path(), ...(form.byOperator && { account: String(app.accountId) }), ...values },
  });

/** @returns the fields of the form, with the values that a browser sends. */
async function shown(form: Filled, lang = 'en'): Promise<Record<string, string>> {
  const { text } = await visit(
    app,
    by(form),
    `${form.path()}${form.path().includes('?') ? '&' : '?'}lang=${lang}`,
  );
  const forms = text.split('<form').filter((each) => each.includes(`acts/${form.action}"`));
  const [html = ''] = forms.filter((each) => each.includes(`value="${form.of}"`));
  const inputs = [...html.matchAll(/<input[^>]*? name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  const choices = [...html.matchAll(/<select[^>]*? name="([^"]+)"[\s\S]*?<\/select>/g)].map(([all, name]) => [
    name,
    /value="([^"]*)" selected/.exec(all)?.[1] ?? '',
  ]);
  const { csrf: _csrf, ...fields } = Object.fromEntries([...inputs, ...choices]);
  return fields;
}

/** @returns the number of entries of the audit logs, and the values of the form. */
async function state(form: Filled) {
  const { rows } = await app.owner.query('select count(*)::int as entries from audit_entry');
  return { entries: rows[0].entries, values: await shown(form) };
}

describe.each(FORMS.map((form) => [form.action, form] as const))('%s', (_action, form) => {
  const [name, held, other] = form.change;

  test('is filled with what holds, in the notation of the language', async () => {
    expect((await send(form, form.set)).status).toBe(303);
    expect(await shown(form)).toMatchObject({ [name]: held, [`shown.${name}`]: held });
    expect(await shown(form, 'pt')).toMatchObject({ [name]: held.replace('.', ',') });
  });

  test('saved unchanged, changes nothing', async () => {
    const before = await state(form);
    const { status, headers } = await send(form, before.values);
    expect(status).toBe(303);
    expect(await state(form)).toEqual(before);
    const next = new URL(headers.get('location') ?? '', app.baseUrl);
    for (const [lang, said] of Object.entries({ en: 'Nothing changed.', pt: 'Nada foi alterado.' })) {
      next.searchParams.set('lang', lang);
      expect((await visit(app, by(form), next.pathname + next.search)).text).toContain(said);
    }
  });

  test('with one field changed, changes that alone; emptied, it goes', async () => {
    const before = await shown(form);
    expect((await send(form, { ...before, [name]: other })).status).toBe(303);
    const after = await shown(form);
    const { [name]: _held, [`shown.${name}`]: _shown, ...others } = before;
    expect(after).toMatchObject({ ...others, [name]: other });
    if (!form.canBeEmpty) return;
    await send(form, { ...after, [name]: '' });
    const { text } = await visit(app, by(form), form.path());
    // The removal of a limit loosens it: it waits where there is a waiting time.
    expect((await shown(form))[name] === '' || text.includes('Pending changes')).toBe(true);
  });
});

test('a value that applies without an own one is shown as such, and not filled in', async () => {
  const { text } = await visit(app, owner, '/console/settings?lang=en');
  expect(text).toMatch(
    /name="customerLimitDaily" value="" type="text" inputmode="decimal" placeholder="platform: R\$/,
  );
});
