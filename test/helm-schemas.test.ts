/**
 * Goal: a cluster knows every field of what the chart makes. Method: the rendered example as typed literals, compiled against the types of
 * Kubernetes 1.30, which refuse unknown fields and wrong values. `Cluster` of CloudNativePG is not among them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RENDERED = join(ROOT, 'deploy/helm/example/rendered.yaml');
const TYPES = join(ROOT, 'node_modules/kubernetes-types');
/** Module of `kubernetes-types` by the API of a manifest. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

// Kubernetes reads YAML 1.1, in which 0440 is octal.
const manifests: readonly Manifest[] = parseAllDocuments(readFileSync(RENDERED, 'utf8'), {
  version: '1.1',
}).map((each) => each.toJS());
const typed = manifests.filter(({ apiVersion }) => apiVersion in MODULES);

/** @returns what the compiler says about manifests. */
function compile(checked: readonly Manifest[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossramp-manifests-'));
  try {
    const lines = checked.map(
      (each, at) =>
        `export const m${at}: import('${TYPES}/${MODULES[each.apiVersion]}').${each.kind} = ${JSON.stringify(each)};`,
    );
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
      '--types',
      '',
    ];
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { status, stdout, stderr, error } = spawnSync(tsc, [...options, 'manifests.ts'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (error) throw error;
    return status === 0 ? '' : stdout + stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the rendered chart', () => {
  test('has fields that Kubernetes knows, with values of their types', () => {
    const others = manifests.filter((each) => !typed.includes(each)).map(({ kind }) => kind);
    expect(others).toEqual(['Cluster']);
    expect(typed.length).toBeGreaterThan(8);
    expect(compile(typed)).toBe('');
  }, 300_000);

  test('is refused with a misspelt field, and with a value of another type', () => {
    const text = JSON.stringify(typed);
    const misspelt = JSON.parse(text.replace('"terminationGracePeriodSeconds"', '"terminationGracePeriod"'));
    const wrong = JSON.parse(text.replace('"replicas":2', '"replicas":"2"'));
    expect(compile(misspelt)).toContain('terminationGracePeriod');
    expect(compile(wrong)).toContain("Type 'string' is not assignable to type 'number'");
  }, 300_000);
});
