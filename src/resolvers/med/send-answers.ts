/** Sends answers to MED cases to the provider, again and again until it has them or refuses them: once under the id of each. */
import type { Logger } from 'pino';
import { known } from '../../base/errors/assert.ts';
import { instantOf } from '../../base/time/instant.ts';
import {
  claimMedAnswers,
  endMedAnswer,
  isMedAnswerPending,
  type MedAnswer,
  postponeMedAnswer,
} from '../../store/rails/med-answers.ts';
import {
  addMedEvent,
  lockMedCase,
  type MedCase,
  readMedCase,
  setMedState,
} from '../../store/rails/med-cases.ts';
import { readMedContent, readMedFile } from '../../store/rails/med-files.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import { type MedAnswerFile, type MedAnswerOrder, RailRefused } from '../services/rails.ts';

/** Answers of a turn. */
const BATCH_MAX = 10;
/** A call of the rail, the token before it, and the time to store its end. */
const LEASE_SECONDS = 150;
const PAUSE_FIRST_MS = 2_000;
const PAUSE_MAX_MS = 300_000;
const WORDS_MAX = 300;

/** Sends answers that are due, for the accounts of one mode. @returns their number. */
export async function sendMedAnswers(services: Services, log: Pick<Logger, 'warn'>): Promise<number> {
  const due = await claimMedAnswers(services.database, services.mode, BATCH_MAX, LEASE_SECONDS);
  await Promise.all(due.map((answer) => sendAnswer(services, log, answer)));
  return due.length;
}

async function sendAnswer(services: Services, log: Pick<Logger, 'warn'>, answer: MedAnswer): Promise<void> {
  const { database, mode } = services;
  try {
    const row = known(await readMedCase(database, mode, answer.caseId), 'a case that was answered');
    const order = await orderOf(services, row, answer);
    // The claim is no lock: the answer may have been dropped or withdrawn since.
    if (await isMedAnswerPending(database, answer.id))
      await end(services, row, answer, await sent(services, order));
  } catch (error) {
    const failure = wordsOf(error);
    const pauseMs = Math.min(PAUSE_FIRST_MS * 2 ** Math.min(answer.failures - 1, 10), PAUSE_MAX_MS);
    log.warn(
      { err: error, medCase: String(answer.caseId), failures: answer.failures },
      'an answer to a MED case is sent again',
    );
    await postponeMedAnswer(database, answer.id, new Date(database.nowMs() + pauseMs), failure);
  }
}

/** @returns the refusal of the provider; null where it took the answer. @throws when it is unknown whether it did. */
async function sent({ rails }: Services, order: MedAnswerOrder): Promise<string | null> {
  const { answerMedCase } = rails.pix;
  if (!answerMedCase) throw new Error('the PIX rail takes no answers to MED cases');
  try {
    await answerMedCase(order);
    return null;
  } catch (error) {
    if (error instanceof RailRefused) return wordsOf(error);
    throw error;
  }
}

async function orderOf(services: Services, row: MedCase, answer: MedAnswer): Promise<MedAnswerOrder> {
  const { id: key, analysis, body, failures } = answer;
  const files = await Promise.all(answer.fileIds.map((id) => readFile(services, BigInt(id))));
  return { key, kind: row.kind, reference: row.reference, analysis, body, files, isRepeat: failures > 1 };
}

async function readFile({ database }: Services, id: bigint): Promise<MedAnswerFile> {
  const [file, content] = await Promise.all([readMedFile(database, id), readMedContent(database, id)]);
  const { name, type, hash } = known(file, 'a file of an answer');
  return { name, type, hash, content };
}

/** An answer that was dropped meanwhile stays dropped: the case is decided. One that was withdrawn meanwhile is sent if the provider took it. */
function end(services: Services, row: MedCase, { id }: MedAnswer, refusal: string | null): Promise<void> {
  const { mode, clock } = services;
  return withAccounts(services, [row.accountId], async (tx) => {
    const at = instantOf(new Date(await clock.nowMs(tx)));
    const now = await lockMedCase(tx, mode, row.id);
    if (!(await endMedAnswer(tx, id, refusal === null ? 'sent' : 'refused', at, refusal))) return;
    const event = refusal === null ? 'answer_sent' : 'answer_refused';
    await addMedEvent(tx, row.id, { at, event, detail: refusal });
    if (refusal === null && now?.state === 'open') await setMedState(tx, row.id, 'answered', at);
  });
}

function wordsOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, WORDS_MAX);
}
