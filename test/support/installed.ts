/** Programs that a machine may have; tests that need one are skipped where it is missing (.ci/run installs them). */
import { execFileSync } from 'node:child_process';

/** @returns whether the program is there. */
export function isInstalled(program: string, option = '--version'): boolean {
  try {
    execFileSync(program, [option], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
