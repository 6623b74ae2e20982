/** Describes why a process failed, in one line for the person who started it. */
import { GatewayError } from '../base/errors.ts';
import { SettingsError } from '../base/settings.ts';
import { ConfigError } from '../config.ts';
import { EmbeddedPostgresError } from '../postgres/embedded-postgres.ts';
import { ImportRefused } from '../resolvers/account/stage-history.ts';
import { SignerError } from '../signer/signer-error.ts';
import { StoreError } from '../store/check-server.ts';
import { isDatabaseAway } from '../store/database-error.ts';
import { MigrationError } from '../store/migrations.ts';

const EXPECTED = [
  ConfigError,
  GatewayError,
  ImportRefused,
  EmbeddedPostgresError,
  MigrationError,
  SettingsError,
  SignerError,
  StoreError,
];

/** Rights, and a disk that cannot be written. */
const NOT_ALLOWED = ['EACCES', 'EPERM', 'EROFS'];

/**
 * @param portHint - how whoever started it chooses another port.
 * @returns one line; for an unexpected error, its stack.
 */
export function describeFailure(error: unknown, portHint = 'set PORT'): string {
  if (!(error instanceof Error)) return String(error);
  if (EXPECTED.some((kind) => error instanceof kind)) return error.message;
  if (isDatabaseAway(error)) return `the database went away: ${lastLineOf(error.message)}`;
  const { code, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is in use: stop what listens there, or ${portHint}`;
  if (code === 'EACCES' && port) return `not allowed to listen on port ${port}: ${portHint}, above 1023`;
  if (code === 'EADDRNOTAVAIL') return `this machine has no address ${address}`;
  if (code !== undefined && path !== undefined && NOT_ALLOWED.includes(code))
    return `not allowed: ${error.message}`;
  if (code === 'ENOTDIR') return `${path} is below a file, not in a folder`;
  if (code === 'ENOENT') return `no such file: ${path}`;
  if (code === 'EISDIR') return `${path ?? 'the path'} is a folder, not a file`;
  return error.stack ?? error.message;
}

/** @returns the last line of a message: Prisma writes the call that failed before the reason, and empty lines between. */
function lastLineOf(message: string): string {
  return message.trimEnd().split('\n').at(-1) as string;
}

/** @returns whether the database or the gateway was unreachable, so that the same command may succeed later. */
export function isUnreachable(error: unknown): boolean {
  return isDatabaseAway(error) || (error instanceof GatewayError && error.code === 'UNAVAILABLE');
}

/** @returns whether an argument or option has a value that is not accepted. */
export function isBadInput(error: unknown): boolean {
  return error instanceof GatewayError && error.violations.length > 0;
}
