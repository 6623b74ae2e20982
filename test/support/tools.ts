/** Programs of others that tests run, in package.json files of their own: TOOLS_TEST=1 installs them before the run. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Folder of the tools, with a slash. */
export const TOOLS = fileURLToPath(new URL('../tools/', import.meta.url));
/** Folder of the React example, with a slash. */
export const REACT = fileURLToPath(new URL('../../examples/react/', import.meta.url));
const INSTALLATION_MAX_MS = 600_000;

/** @throws where an installation fails, because its tests would be skipped. */
export function installTools(): void {
  for (const cwd of [TOOLS, REACT])
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd,
      timeout: INSTALLATION_MAX_MS,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
}

/** @returns whether the packages of a folder are installed. */
export function hasModules(folder: string): boolean {
  return existsSync(`${folder}node_modules`);
}

/** @returns the path of a file of an installed tool; undefined where it is not installed. */
export function toolPath(name: string): string | undefined {
  const path = `${TOOLS}node_modules/${name}`;
  return existsSync(path) ? path : undefined;
}

/** @returns a module of the tools. */
export function requireTool(name: string) {
  return createRequire(`${TOOLS}package.json`)(name);
}
