/** The table of account holders. */
import { type Html, html } from '../../ui/html.ts';
import { empty } from '../../ui/parts.ts';
import { type Column, scrolled, table } from '../../ui/table.ts';
import { pathTo, type ScreenContext } from '../context.ts';
import type { HolderFragment } from '../generated/graphql.ts';
import { moment } from './figures.ts';

/** @returns the accounts. */
export function holderTable(context: ScreenContext, rows: readonly HolderFragment[]): Html {
  const { say, language } = context;
  if (rows.length === 0) return empty('bank', say('noHolders'));
  const columns: readonly Column<HolderFragment>[] = [
    {
      name: say('name'),
      isRowHead: true,
      cell: ({ name, accountId }) => html`<a href="${pathTo(`/accounts/${accountId}`)}">${name}</a>`,
    },
    { name: say('accountNumber'), isFigure: true, cell: ({ accountId }) => accountId },
    { name: say('handle'), look: 'wide', cell: ({ handle }) => handle && html`<code>${handle}</code>` },
    { name: say('opened'), look: 'wide', cell: ({ createdAt }) => moment(createdAt, language) },
  ];
  const caption = say('holders');
  return scrolled(
    say('tableOf', { name: caption }),
    table({ caption, isCaptionUnseen: true, rows, columns }),
  );
}
