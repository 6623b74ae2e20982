/** How long functions are: declared, of a class, or given as a value; what a function holds counts for it too. */
import { relative } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import { isClassStaticBlockDeclaration, isFunctionLikeDeclaration } from 'typescript/unstable/ast/is';
import { ROOT, withSyntaxTrees } from './syntax-trees.ts';

/** A function, named by its file and first line. */
export interface FunctionLength {
  readonly place: string;
  readonly lines: number;
}

/** @returns the functions of `src/` that are longer than so many lines. */
export function functionsLongerThan(lines: number): Promise<FunctionLength[]> {
  return withSyntaxTrees((files) =>
    files.flatMap((file) => {
      const found: FunctionLength[] = [];
      const visit = (node: Node): void => {
        if (isFunctionLikeDeclaration(node) || isClassStaticBlockDeclaration(node)) {
          const text = file.text.slice(node.getStart(), node.end).split('\n');
          if (text.length > lines)
            found.push({ place: `${relative(ROOT, file.fileName)} ${text[0]}`, lines: text.length });
        }
        node.forEachChild((child) => {
          visit(child);
        });
      };
      visit(file);
      return found;
    }),
  );
}
