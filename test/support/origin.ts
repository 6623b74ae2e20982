/** Where a request of a test comes from. */
import type { Origin } from '../../src/resolvers/services/context.ts';

/** As the server would tell it. */
export const ORIGIN: Origin = { requestId: 'request-1', address: '127.0.0.1' };
