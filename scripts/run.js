/** Runs a program of the project, on a Node that is new enough: `node scripts/run.js src/main.ts`. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import './check-node.js';

// What Node makes of the TypeScript is kept: a start then takes less than half of the processor time. Not in a folder for
// temporary files, where others could leave code for us.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
// Not a static import: an old Node would read it before the check, and stop with a stack trace.
await import('./run.ts');
