/** The form of a page's message about a step. */
import { type Label, label } from '../../base/text/label.ts';
import type { IconName } from '../../ui/icons.ts';
import type { Tone } from '../../ui/parts.ts';

/** Target of the money: the shop or account, a wallet, a payee. */
export type Flow = 'shop' | 'wallet' | 'payee';

/** Message about a step. `{name}` is filled in (`payer-message.ts`). */
export interface StepMessage {
  readonly title: Label;
  readonly why?: Label;
  readonly sign: IconName;
  readonly tone: Tone;
  /** Whether to add that the reader has nothing to do. */
  readonly isQuiet?: true;
}

/**
 * Messages about steps, by component and state: `depositpix/PAID`; `success/DONE:payee` if the flow makes a difference.
 */
export type StepMessages = Readonly<Record<string, StepMessage>>;

/** Text under a title if nothing was paid. */
export const NOTHING_PAID = label('Nothing was paid.', 'Nada foi pago.');

/** @returns a message about a step; `isQuiet` if the reader has nothing to do. */
export function message(tone: Tone, sign: IconName, title: Label, why?: Label, isQuiet?: true): StepMessage {
  return { tone, sign, title, ...(why && { why }), ...(isQuiet && { isQuiet }) };
}
