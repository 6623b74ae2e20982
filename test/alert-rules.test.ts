/**
 * Goal: no alert is silent because it asks for a metric that nobody exports, none is late, and none leads to a section that does not exist.
 * Method: the rules, their tests and the dashboard beside an answer of the gateway and the text of the runbook; `promtool` runs the tests of
 * the rules where it is installed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { useApp } from './support/app.ts';
import { startMetrics, type TestMetrics } from './support/metrics.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const PATH = fileURLToPath(new URL('../deploy/prometheus/crossramp.rules.yml', import.meta.url));
const rules: readonly Rule[] = parse(readFileSync(PATH, 'utf8')).groups.flatMap(
  ({ rules: own }: { rules: readonly Rule[] }) => own,
);
const runbook = readFileSync(new URL('../docs/runbook.md', import.meta.url), 'utf8');
const anchors = [...runbook.matchAll(/^## (.*)$/gm)].map((match) =>
  (match[1] as string).toLowerCase().replaceAll(' ', '-'),
);
/** The help of each command. */
const help = new Map(
  readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8')
    .split(/^## (?=crossramp)/m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
);

interface RuleTest {
  readonly alert_rule_test: readonly {
    readonly eval_time: string;
    readonly alertname: string;
    readonly exp_alerts: readonly object[];
  }[];
}
const TESTS_PATH = PATH.replace('.yml', '.test.yml');
const ruleTests: readonly RuleTest[] = parse(readFileSync(TESTS_PATH, 'utf8')).tests;
/** Seconds of a time such as `1h2m3s`. */
const secondsOf = (time: string) =>
  [...time.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * { h: 3_600, m: 60, s: 1 }[unit as 'h' | 'm' | 's'],
    0,
  );
const metricsIn = (text: string) => text.match(/\bcrossramp_\w+/g) ?? [];

const app = useApp();
let metrics: TestMetrics;
let text: string;
let exported: Set<string>;

beforeAll(async () => {
  metrics = await startMetrics();
  metrics.watch({ services: app.services, streams: app.streams });
  text = await (await fetch(metrics.url)).text();
  exported = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] as string));
});
afterAll(() => metrics.close());

test('every alert uses metrics that the gateway exports', () => {
  expect(rules.length).toBeGreaterThan(11);
  for (const { alert, expr } of rules) {
    expect(metricsIn(expr), alert).not.toEqual([]);
    expect(
      metricsIn(expr).filter((name) => !exported.has(name)),
      alert,
    ).toEqual([]);
  }
});

test('every alert is tested: silent at first, and firing a minute after the first sample that is worse', () => {
  const SCRAPE = 15;
  for (const { alert } of rules) {
    const own = ruleTests.filter((each) => each.alert_rule_test.some(({ alertname }) => alertname === alert));
    expect(own.length, alert).toBeGreaterThan(0);
    for (const { alert_rule_test } of own) {
      const [silent, firing, ...more] = alert_rule_test;
      expect([silent?.exp_alerts, firing?.exp_alerts.length, more.length], alert).toEqual([[], 1, 0]);
      const late = secondsOf(firing?.eval_time ?? '') - secondsOf(silent?.eval_time ?? '') - SCRAPE;
      expect(late, alert).toBe(60);
    }
  }
});

test('every alert is made to fire by a planted fault', () => {
  const tests = [
    'operate/planted-troubles.test.ts',
    'operate/planted-faults.test.ts',
    'operate/planted-outages.test.ts',
    'server/metrics/metrics.test.ts',
  ].map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'));
  const isPlanted = (alert: string) => tests.some((text) => text.includes(`'${alert}'`));
  expect(rules.filter(({ alert }) => !isPlanted(alert)).map(({ alert }) => alert)).toEqual([]);
});

test('the dashboard reads metrics that the gateway exports', () => {
  const text = readFileSync(new URL('../deploy/grafana/crossramp.json', import.meta.url), 'utf8');
  const { panels } = JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(30);
  for (const expression of expressions) {
    const named = metricsIn(expression).map((name) => name.replace(/_bucket$/, ''));
    expect(
      named.filter((name) => !exported.has(name)),
      expression,
    ).toEqual([]);
    expect(named.length + (expression.includes('up{') ? 1 : 0), expression).toBeGreaterThan(0);
  }
});

test('every metric has a help text', () => {
  const helped = [...text.matchAll(/^# HELP (\S+) \S/gm)].map((match) => match[1] as string);
  expect(helped.toSorted()).toEqual([...exported].toSorted());
});

test('every alert has its section of the runbook, and every section its alert', () => {
  const led = rules.map(({ annotations }) => /^docs\/runbook\.md#(.*)$/.exec(annotations.runbook)?.[1]);
  expect([...new Set(led)].toSorted()).toEqual(anchors.toSorted());
  for (const section of runbook.split(/^## /m).slice(1))
    for (const part of ['**Meaning.**', '**See it.**', '**Do.**']) expect(section).toContain(part);
  for (const see of runbook.match(/\*\*See it\.\*\*[\s\S]*?(?=\n\n)/g) ?? []) expect(see).toMatch(/`[^`]+`/);
});

test('the runbook and the operations manual name metrics and commands that exist', () => {
  const manual = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
  const named = [...metricsIn(runbook), ...metricsIn(manual)].filter((name) => !name.endsWith('_'));
  expect(
    named.filter((name) => !exported.has(name) && !/^crossramp_(app|owner|gateway)$/.test(name)),
  ).toEqual([]);
  const called = [...runbook.matchAll(/`(crossramp\s[a-z][^`]*)`/g)].map((match) => match[1] as string);
  const wrong = called.filter((line) => {
    const command = [...help.keys()].findLast((each) => `${line} `.startsWith(`${each} `));
    const options = [...line.matchAll(/ (--[a-z-]+)/g)].map((match) => match[1]);
    return !command || options.some((each) => !help.get(command)?.includes(` ${each} `));
  });
  expect(wrong).toEqual([]);
});

test('the manual lists every metric of the gateway', () => {
  const manual = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8');
  const ours = [...exported].filter((name) => !/^crossramp_(process|nodejs)_/.test(name));
  const shortened = (name: string) =>
    manual.includes(`\`…${name.slice('crossramp_pool_connections'.length)}\``);
  expect(ours.filter((name) => !manual.includes(`\`${name}\``) && !shortened(name))).toEqual([]);
});

const promtool = spawnSync('promtool', ['--version']).status === 0;
test.skipIf(!promtool)('promtool finds nothing wrong with the rules, their tests and an answer', () => {
  expect(spawnSync('promtool', ['check', 'rules', PATH]).status).toBe(0);
  const tested = spawnSync('promtool', ['test', 'rules', TESTS_PATH], { encoding: 'utf8' });
  expect([tested.status, tested.stderr]).toEqual([0, '']);
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text });
  expect([status, String(stderr)]).toEqual([0, '']);
});
