/** Every walk: through each template, everything that can become of a transaction. */
import { PIX_IN_WALKS } from './pix-in-walks.ts';
import { PIX_OUT_WALKS } from './pix-out-walks.ts';
import type { Walk } from './walker.ts';
import { WITHDRAWAL_WALKS } from './withdrawal-walks.ts';

/** All walks, in the order in which they are best walked: those that turn the clock far come last. */
export const WALKS: readonly Walk[] = [...PIX_IN_WALKS, ...PIX_OUT_WALKS, ...WITHDRAWAL_WALKS].sort(
  (left, right) => Number(left.isAlone ?? false) - Number(right.isAlone ?? false),
);
