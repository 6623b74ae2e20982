/** Price and limits of each template for an account: the platform's limits, and the account's own tighter ones. */
import { isMore } from '../../base/money/money.ts';
import { showPercent } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { CLEARED_FIELD } from '../action.ts';
import type { ScreenContext } from '../context.ts';
import type { SettingsQuery, TemplatePriceFragment } from '../generated/graphql.ts';
import { translateName } from '../words.ts';
import { heldAmount, inBrl } from './figures.ts';
import { disclosedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';

type Account = SettingsQuery['viewer']['account'];
type Limits = Account['templateLimits'][number];

/** Limits of a template, in BRL. */
export const LIMITS = ['amountMin', 'amountMax', 'customerStepUp30d', 'customerLimitDaily'] as const;
type Limit = (typeof LIMITS)[number];
/** Limits of templates without a price and without a customer. */
const AMOUNT_LIMITS = ['amountMin', 'amountMax'] as const;
/** Parts of a price that are fractions. */
export const FRACTIONS = ['spread', 'feeRate'] as const;

/** @returns the table, with the forms that set and remove limits of the account's own. */
export function priceAndLimits(
  context: ScreenContext,
  { templateSettings, templateLimits }: Pick<Account, 'templateSettings' | 'templateLimits'>,
): Html {
  const { translate } = context;
  const own = new Map(templateLimits.map((each) => [each.template, each]));
  const columns: readonly Column<TemplatePriceFragment>[] = [
    ...priceColumns(context),
    ...LIMITS.map((name) => ({
      name: translate(`set_${name}`),
      isFigure: true,
      cell: (row: TemplatePriceFragment) =>
        limitsOf(row).includes(name) && limitText(context, name, row, own.get(row.template)),
    })),
    {
      name: unseen(translate('actsHere')),
      isActions: true,
      cell: (row) =>
        html`<div class="row">${limitForm(context, row, own.get(row.template))}${own.has(row.template) && removal(context, row.template)}</div>`,
    },
  ];
  const caption = translate('templateSettings');
  const shown = table({ caption, isCaptionUnseen: true, rows: templateSettings, columns });
  return section('limits', caption, scrolled(translate('tableOf', { name: caption }), shown));
}

/** @returns the limits that apply to a template. */
export function limitsOf({ isPriced }: Pick<TemplatePriceFragment, 'isPriced'>): readonly Limit[] {
  return isPriced ? LIMITS : AMOUNT_LIMITS;
}

/** @returns the columns with a template's name and price; none without a price. */
export function priceColumns({
  translate,
  language,
}: ScreenContext): readonly Column<TemplatePriceFragment>[] {
  return [
    {
      name: translate('template'),
      isRowHead: true,
      cell: ({ template }) => translateName(translate, `template_${template}`),
    },
    ...FRACTIONS.map((name) => ({
      name: translate(`set_${name}`),
      isFigure: true,
      cell: (row: TemplatePriceFragment) => row.isPriced && showPercent(row[name], language),
    })),
    {
      name: translate('set_feeFixed'),
      isFigure: true,
      cell: ({ isPriced, feeFixed }) => isPriced && inBrl(feeFixed, language),
    },
  ];
}

/** The limit in force, which is the tighter one; the platform's is shown next to the account's own. */
function limitText(
  { translate, language }: ScreenContext,
  name: Limit,
  platform: TemplatePriceFragment,
  own: Limits | undefined,
): Html {
  const amount = own?.[name] ?? null;
  const theirs = inBrl(platform[name], language);
  if (amount === null) return html`${theirs}`;
  const isTighter = name === 'amountMin' ? isMore(amount, platform[name]) : isMore(platform[name], amount);
  const mine = inBrl(amount, language);
  return isTighter
    ? html`${mine}<div class="small soft">${translate('platformSays', { amount: theirs })}</div>`
    : html`${theirs}<div class="small soft">${translate('youSaid', { amount: mine })}</div>`;
}

function limitForm(context: ScreenContext, row: TemplatePriceFragment, own: Limits | undefined): Html | null {
  const { translate, language } = context;
  const action = 'UpdateTemplateLimits';
  const preset = { template: row.template, part: 'change' };
  const one = (name: Limit) =>
    field(
      context,
      action,
      {
        name,
        label: translate(`set_${name}`),
        inputmode: 'decimal',
        holds: heldAmount(own?.[name], language),
        placeholder: translate('platformSays', { amount: inBrl(row[name], language) }),
      },
      preset,
    );
  return disclosedForm(context, {
    action,
    preset,
    open: translate('changeSettings'),
    what: translate('ownLimitsWhat'),
    button: translate('changeSettingsYes'),
    fields: html`${limitsOf(row).map(one)}`,
  });
}

function removal(context: ScreenContext, template: string): Html | null {
  const { translate } = context;
  return disclosedForm(context, {
    action: 'UpdateTemplateLimits',
    preset: { template, part: 'removal', [CLEARED_FIELD]: LIMITS },
    open: translate('takeAway'),
    what: translate('removeLimitsWhat'),
    button: translate('removeLimitsYes'),
    kind: 'danger',
  });
}
