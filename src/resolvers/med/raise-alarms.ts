/** Raises the alarms of MED cases that wait for an answer: 48, 24 and 6 hours before its time ends. */
import type { Logger } from 'pino';
import { type Instant, instantOf, millisOf } from '../../base/time/instant.ts';
import {
  addMedEvent,
  lockMedCase,
  type MedCase,
  readDueAlarms,
  setMedAlarm,
} from '../../store/rails/med-cases.ts';
import { MED_ALARMS, type MedAlarm } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import { isAt, medNameOf, stepCase } from './case-step.ts';

const HOUR_MS = 3_600_000;
const BATCH_MAX = 100;

/**
 * Raises what is due, for the accounts of one mode. Of several alarms that are due only the last is raised.
 *
 * @returns the number of alarms that were looked at.
 */
export async function raiseMedAlarms(services: Services, log: Pick<Logger, 'warn'>): Promise<number> {
  const { database, clock, mode } = services;
  const nowMs = await clock.nowMs();
  const due = await readDueAlarms(database, mode, new Date(nowMs), BATCH_MAX);
  for (const row of due)
    await raise(services, log, row, nowMs).catch((err: unknown) =>
      log.warn({ err, medCase: String(row.id) }, 'the alarm of a MED case has to wait'),
    );
  return due.length;
}

async function raise(
  services: Services,
  log: Pick<Logger, 'warn'>,
  row: MedCase,
  nowMs: number,
): Promise<void> {
  const hours = alarmAt(row, nowMs);
  const isRaised = await stepCase(services, {
    place: row,
    trigger: { on: 'med_due', name: medNameOf(row), hours },
    holds: async (tx) => {
      const now = await lockMedCase(tx, services.mode, row.id);
      return now !== undefined && isAt(now, row) && now.alarmAt === row.alarmAt;
    },
    write: async (tx, at) => {
      await setMedAlarm(tx, row.id, alarmAfter(row, hours));
      await addMedEvent(tx, row.id, { at, event: `due_${hours}h` });
    },
  });
  if (isRaised)
    log.warn({ medCase: String(row.id), dueAt: row.dueAt, hours }, 'a MED case has to be answered soon');
}

function alarmAt({ dueAt }: Pick<MedCase, 'dueAt'>, nowMs: number): MedAlarm {
  const isDue = (hours: number) => nowMs >= millisOf(dueAt) - hours * HOUR_MS;
  return MED_ALARMS.findLast(isDue) ?? MED_ALARMS[0];
}

function alarmAfter({ dueAt }: Pick<MedCase, 'dueAt'>, raised: MedAlarm): Instant | null {
  const next = MED_ALARMS[MED_ALARMS.indexOf(raised) + 1];
  return next === undefined ? null : instantOf(new Date(millisOf(dueAt) - next * HOUR_MS));
}
