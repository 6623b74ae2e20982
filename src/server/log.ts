/** The log: JSON lines without customer data. */
import { type DestinationStream, type Logger, pino } from 'pino';

/** SQLSTATE of invalid values: the message quotes the value after a colon. */
const DATA_EXCEPTION = /^22/;

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
    message: messageOf(error, code),
    ...(code !== undefined && { code }),
    ...(typeof table === 'string' && { table }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(frames && { stack: frames.join('\n') }),
    ...(error.cause instanceof Error && { cause: describeError(error.cause) as LoggedError }),
  };
}

/** The message without quoted values. Prisma shows the arguments of a call before the last line. */
function messageOf({ name, message }: Error, code: unknown): string {
  if (name.startsWith('PrismaClient')) return message.trim().split('\n').at(-1) ?? '';
  const isQuoting = typeof code === 'string' && DATA_EXCEPTION.test(code);
  return isQuoting ? (message.split(': ')[0] ?? '') : message;
}
