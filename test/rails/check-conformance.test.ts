/**
 * Goal: every identity rail and every screener holds what docs/rails.md says of them. Method: the suites that their authors run, over the
 * wire against `crossramp checks`, and against files of lists.
 */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FORGED_SECRET, signedCallback } from '../../src/checks/callbacks.ts';
import type { FaultPlan } from '../../src/checks/faults.ts';
import { writeIdentitySettings, writeScreeningSettings } from '../../src/checks/rails-settings.ts';
import { IDENTITY_KINDS, SCREENING } from '../../src/compose/rail-kinds.ts';
import { SCREENER_KINDS } from '../../src/rails/screening/settings.ts';
import type { ScreeningSubject } from '../../src/resolvers/services/rails.ts';
import { useApp } from '../support/app.ts';
import { startTestChecks } from '../support/checks.ts';
import { identityConforms } from '../support/identity-conformance.ts';
import { type ScreeningDouble, screeningConforms } from '../support/screening-conformance.ts';
import { LIST_FILES, listFolderOf, SANCTIONED_WALLET } from '../support/screening-lists.ts';

const app = useApp();
const home = mkdtempSync(join(tmpdir(), 'checks-'));
afterAll(() => rmSync(home, { recursive: true }));

const FAULTS = { away: 'failing', lost: 'timeout', unreadable: 'garbled' } as const;
const failing = (how: keyof typeof FAULTS | 'never'): FaultPlan => ({
  seed: 1,
  rules: how === 'never' ? [] : [{ on: 'any', fault: FAULTS[how], rate: 1, ms: 0 }],
});

const IDENTITIES = ['http', 'sumsub'] as const;
for (const kind of IDENTITIES) {
  const read = await IDENTITY_KINDS[kind]?.();
  identityConforms(app, {
    kind,
    make: (settings, tools) => {
      if (!read) throw new Error(`${kind} is a kind`);
      return read(settings, 'live.identity', 'identity')(tools);
    },
    provider: async () => {
      const checks = await startTestChecks({ dialect: kind });
      const secretOf = (isForged: boolean) => (isForged ? FORGED_SECRET : checks.secrets.callbackSecret);
      const times = { pollSeconds: 1, recheckSeconds: 1, timeoutSeconds: 5 };
      return {
        settings: { ...writeIdentitySettings(checks, join(home, kind), kind), ...times },
        decide: checks.decide,
        fail: (how) => checks.faults(failing(how)),
        checksOf: async (id) =>
          (await checks.applicants()).filter(({ externalId }) => externalId === id).length,
        callback: (externalId, isForged) => {
          if (kind === 'http')
            return signedCallback(
              checks.secrets.callbackSecret,
              { externalId, status: 'approved' },
              isForged,
            );
          const reviewResult = { reviewAnswer: 'GREEN' };
          const body = JSON.stringify({
            externalUserId: externalId,
            reviewStatus: 'completed',
            reviewResult,
          });
          const digest = createHmac('sha256', secretOf(isForged)).update(body).digest('hex');
          const headers = { 'x-payload-digest': digest, 'x-payload-digest-alg': 'HMAC_SHA256_HEX' };
          return { body, headers };
        },
        close: checks.close,
      };
    },
  });
}

const PERSON: ScreeningSubject = { role: 'customer', name: 'Ana Souza', taxId: '52998224725' };
const WALLET: ScreeningSubject = { role: 'wallet', address: '0x00000000000000000000000000000000000000aa' };
const LISTED_WALLET: ScreeningSubject = { role: 'sender', address: SANCTIONED_WALLET };
const BLOCKED: ScreeningSubject = { role: 'payee', name: 'Bruno Lima', taxId: '11144477735' };
const REVIEWED: ScreeningSubject = { role: 'payer', name: 'Carla Dias', taxId: '39053344705' };

const SCREENERS: Readonly<Record<(typeof SCREENER_KINDS)[number], () => Promise<ScreeningDouble>>> = {
  http: async () => {
    const checks = await startTestChecks();
    await checks.plant('11144477735', [{ decision: 'block', afterMs: 0, reasons: ['SANCTIONS'] }]);
    await checks.plant('Carla Dias', [{ decision: 'review', afterMs: 0 }]);
    await checks.plant(SANCTIONED_WALLET, [{ decision: 'block', afterMs: 0 }]);
    return {
      settings: writeScreeningSettings(checks, join(home, 'screening')),
      clear: [PERSON, WALLET],
      matching: [
        [BLOCKED, 'frozen'],
        [REVIEWED, 'held'],
        [LISTED_WALLET, 'frozen'],
      ],
      fail: (how) => checks.faults(failing(how)),
      close: checks.close,
    };
  },
  'chainalysis-sanctions': async () => {
    const checks = await startTestChecks();
    await checks.plant(SANCTIONED_WALLET, [{ decision: 'block', afterMs: 0 }]);
    const keyFile = join(home, 'chainalysis.key');
    writeFileSync(keyFile, checks.secrets.apiKey);
    return {
      settings: { kind: 'chainalysis-sanctions', url: checks.url, keyFile },
      clear: [WALLET],
      matching: [[LISTED_WALLET, 'frozen']],
      ignored: [PERSON],
      fail: (how) => checks.faults(failing(how)),
      close: checks.close,
    };
  },
  lists: async () => {
    const folder = listFolderOf();
    return {
      settings: { kind: 'lists', folder, lists: ['ofac', 'un', 'ceis', 'pep', 'own'] },
      clear: [PERSON, WALLET],
      matching: [
        [{ role: 'customer', name: 'Joao Antonio Muller Goncalves' }, 'frozen'],
        [{ role: 'holder', name: 'Outro Nome', taxId: '12345678000195' }, 'held'],
        [LISTED_WALLET, 'frozen'],
      ],
      fail: (how) => {
        // Without the copy of the version before, which would stay in use.
        rmSync(join(folder, '.accepted'), { recursive: true, force: true });
        const [file, whole] = [join(folder, 'SDN.CSV'), LIST_FILES['SDN.CSV']];
        if (how === 'away') rmSync(file);
        else writeFileSync(file, how === 'never' ? whole : whole.slice(0, 200));
      },
      close: () => {},
    };
  },
};
const readScreening = await SCREENING();
for (const [kind, provider] of Object.entries(SCREENERS))
  screeningConforms(app, {
    kind,
    provider,
    make: (settings, tools) => readScreening(settings, 'live.screening', 'screening')(tools),
  });

test('every kind is tested here', () => {
  expect(Object.keys(IDENTITY_KINDS).toSorted()).toEqual(IDENTITIES.toSorted());
  expect(Object.keys(SCREENERS).toSorted()).toEqual(SCREENER_KINDS.toSorted());
});
