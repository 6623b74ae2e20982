/** `TransactionStatus`, and `statusCode` of every transaction. */

import type { Registry } from '../templates/registry.ts';
import { STATUS_CODES, type StatusCode, statusCodeOf } from '../templates/status.ts';
import type { Builder } from './builder.ts';
import type { TransactionRef } from './transaction.ts';

/** Defines `TransactionStatus` and `Transaction.statusCode`. */
export function defineStatusCode(builder: Builder, registry: Registry, transaction: TransactionRef) {
  const status = builder.enumType('TransactionStatus', {
    description: 'The broad status of a transaction.',
    values: Object.fromEntries(
      Object.entries(STATUS_CODES).map(([name, description]) => [
        name,
        { value: name as StatusCode, description },
      ]),
    ) as Record<StatusCode, { value: StatusCode; description: string }>,
  });
  builder.prismaInterfaceField(transaction, 'statusCode', (t) =>
    t.field({
      type: status,
      description: 'Broad status of its step as a code; `status` is its label.',
      resolve: ({ template, component, state }) => statusCodeOf(registry.stepOf(template, component, state)),
    }),
  );
  return status;
}

/** The enum `TransactionStatus`. */
export type StatusRef = ReturnType<typeof defineStatusCode>;
