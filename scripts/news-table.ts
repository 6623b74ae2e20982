/** Writes the tables of docs/ledger.md: what becomes of news of rails at every step of every template. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Template } from '../src/templates/define.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { NEWS, type NewsCase, returnUnderWay, stepAfter, UNTAKEN } from '../test/support/news-at-places.ts';
import { type Place, placesOf } from '../test/support/places.ts';

/** Where they stand. */
const DOCUMENT = new URL('../docs/ledger.md', import.meta.url);
const PLACE = /(<!-- news, written by npm run news -->\n)[\s\S]*?(<!-- end of news -->)/;

/** @returns the document with the tables as the machines have them. */
export function withNews(document: string): string {
  return document.replace(PLACE, (_all, begin: string, end: string) => `${begin}${tables()}\n${end}`);
}

function tables(): string {
  return REGISTRY.templates.map((template) => `\n\`${template.name}\`\n\n${table(template)}`).join('');
}

/** One line for all steps at which the same becomes of everything; only what some step takes has a column. */
function table(template: Template): string {
  const places = Map.groupBy(placesOf(template), ({ step }) => step);
  const columns = NEWS.filter((news) => [...places.values()].flat().some((each) => stepAfter(each, news)));
  if (columns.length === 0) return 'At no step.\n';
  const lines = new Map<string, string[]>();
  for (const { component, state } of template.steps) {
    const here = places.get(`${component}/${state}`);
    if (!here) continue;
    const line = columns.map((news) => cell(here, news)).join(' | ');
    lines.set(line, [...(lines.get(line) ?? []), `\`${component}/${state}\``]);
  }
  const head = `| At | ${columns.map(({ name }) => name).join(' | ')} |\n|${'---|'.repeat(columns.length + 1)}\n`;
  return head + [...lines].map(([line, steps]) => `| ${steps.join(', ')} | ${line} |\n`).join('');
}

function cell(here: readonly Place[], news: NewsCase): string {
  const concerned = news.about === 'return' ? here.filter(({ run }) => returnUnderWay(run)) : here;
  const outcomes = concerned.map((place) => {
    const step = stepAfter(place, news);
    if (!step) return UNTAKEN[news.about];
    return step === place.step ? 'stays' : `\`${step}\``;
  });
  return [...new Set(outcomes)].sort().join(' or ') || '—';
}

if (process.argv.includes('--write')) writeFileSync(DOCUMENT, withNews(readFileSync(DOCUMENT, 'utf8')));
