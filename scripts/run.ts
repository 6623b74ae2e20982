/**
 * Runs a program of the project after generating what it needs: `node scripts/run.ts src/main.ts`. One process, so
 * that a signal sent to it reaches the program and not a shell between them.
 */
import { pathToFileURL } from 'node:url';
import './generate.ts';

// The program sees its own path and arguments, as if it had been started directly.
process.argv.splice(1, 1);
await import(pathToFileURL(process.argv[1] ?? '').href);
