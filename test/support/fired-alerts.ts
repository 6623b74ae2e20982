/** Alerts that Prometheus would fire for what a process answered: `promtool` evaluates the rules of `deploy/prometheus`. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Samples } from './metrics.ts';

const RULES = fileURLToPath(new URL('../../deploy/prometheus/crossramp.rules.yml', import.meta.url));
/** Scrapes before the trouble, more than an hour: one rule looks back that far. */
const BEFORE = 250;
const SCRAPE_SECONDS = 15;
const SECONDS_AFTER = 60;

export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/**
 * Compares the alerts that fire a minute after the first bad scrape with those that are expected.
 *
 * @param before - a healthy scrape, repeated for an hour.
 * @param after - a scrape in trouble, repeated for a minute.
 * @param expected - names of alerts.
 * @returns an empty text where they are the same, otherwise what promtool says.
 */
export function compareAlerts(before: Samples, after: Samples, expected: readonly string[]): string {
  const labelled = (samples: Samples) => new Map([...samples].map(([name, value]) => [asOf(name), value]));
  const [healthy, troubled] = [labelled(before), labelled(after)];
  const series = [...new Set([...healthy.keys(), ...troubled.keys()])].map((name) => {
    const [early, late] = [healthy.get(name), troubled.get(name)];
    const first = early === undefined ? `_x${BEFORE}` : `${early}+0x${BEFORE}`;
    return { series: name, values: `${first} ${late === undefined ? 'stale' : `${late}+0x4`}` };
  });
  const firing = (seconds: number, names: readonly string[]) => ({
    expr: `group by (alertname) (ALERTS{alertstate="firing"})`,
    eval_time: `${seconds}s`,
    exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  });
  const healthyAt = BEFORE * SCRAPE_SECONDS;
  const file = {
    rule_files: [RULES],
    evaluation_interval: `${SCRAPE_SECONDS}s`,
    tests: [
      {
        interval: `${SCRAPE_SECONDS}s`,
        input_series: series,
        promql_expr_test: [
          firing(healthyAt, []),
          firing(healthyAt + SCRAPE_SECONDS + SECONDS_AFTER, expected.toSorted()),
        ],
      },
    ],
  };
  const folder = mkdtempSync(join(tmpdir(), 'crossramp-alerts-'));
  try {
    // JSON is YAML, too.
    writeFileSync(join(folder, 'test.yml'), JSON.stringify(file));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', join(folder, 'test.yml')], {
      encoding: 'utf8',
    });
    return status === 0 ? '' : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Prometheus adds the process to each series. */
function asOf(name: string): string {
  const process = 'instance="gateway:9464",job="crossramp"';
  return name.includes('{') ? name.replace('{', `{${process},`) : `${name}{${process}}`;
}
