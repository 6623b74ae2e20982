/** Writes the tables of docs/ledger.md: the outcome of each rail event at every step of every template. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Template } from '../src/templates/define.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { type Position, placesOf } from '../test/support/places.ts';
import {
  RAIL_EVENT_CASES,
  type RailEventCase,
  returnUnderWay,
  stepAfter,
  UNTAKEN,
} from '../test/support/rail-events-at-places.ts';

/** Where they stand. */
const DOCUMENT = new URL('../docs/ledger.md', import.meta.url);
const RAIL_EVENTS_SECTION =
  /(<!-- rail events, written by npm run rail-events -->\n)[\s\S]*?(<!-- end of rail events -->)/;

/** @returns the document with the tables as the machines have them. */
export function withRailEvents(document: string): string {
  return document.replace(
    RAIL_EVENTS_SECTION,
    (_all, begin: string, end: string) => `${begin}${tables()}\n${end}`,
  );
}

function tables(): string {
  return REGISTRY.templates.map((template) => `\n\`${template.name}\`\n\n${table(template)}`).join('');
}

/**
 * One line for all steps at which every event has the same outcome; only events that some step accepts have a column.
 */
function table(template: Template): string {
  const steps = Map.groupBy(placesOf(template), ({ step }) => step);
  const columns = RAIL_EVENT_CASES.filter((rowOfEvent) =>
    [...steps.values()].flat().some((each) => stepAfter(each, rowOfEvent)),
  );
  if (columns.length === 0) return 'At no step.\n';
  const lines = new Map<string, string[]>();
  for (const { component, state } of template.steps) {
    const here = steps.get(`${component}/${state}`);
    if (!here) continue;
    const line = columns.map((rowOfEvent) => cell(here, rowOfEvent)).join(' | ');
    lines.set(line, [...(lines.get(line) ?? []), `\`${component}/${state}\``]);
  }
  const head = `| At | ${columns.map(({ name }) => name).join(' | ')} |\n|${'---|'.repeat(columns.length + 1)}\n`;
  return head + [...lines].map(([line, steps]) => `| ${steps.join(', ')} | ${line} |\n`).join('');
}

function cell(here: readonly Position[], rowOfEvent: RailEventCase): string {
  const concerned = rowOfEvent.about === 'return' ? here.filter(({ run }) => returnUnderWay(run)) : here;
  const outcomes = concerned.map((from) => {
    const step = stepAfter(from, rowOfEvent);
    if (!step) return UNTAKEN[rowOfEvent.about];
    return step === from.step ? 'stays' : `\`${step}\``;
  });
  return [...new Set(outcomes)].sort().join(' or ') || '—';
}

if (process.argv.includes('--write')) writeFileSync(DOCUMENT, withRailEvents(readFileSync(DOCUMENT, 'utf8')));
