/** The log: JSON lines without customer data. */
import { type DestinationStream, type Logger, pino } from 'pino';
import { transactionAtWork } from '../../base/trace/about.ts';
import { traceAtWork } from '../../base/trace/spans.ts';
import { plainMessage } from '../../store/connection/database-error.ts';
import { standardError } from './log-output.ts';
import { RepeatedWarnings } from './repeated-warnings.ts';

/** Fields of the process in each line of its log. */
export interface LogSource {
  readonly host: string;
  readonly role: string;
  readonly version: string;
}

/**
 * @param source - undefined for a log whose reader already knows its process.
 * @returns a log at this level, to standard error unless another output is given.
 */
export function openLog(
  level: string,
  destination: DestinationStream = standardError(),
  source: LogSource | null = null,
): Logger {
  const warnings = new RepeatedWarnings();
  const { warn } = pino.levels.values;
  return pino(
    {
      level,
      base: source && { ...source },
      serializers: { err: describeError },
      mixin: workFields,
      hooks: {
        logMethod: function (args, method, at) {
          const [facts, text] = args as unknown[];
          if (at !== warn || typeof facts !== 'object' || facts === null || typeof text !== 'string')
            return method.apply(this, args);
          warnings.log({ ...facts }, text, (...args) => method.apply(this, args));
        },
      },
    },
    destination,
  );
}

/** @returns fields of the current work: its trace and its transaction, if it has them. */
function workFields(): object {
  const [trace, transaction] = [traceAtWork(), transactionAtWork()];
  return { ...(trace !== undefined && { trace }), ...(transaction !== undefined && { transaction }) };
}

/** Logged members of an error. Other members may contain row values, such as `detail` and `where` of PostgreSQL. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  /** Names in the schema, if PostgreSQL reported them. */
  readonly table?: unknown;
  readonly constraint?: unknown;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

function describeError(error: unknown): LoggedError | unknown {
  if (!(error instanceof Error)) return error;
  const { code, table, constraint } = error as { code?: unknown; table?: unknown; constraint?: unknown };
  // The stack begins with the message, which is cut off.
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
