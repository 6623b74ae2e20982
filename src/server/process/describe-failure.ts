/** Describes the failure of a process in one line for the person who started it. */

import { SecretKeyError } from '../../base/access/secret-box.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { SettingsError } from '../../base/process/settings.ts';
import { ConfigError } from '../../config.ts';
import { EmbeddedPostgresError } from '../../postgres/embedded-postgres.ts';
import { WrongClockError } from '../../resolvers/engine/watch-clock.ts';
import { ImportRefused } from '../../resolvers/history/stage-history.ts';
import { SignerError } from '../../signer/signer-error.ts';
import { StoreError } from '../../store/connection/check-server.ts';
import { isDatabaseUnreachable } from '../../store/connection/database-error.ts';
import { MigrationError } from '../../store/migration/migrations.ts';
import { describeSystemError } from './describe-system-error.ts';

const EXPECTED = [
  ConfigError,
  GatewayError,
  ImportRefused,
  EmbeddedPostgresError,
  MigrationError,
  SecretKeyError,
  SettingsError,
  SignerError,
  StoreError,
  WrongClockError,
];

/** Time limits of connections and statements, as the driver, the pool and the server word them. */
const TIMED_OUT = /time.?out|did not answer|no answer within/i;

/**
 * @param portHint - advice on choosing another port.
 * @returns one line; for an unexpected error, its stack.
 */
export function describeFailure(error: unknown, portHint = 'set PORT'): string {
  if (!(error instanceof Error)) return String(error);
  if (EXPECTED.some((kind) => error instanceof kind)) return error.message;
  if (isDatabaseUnreachable(error)) {
    const message = lastLineOf(error.message);
    return `the database ${TIMED_OUT.test(message) ? 'did not answer in time' : 'went away'}: ${message}`;
  }
  return describeSystemError(error, portHint);
}

/** @returns the last line of a message: Prisma writes the call that failed before the reason, and empty lines between. */
function lastLineOf(message: string): string {
  return message.trimEnd().split('\n').at(-1) as string;
}

/** @returns whether the database or the gateway was unreachable, so that the same command may succeed later. */
export function isUnreachable(error: unknown): boolean {
  return isDatabaseUnreachable(error) || (error instanceof GatewayError && error.code === 'UNAVAILABLE');
}

/** @returns whether an argument or option has a value that is not accepted. */
export function isBadInput(error: unknown): boolean {
  return error instanceof GatewayError && error.violations.length > 0;
}
