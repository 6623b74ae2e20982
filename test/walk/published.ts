/** What is published about the six processes: their steps with their labels, and the journals with the scenarios. */
import { readFileSync } from 'node:fs';

/** A text in both languages. */
export interface Label {
  readonly en: string;
  readonly pt: string;
}

/** A step of states.json. */
export interface PublishedStep {
  readonly component: string;
  readonly state: string;
  readonly status: Label;
  readonly substatus: Label;
  readonly message: Label;
  readonly error_message: Label;
}

type Side = 'Dr' | 'Cr';
type Posting = readonly [role: string, currency: string, side: Side, amount: string];

const { templates } = read('states') as { templates: Readonly<Record<string, readonly PublishedStep[]>> };
const { postings, scenarios } = read('postings') as {
  postings: Readonly<Record<string, readonly Posting[]>>;
  scenarios: Readonly<Record<string, readonly string[]>>;
};

/** Steps by template. */
export const TEMPLATES = templates;
/** Names of the scenarios. */
export const SCENARIO_NAMES: readonly string[] = Object.keys(scenarios);

/**
 * Amounts of a transaction that lines are made of, as decimal text: `crypto` is what is converted or leaves in all, `net`
 * what of it is sent on-chain, `networkFee` the rest; `deposit` is what arrived and `exact` what should have, `brl` what is paid out; `held` is what a
 * dispute holds, and `rest` what of `crypto` it does not.
 */
export type FigureName = 'crypto' | 'net' | 'networkFee' | 'deposit' | 'exact' | 'brl' | 'held' | 'rest';
/** Amounts that are known so far. */
export type Figures = { readonly [Name in FigureName]?: string };

/** The figures of the published sample: which amount it is that a journal moves. */
const SAMPLE: Readonly<Record<string, FigureName>> = {
  '100.000000': 'crypto',
  '99.000000': 'net',
  '1.000000': 'networkFee',
  '100.000137': 'deposit',
  '490.00': 'brl',
  '1000.00': 'brl',
};

/** A line of the statement as it has to be. */
export interface ExpectedLine {
  readonly currency: string;
  readonly subAccount: string;
  readonly debit: string;
  readonly credit: string;
}

/** A journal by its name, `L6`; `of` where it moves another amount than in the sample. */
export interface JournalUse {
  readonly name: string;
  readonly of?: FigureName;
}

/** @returns the journals of a scenario; means to begin with and spending are no part of the process. */
export function scenarioJournals(name: string): readonly JournalUse[] {
  const steps = scenarios[name];
  if (!steps) throw new Error(`postings.json has no scenario ${name}`);
  return steps.filter((step) => step in postings).map((step) => ({ name: step.split(' ')[0] as string }));
}

/** @returns the lines that journals leave on the statement of the account holder, in their order. */
export function linesOf(journals: readonly JournalUse[], currency: string, figures: Figures): ExpectedLine[] {
  return journals.flatMap(({ name, of }) =>
    postingsOf(name)
      .filter(([role]) => role.startsWith('M.'))
      .map(([role, sampleCurrency, side, sample]) => {
        const figure = of ?? SAMPLE[sample];
        const amount = figure && figures[figure];
        if (amount === undefined) throw new Error(`${name} moves ${figure ?? sample}, which is not known`);
        return {
          currency: sampleCurrency === 'BRL' ? 'BRL' : currency,
          subAccount: role.slice(2),
          debit: side === 'Dr' ? amount : '0',
          credit: side === 'Cr' ? amount : '0',
        };
      })
      .filter(({ debit, credit }) => debit !== credit),
  );
}

function postingsOf(name: string): readonly Posting[] {
  const [, found] = Object.entries(postings).find(([full]) => full.split(' ')[0] === name) ?? [];
  if (!found) throw new Error(`postings.json has no journal ${name}`);
  return found;
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
}
