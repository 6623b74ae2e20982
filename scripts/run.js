/**
 * Runs a program of the project: `node scripts/run.js src/main.ts`. JavaScript, so that a Node which is too old says so in
 * one line; what needs a newer one is imported afterwards.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `crossramp: Node 24.12 or newer is needed, this is ${process.versions.node}. ` +
      'On Linux "npm ci" brings one along; elsewhere install it from https://nodejs.org.\n',
  );
  process.exit(1);
}
await import('./run.ts');
