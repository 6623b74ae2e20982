/** Acts on cases of MED, each on the screen of its case. */
import { expect } from 'vitest';
import type { ActRow, Situation } from './row.ts';
import { customer, type Stage, type Who } from './stage.ts';

interface MedCaseNow {
  readonly caseId: string;
  readonly state: string;
  readonly files: readonly { readonly name: string; readonly isEvidence: boolean }[];
  readonly answers: readonly { readonly analysis: string; readonly body: string }[];
}

/** @returns a paid onramp whose payment the payer's bank has reported. */
async function reported(stage: Stage, mark: string): Promise<string> {
  const input = { ...customer(), currency: 'USDT_TRX', amount: { brl: '550.00' } };
  const { end2end } = (await stage.create('createOnramp', input)).transaction;
  await stage.trigger(end2end, 'pay');
  await stage.reach(end2end, 'success/DONE');
  const { transaction } = await stage.ask('query ($e: String!) { transaction(end2end: $e) { pixE2e } }', {
    e: end2end,
  });
  await stage.app.services.receive({
    kind: 'infraction',
    infractionId: mark,
    endToEndId: transaction.pixE2e,
    amount: null,
    reason: 'golpe',
    reportedAt: new Date().toISOString(),
  });
  return end2end;
}

async function caseOf({ ask }: Stage, end2end: string): Promise<MedCaseNow> {
  const { medCases } = await ask(
    'query ($e: String!) { medCases(end2end: $e) { nodes { caseId state files { name isEvidence } answers { analysis body } } } }',
    { e: end2end },
  );
  return medCases.nodes[0];
}

function medRow(
  action: string,
  traits: Pick<ActRow, 'entry'> & Pick<Situation, 'typed' | 'isAskedFirst'> & { readonly who?: Who },
  seen: (now: MedCaseNow) => void,
): ActRow {
  const { entry, who = 'shop', ...situation } = traits;
  return {
    act: action,
    who,
    ...(entry && { entry }),
    begin: async (stage, { mark }) => {
      const end2end = await reported(stage, mark);
      const { caseId } = await caseOf(stage, end2end);
      return {
        ...situation,
        path: `/console/review/case?id=${encodeURIComponent(`MED_CASE:${stage.shop()}:${caseId}`)}`,
        given: { id: caseId },
        object: caseId,
        check: async () => seen(await caseOf(stage, end2end)),
      };
    },
  };
}

/** Rows of the table. */
export const MED_ROWS: readonly ActRow[] = [
  medRow('AttachMedFile', { entry: 'med.attach', typed: { content: 'receipt.pdf' } }, ({ files }) =>
    expect(files).toEqual([{ name: 'receipt.pdf', isEvidence: false }]),
  ),
  medRow('MakeMedEvidence', { entry: 'med.attach' }, ({ files }) =>
    expect(files).toMatchObject([{ isEvidence: true }]),
  ),
  medRow(
    'AnswerMedCase',
    { entry: 'med.answer', typed: { analysis: 'CONTEST', body: 'Entregue.\nVer anexo.' } },
    ({ answers }) => expect(answers).toEqual([{ analysis: 'CONTEST', body: 'Entregue.\nVer anexo.' }]),
  ),
  medRow(
    'RecordMedOutcome',
    { who: 'platform', typed: { outcome: 'ANSWERED', reason: 'mail of the bank' } },
    ({ state }) => expect(state).toBe('ANSWERED'),
  ),
];
