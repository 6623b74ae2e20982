/** Failures of file operations in the language of operators. */
import { EmbeddedPostgresError } from '../postgres-binaries.ts';

const NO_SPACE = ['ENOSPC', 'EDQUOT'];

/** @throws {EmbeddedPostgresError} in place of the system's error about a file. */
export async function inPlainWords<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof EmbeddedPostgresError || code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    const reason = NO_SPACE.includes(code) ? 'no space is left on the disk' : message;
    throw new EmbeddedPostgresError(`${what}: ${reason}. Nothing of it was stored: run the command again`, {
      cause: error,
    });
  }
}
