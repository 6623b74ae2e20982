/** Names of rails, as screens show them. */
import type { ScreenContext } from '../context.ts';

/** @returns the name of a rail; networks have the names that the operator gave them. */
export function railName({ translate }: ScreenContext, rail: string): string {
  if (rail === 'bank') return translate('bankFile');
  return rail === 'pix' ? translate('PIX') : rail;
}
