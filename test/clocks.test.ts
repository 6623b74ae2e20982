/**
 * Goal: no decision goes by the clock of a machine (docs/decisions/0055). Method: the sources as text. The wall clock is read in the
 * places below only; and work that is done under the lock of an account takes its time after the lock.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** Files that read the wall clock, and why. */
const WALL_CLOCK: Readonly<Record<string, string>> = {
  'base/time/remote-clock.ts': 'compares the clock of the machine with that of the database',
  'base/trace/own-provider.ts': 'times of spans, as tracing compares them between machines; decides nothing',
  'base/ids/request-id.ts': 'part of a name: orders ids, decides nothing',
  'checks/callbacks.ts': 'the program has no database',
  'checks/sumsub.ts': 'the program has no database',
  'cli/events.ts': 'a developer’s machine signs what it forwards; it has no database',
  'cli/signer.ts': 'time of a log line; the signer has no database',
  'console/island/live.ts': 'runs in a browser',
  'pages/island/island.ts': 'runs in a browser',
  'psp/ca.ts': 'certificates; the program has no database',
  'psp/callbacks.ts': 'the program has no database',
  'psp/clock.ts': 'the program has no database',
  'psp/directory.ts': 'the program has no database',
  'psp/forgeries.ts': 'the program has no database',
  'psp/oauth.ts': 'the program has no database',
  'rails/api-pix/callers.ts': 'certificates are judged as TLS judges them, by the clock of the machine',
  'rails/api-pix/checks.ts': 'days until a certificate ends, for doctor',
  'rails/tron/driver.ts': 'makes two transactions differ, decides nothing',
  'server/process/log-output.ts': 'time of a log line, as the logger stamps the others',
  'signer/index.ts': 'expiry of an enrolment code; the signer has no database',
  'signer/record.ts': 'the signer has no database; its time never goes back',
  'ui/times.ts': 'whether a text shows the year',
};
/** Functions that take the time before a lock, and why. */
const BEFORE_LOCK: Readonly<Record<string, string>> = {
  issue: 'a key that the command line gives a span counts from when it was given',
  createQuote: 'a price counts from when rates were read',
  closeBooks: 'refuses early what the lock would refuse too; judged again under it',
  refundPayment: 'refuses early what the machine would refuse too; judged again under the lock',
  reconcile: 'the time at which the statement was read',
  reconcileFile: 'the time at which the file was read',
  auditViews: 'since when a view counts as the same; its entry takes the time after the lock',
  close: 'in the transaction of the step, which has the lock',
  stepCase: 'in the transaction of the step, which has the lock',
  stopRails: 'whether the operator names a past time; nothing waits for the lock',
  settleProtections: 'whether to lock at all; judged again under the lock',
};

const SOURCES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes(join('/generated', '')))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

test('the wall clock of a machine is read only in the listed places', () => {
  const readers = SOURCES.filter(({ text }) => /Date\.now\b|new Date\(\)/.test(text)).map(({ path }) => path);
  expect(readers.toSorted()).toEqual(Object.keys(WALL_CLOCK).toSorted());
});

test('work under the lock of an account reads its time after the lock', () => {
  const early = SOURCES.flatMap(({ text }) =>
    [...text.matchAll(/^(?:export )?(?:async )?function\*? (\w+)[\s\S]*?^}/gm)].flatMap(
      ([whole, name = '']) => {
        const lock =
          /\b(?:audited|auditedIn|auditedChange|withAccounts|lockHeads|advanceTransaction)(?:<[^>]*>)?\(/g;
        lock.lastIndex = whole.indexOf('{');
        const found = lock.exec(whole);
        return found && whole.slice(0, found.index).includes('nowMs(') ? [name] : [];
      },
    ),
  );
  expect(early.toSorted()).toEqual(Object.keys(BEFORE_LOCK).toSorted());
});
