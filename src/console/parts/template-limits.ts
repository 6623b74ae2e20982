/** Price and limits of each template for an account: those of the platform, and the tighter limits of its own. */
import { isMore } from '../../base/money/money.ts';
import { showPercent } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { CLEARED_FIELD } from '../act.ts';
import type { ScreenContext } from '../context.ts';
import type { SettingsQuery, TemplatePriceFragment } from '../generated/graphql.ts';
import { sayNamed } from '../words.ts';
import { inBrl } from './figures.ts';
import { askedForm, field } from './form.ts';
import { section, unseen } from './lists.ts';

type Account = SettingsQuery['viewer']['account'];
type Limits = Account['templateLimits'][number];

/** Limits of a template, in BRL. */
export const LIMITS = ['amountMin', 'amountMax', 'customerStepUp30d', 'customerLimitDaily'] as const;
type Limit = (typeof LIMITS)[number];
/** Limits of what has no price and no customer. */
const AMOUNT_LIMITS = ['amountMin', 'amountMax'] as const;
/** Parts of a price that are fractions. */
export const FRACTIONS = ['spread', 'feeRate'] as const;

/** @returns the table, with the forms that set and take away limits of the account's own. */
export function priceAndLimits(
  context: ScreenContext,
  { templateSettings, templateLimits }: Pick<Account, 'templateSettings' | 'templateLimits'>,
): Html {
  const { say } = context;
  const own = new Map(templateLimits.map((each) => [each.template, each]));
  const columns: readonly Column<TemplatePriceFragment>[] = [
    ...priceColumns(context),
    ...LIMITS.map((name) => ({
      name: say(`set_${name}`),
      isFigure: true,
      cell: (row: TemplatePriceFragment) =>
        limitsOf(row).includes(name) && limitText(context, name, row, own.get(row.template)),
    })),
    {
      name: unseen(say('actsHere')),
      isActs: true,
      cell: (row) =>
        html`<div class="row">${limitForm(context, row)}${own.has(row.template) && removal(context, row.template)}</div>`,
    },
  ];
  const caption = say('templateSettings');
  const shown = table({ caption, isCaptionUnseen: true, rows: templateSettings, columns });
  return section('limits', caption, scrolled(say('tableOf', { name: caption }), shown));
}

/** @returns the limits that apply to a template. */
export function limitsOf({ isPriced }: Pick<TemplatePriceFragment, 'isPriced'>): readonly Limit[] {
  return isPriced ? LIMITS : AMOUNT_LIMITS;
}

/** @returns the columns with a template's name and price; none without a price. */
export function priceColumns({ say, language }: ScreenContext): readonly Column<TemplatePriceFragment>[] {
  return [
    { name: say('template'), isRowHead: true, cell: ({ template }) => sayNamed(say, `template_${template}`) },
    ...FRACTIONS.map((name) => ({
      name: say(`set_${name}`),
      isFigure: true,
      cell: (row: TemplatePriceFragment) => row.isPriced && showPercent(row[name], language),
    })),
    {
      name: say('set_feeFixed'),
      isFigure: true,
      cell: ({ isPriced, feeFixed }) => isPriced && inBrl(feeFixed, language),
    },
  ];
}

/** The limit in force, which is the tighter one; the platform's stands next to the account's own. */
function limitText(
  { say, language }: ScreenContext,
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
    ? html`${mine}<div class="small soft">${say('platformSays', { amount: theirs })}</div>`
    : html`${theirs}<div class="small soft">${say('youSaid', { amount: mine })}</div>`;
}

function limitForm(context: ScreenContext, row: TemplatePriceFragment): Html | null {
  const { say } = context;
  const act = 'UpdateTemplateLimits';
  const given = { template: row.template, part: 'change' };
  const one = (name: Limit) =>
    field(context, act, { name, label: say(`set_${name}`), inputmode: 'decimal' }, given);
  return askedForm(context, {
    act,
    given,
    open: say('changeSettings'),
    what: say('ownLimitsWhat'),
    button: say('changeSettingsYes'),
    fields: html`${limitsOf(row).map(one)}`,
  });
}

function removal(context: ScreenContext, template: string): Html | null {
  const { say } = context;
  return askedForm(context, {
    act: 'UpdateTemplateLimits',
    given: { template, part: 'removal', [CLEARED_FIELD]: LIMITS },
    open: say('takeAway'),
    what: say('removeLimitsWhat'),
    button: say('removeLimitsYes'),
    kind: 'danger',
  });
}
