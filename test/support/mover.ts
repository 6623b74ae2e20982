/** Whoever lets money out where a test tells the engine of it without a request. */
import type { Author } from '../../src/store/engine/audit.ts';

/** A key with the scope `move`. */
export const MOVER: Author = {
  actorKind: 'KEY',
  actorId: 'key_mover',
  scope: 'move',
  act: 'balance.pay_out',
  maker: null,
  requestId: null,
  address: null,
};
