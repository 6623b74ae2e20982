/** The log: JSON lines without customer data. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { plainMessage } from '../store/database-error.ts';

/** @returns a log at this level, to standard error unless another place is given. */
export function openLog(
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino({ level, base: null, serializers: { err: describeError } }, destination);
}

/** What is logged of an error. Other members may contain row values, such as `detail` and `where` of PostgreSQL. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  /** Names of the schema, where PostgreSQL told them. */
  readonly table?: unknown;
  readonly constraint?: unknown;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

function describeError(error: unknown): LoggedError | unknown {
  if (!(error instanceof Error)) return error;
  const { code, table, constraint } = error as { code?: unknown; table?: unknown; constraint?: unknown };
  // The stack begins with the message; that part is cut off.
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  return {
    type: error.name,
    message: plainMessage(error),
    ...(code !== undefined && { code }),
    ...(typeof table === 'string' && { table }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(frames && { stack: frames.join('\n') }),
    ...(error.cause instanceof Error && { cause: describeError(error.cause) as LoggedError }),
  };
}
