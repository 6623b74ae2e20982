/** Runs a program of the project, on a Node that is new enough: `node scripts/run.js src/main.ts`. */
import './check-node.js';

// Not a static import: an old Node would read it before the check, and stop with a stack trace.
await import('./run.ts');
