/** The application with its sandbox's PIX over the wire: a PSP beside it, and the adapter that talks to banks in between. */
import { afterAll, beforeAll, vi } from 'vitest';
import { type RailsFile, readRailsFile } from '../../src/compose/rails-file.ts';
import { writeRailsSettings } from '../../src/psp/rails-settings.ts';
import { type TestApp, useApp } from './app.ts';
import { freePort } from './free-port.ts';
import { type TestPsp, usePsp } from './psp.ts';

/** Starts a PSP, and the application on it, before the tests of the file; ends both after them. */
export function useWire(): { readonly app: TestApp; readonly psp: TestPsp } {
  const overrides: { railsFile?: RailsFile } = {};
  const psp = usePsp();
  beforeAll(async () => {
    overrides.railsFile = await readRailsFile(writeRailsSettings(psp, psp.home, await freePort()));
  });
  const app = useApp(overrides);
  let started: readonly { readonly stop: () => Promise<void> }[] = [];
  beforeAll(async () => {
    started = app.services.railParts.flatMap(({ part }) => part.start?.() ?? []);
    // The rail registers its callbacks when it starts.
    await vi.waitFor(
      async () => {
        if ((await psp.call('GET', '/v2/webhook')).json.webhooks.length === 0)
          throw new Error('no callback yet');
      },
      { timeout: 20_000, interval: 50 },
    );
  });
  afterAll(async () => {
    for (const { stop } of started) await stop();
  });
  return { app, psp };
}
