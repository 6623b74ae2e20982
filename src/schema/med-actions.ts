/** Mutations about MED cases: files, evidence packs, answers, and outcomes that the operator records. */
import { ACTIONS, type ActionName } from '../base/access/actions.ts';
import { known } from '../base/errors/assert.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { ANSWER_LENGTH_MAX, inProse, REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import {
  answerMedCase,
  attachMedFile,
  MED_OUTCOMES,
  type MedOutcomeName,
  makeMedEvidence,
  recordMedOutcome,
} from '../resolvers/med/act-on-med-case.ts';
import { MED_FILE_MAX } from '../resolvers/med/case-files.ts';
import { findMedCaseFor, seesAllMedCases } from '../resolvers/med/read-med-cases.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { MedAnalysis } from '../store/rails/med-answers.ts';
import type { MedCase } from '../store/rails/med-cases.ts';
import type { Language } from '../ui/language.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { type defineMedCases, MED_CASE_ID } from './med-case.ts';
import { defineMutation } from './mutation.ts';
import { KEY_ARGUMENT, type Keyed, performOnce } from './once.ts';
import { describedWith } from './platform-only.ts';

type Refs = ReturnType<typeof defineMedCases>;

const CASE = { required: true, description: MED_CASE_ID } as const;
/** Description of an action that merchants perform on their own cases, and the platform on those of others. */
const forEither = (description: string) =>
  describedWith(
    `${description} Needs the scope \`${ACTIONS['med.attach'].scope}\`.`,
    `On cases of other accounts, the scope \`${ACTIONS['med.attach_for'].scope}\`.`,
  );
const ANSWERED = 'Error `STEP_CONFLICT` once the case is answered or decided.';

/** Defines the mutations. */
export function defineMedActions(builder: Builder, refs: Refs): void {
  defineFiles(builder, refs);
  defineAnswer(builder, refs);
  defineRecord(builder, refs);
}

function defineFiles(builder: Builder, { node }: Refs): void {
  defineMutation(builder, 'attachMedFile', {
    result: ['medCase', node],
    ...forEither(
      `Attaches a file to a case of MED: a PDF, PNG, JPEG or WebP of at most ${inProse(MED_FILE_MAX.bytes)} bytes; at most ${MED_FILE_MAX.attachments} for a case. A picture keeps the parts that draw it alone. ${ANSWERED}`,
    ),
    input: (t) => ({
      caseId: t.string(CASE),
      name: t.string({
        required: true,
        description: `Name of the file, such as \`receipt.pdf\`; at most ${MED_FILE_MAX.name} characters.`,
      }),
      content: t.string({
        required: true,
        description: `The file as a data URL, \`data:application/pdf;base64,…\`; at most ${inProse(MED_FILE_MAX.bytes)} bytes.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      performOnCase(context, 'attachMedFile', ['med.attach', 'med.attach_for'], args, (attempt) => {
        const name = { name: 'input.name', value: args.name };
        const content = { name: 'input.content', value: args.content };
        return attachMedFile(context, args.caseId, { name, content }, checksOf(context), attempt);
      }),
  });
  const language = builder.enumType('MedEvidenceLanguage', {
    description: 'Language of an evidence pack.',
    values: describedValues({ en: 'English.', pt: 'Portuguese.' }),
  });
  defineMutation(builder, 'makeMedEvidence', {
    result: ['medCase', node],
    ...forEither(
      `Makes an evidence pack of a case of MED: one HTML page of what the gateway holds about the payment, stored with its SHA-256; at most ${MED_FILE_MAX.packs} for a case. ${ANSWERED}`,
    ),
    input: (t) => ({
      caseId: t.string(CASE),
      language: t.field({ type: language, description: 'Language. Default: `PT`.' }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      performOnCase(context, 'makeMedEvidence', ['med.attach', 'med.attach_for'], args, (attempt) =>
        makeMedEvidence(
          context,
          args.caseId,
          (args.language as Language | null | undefined) ?? 'pt',
          attempt,
        ),
      ),
  });
}

function defineAnswer(builder: Builder, { node, analysis }: Refs): void {
  defineMutation(builder, 'answerMedCase', {
    result: ['medCase', node],
    ...forEither(
      `Answers a case of MED with all its files. The answer is sent to the provider until the provider has it. ${ANSWERED}`,
    ),
    input: (t) => ({
      caseId: t.string(CASE),
      analysis: t.field({ type: analysis, required: true, description: 'Standpoint.' }),
      body: t.string({
        required: true,
        description: `Text for the provider, 1 to ${inProse(ANSWER_LENGTH_MAX)} characters; may have several lines.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      performOnCase(context, 'answerMedCase', ['med.answer', 'med.answer_for'], args, (attempt) => {
        const body = { name: 'input.body', value: args.body };
        const input = { analysis: args.analysis as MedAnalysis, body };
        return answerMedCase(context, args.caseId, input, checksOf(context), attempt);
      }),
  });
}

function defineRecord(builder: Builder, { node }: Refs): void {
  const outcome = builder.enumType('MedOutcome', {
    description: 'Outcome of a case of MED on the screens of the provider.',
    values: describedValues(MED_OUTCOMES),
  });
  defineMutation(builder, 'recordMedOutcome', {
    result: ['medCase', node],
    description: `Records what happened to a case of MED on the screens of the provider. The decision of a dispute is not recorded: it moves money, and the rail reports it (\`STEP_CONFLICT\`). Needs the scope \`${ACTIONS['med.record'].scope}\`.`,
    input: (t) => ({
      caseId: t.string(CASE),
      outcome: t.field({ type: outcome, required: true, description: 'Outcome of the case.' }),
      reason: t.string({
        required: true,
        description: `Source of the outcome, 1 to ${REFERENCE_LENGTH_MAX} characters; kept in the history of the case.`,
      }),
      idempotencyKey: t.string(KEY_ARGUMENT),
    }),
    resolve: (args, context) =>
      performOnCase(context, 'recordMedOutcome', ['med.record', 'med.record'], args, (attempt) => {
        const reason = { name: 'input.reason', value: args.reason };
        const input = { outcome: args.outcome as MedOutcomeName, reason };
        return recordMedOutcome(context, args.caseId, input, checksOf(context), attempt);
      }),
  });
}

/** The case itself is not stored with the key: the response has its current state. */
async function performOnCase(
  context: Context,
  mutation: string,
  [own, ofOperator]: readonly [ActionName, ActionName],
  args: Keyed['args'],
  work: (attempt: Attempt) => Promise<MedCase>,
): Promise<MedCase> {
  let done: MedCase | undefined;
  const action = seesAllMedCases(context) ? ofOperator : own;
  const { stored } = await performOnce(context, { mutation, action, args }, async (attempt) => {
    done = await work(attempt);
    return { id: String(done.id) };
  });
  return done ?? known(await findMedCaseFor(context, stored.id), 'the case of a used key');
}
