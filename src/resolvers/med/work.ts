/** Background work about MED cases, of the accounts of both modes. */
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from '../../base/access/account-mode.ts';
import { type RepeatOptions, repeat } from '../engine/repeat.ts';
import type { Services } from '../services/context.ts';
import { linkMedCases } from './link-case.ts';
import { raiseMedAlarms } from './raise-alarms.ts';
import { sendMedAnswers } from './send-answers.ts';

const REPEAT: RepeatOptions = { failedMs: 5_000, complaint: 'MED cases have to wait' };
const EVERY_MS = 1_000;

/** Starts the work of this process. Several processes may share a database: an alarm is raised once, and an answer is sent by one. */
export function startMedWork(
  services: Services,
  log: Logger,
): {
  /** Takes up nothing more, and waits for what is under way. */
  readonly stop: () => Promise<void>;
} {
  const stopping = new AbortController();
  const loop = repeat(stopping.signal, log, REPEAT, async () => {
    for (const mode of ACCOUNT_MODES) {
      const own = services.forMode(mode);
      await linkMedCases(own, log);
      await raiseMedAlarms(own, log);
      await sendMedAnswers(own, log);
    }
    return EVERY_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
    },
  };
}
