/** The table of account holders. */
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext } from '../context.ts';
import type { HolderFragment } from '../generated/graphql.ts';
import { listTime } from './figures.ts';

/** @returns the accounts. */
export function holderTable(context: ScreenContext, rows: readonly HolderFragment[]): Html {
  const { translate, language } = context;
  if (rows.length === 0) return empty('bank', translate('noHolders'));
  const columns: readonly Column<HolderFragment>[] = [
    {
      name: translate('name'),
      isRowHead: true,
      cell: ({ name, accountId }) => html`<a href="${pathTo(`/accounts/${accountId}`)}">${name}</a>`,
    },
    { name: translate('accountNumber'), isFigure: true, cell: ({ accountId }) => accountId },
    {
      name: translate('handle'),
      style: 'wide',
      cell: ({ handle }) => handle && html`<code>${handle}</code>`,
    },
    { name: translate('opened'), style: 'wide', cell: ({ createdAt }) => listTime(createdAt, language) },
  ];
  const caption = translate('holders');
  return scrolled(
    translate('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns }),
  );
}
