/** `crossramp med list|show|answer`: cases of MED. */
import { Command, Option } from 'commander';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { answerMedCase } from '../resolvers/med/act-on-med-case.ts';
import { answersTo, findMedCaseFor, historyOf, readMedCases } from '../resolvers/med/read-med-cases.ts';
import { StoreError } from '../store/connection/check-server.ts';
import { MED_ANALYSES, type MedAnalysis, type MedAnswer } from '../store/rails/med-answers.ts';
import type { MedCase, MedEvent } from '../store/rails/med-cases.ts';
import { columnsText, lists, uses } from './command.ts';
import { withMode } from './output.ts';

interface Options {
  readonly all?: boolean;
  readonly analysis?: MedAnalysis;
  readonly text?: string;
}

const LIMIT = 100;
const SLICE = { limit: LIMIT, below: null, above: null, isBackward: false };
const ID = ['<id>', 'id of the case'] as const;
const EVENT_COLUMNS = { TIME: 'at', EVENT: 'event', DETAIL: 'detail', BY: 'actor' } as const;
const ANSWER_COLUMNS = {
  TIME: 'at',
  ANALYSIS: 'analysis',
  STATE: 'state',
  FAILURE: 'failure',
} as const;

/** The command `med`. */
export function medCommand(): Command {
  const command = new Command('med').description(
    'Lists cases of MED, shows their history, and answers them.',
  );
  addList(command);
  addShow(command);
  addAnswer(command);
  return command;
}

function addList(command: Command): void {
  lists(
    withMode(
      command
        .command('list')
        .description(
          `Lists the newest ${LIMIT} cases of all sandbox or all live accounts that wait for an answer.`,
        ),
    ).option('--all', 'also answered and decided cases'),
    {
      run: async (context, { all = false }: Options) => {
        const wanted = { account: null, end2end: null, states: all ? null : (['open'] as const) };
        return (await readMedCases(context, wanted, SLICE)).rows;
      },
      row: shown,
      columns: {
        ...{ ID: 'id', KIND: 'kind', STATE: 'state', OPENED: 'openedAt', DUE: 'dueAt' },
        ...{ ACCOUNT: 'account', TRANSACTION: 'end2end' },
      },
      none: 'no cases',
    },
  );
}

function addShow(command: Command): void {
  uses(
    withMode(
      command
        .command('show')
        .description('Shows a case, its history and its answers.')
        .argument(...ID),
    ),
    {
      run: async (context, _options: Options, id: string) => {
        const found = await findMedCaseFor(context, id);
        if (!found) throw new StoreError(`there is no case ${id}`);
        const [history, answers] = await Promise.all([historyOf(context, found), answersTo(context, found)]);
        return { ...shown(found), history: history.map(entry), answers: answers.map(answerRow) };
      },
      text: ({ history, answers, ...row }) =>
        [
          Object.entries(row)
            .map(([name, value]) => `${name}: ${value ?? ''}`)
            .join('\n'),
          columnsText(history, EVENT_COLUMNS),
          answers.length === 0 ? 'no answer' : columnsText(answers, ANSWER_COLUMNS),
        ].join('\n\n'),
    },
  );
}

function addAnswer(command: Command): void {
  uses(
    withMode(
      command
        .command('answer')
        .description(
          'Answers a case, with the files that are attached to it; the answer is sent in the background.',
        )
        .argument(...ID),
    )
      .addOption(
        new Option('--analysis <analysis>', 'result of the analysis')
          .choices(Object.keys(MED_ANALYSES))
          .makeOptionMandatory(),
      )
      .requiredOption('--text <text>', 'text of the answer, for the bank'),
    {
      run: (context, { analysis, text = '' }: Options, id: string) =>
        answerMedCase(
          context,
          id,
          { analysis: analysis as MedAnalysis, body: { name: '--text', value: text } },
          checksOf(context),
        ),
      json: shown,
      text: ({ id }) => `the answer to case ${id} is on its way`,
    },
  );
}

function shown({ id, kind, state, reference, pixE2e, accountId, end2end, openedAt, dueAt }: MedCase) {
  return {
    id: String(id),
    kind,
    state,
    reference,
    pixE2e,
    account: String(accountId),
    end2end,
    openedAt: isoMillis(openedAt),
    dueAt: isoMillis(dueAt),
  };
}

function entry({ at, event, detail, actor }: MedEvent) {
  return { at: isoMillis(at), event, detail, actor };
}

function answerRow({ id, analysis, body, state, failure, givenAt: at }: MedAnswer) {
  return { id, at: isoMillis(at), analysis, body, state, failure };
}
