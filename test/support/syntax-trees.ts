/** Syntax trees of the sources, with their types, as the compiler has them. */
import { fileURLToPath } from 'node:url';
import type { SourceFile } from 'typescript/unstable/ast';
import { API, type Checker } from 'typescript/unstable/sync';

/** The folder of the project, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** @returns what the work makes of the syntax trees of `src/`, what is generated aside. They are readable until it ends. */
export async function withSyntaxTrees<Result>(
  work: (files: readonly SourceFile[], checker: Checker) => Result | Promise<Result>,
): Promise<Result> {
  const api = new API({ cwd: ROOT });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [`${ROOT}tsconfig.json`] });
    const project = snapshot.getProject(`${ROOT}tsconfig.json`);
    if (!project) throw new Error('the compiler did not open tsconfig.json');
    const files = project.program
      .getSourceFileNames()
      .filter((name) => name.startsWith(`${ROOT}src/`) && !name.includes('/generated/'))
      .flatMap((name) => project.program.getSourceFile(name) ?? []);
    return await work(files, project.checker);
  } finally {
    api.close();
  }
}
