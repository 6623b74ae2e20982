/** The note in place of a form that another person has to send: the reader was the first of the two who decide, or is too new. */
import type { Html } from '../../ui/html.ts';
import { html } from '../../ui/html.ts';
import { note } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { ApprovalBar } from '../generated/graphql.ts';

/** @returns the note; null for a reader who may be the second person. */
export function secondPersonNote(
  { translate }: ScreenContext,
  bar: ApprovalBar | null | undefined,
): Html | null {
  return bar ? note('clock', html`<b>${translate('waitsForSecondPerson')}</b> ${translate(bar)}`) : null;
}
