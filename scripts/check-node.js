/** Ends the process with one line where Node is too old. JavaScript that an old Node can read. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `crossramp: Node 24.12 or newer is needed, this is ${process.versions.node}. ` +
      'On Linux "npm ci" of the gateway brings one along; elsewhere install it from https://nodejs.org.\n',
  );
  process.exit(1);
}
