/**
 * Goal: the chart of deploy/helm makes what the gateway needs, and nothing that it refuses. Method: the example as it was rendered, read as the
 * gateway reads its settings, and as a cluster selects pods; values against their schema; rendered anew where the machine has helm (`HELM`).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../src/config.ts';

const HELM = process.env.HELM ?? 'helm';
const pathOf = (path: string) => fileURLToPath(new URL(`../deploy/helm/${path}`, import.meta.url));
const textOf = (path: string) => readFileSync(pathOf(path), 'utf8');
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// biome-ignore lint/suspicious/noExplicitAny: manifests have every shape
type Any = any;
const manifests: Any[] = parseAllDocuments(textOf('example/rendered.yaml')).map((each) => each.toJS());
const of = (kind: string) => manifests.filter((each) => each.kind === kind);
const pods: Any[] = [...of('Deployment'), ...of('Job')].map(({ spec }) => spec.template);
const containersOf = ({ spec }: Any): Any[] => [...(spec.initContainers ?? []), ...spec.containers];
const isSelected = (selector: Record<string, string>, labels: Record<string, string>) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

describe('the rendered example', () => {
  test.runIf(spawnSync(HELM, ['version']).status === 0)('is what helm makes of the chart', () => {
    const args = ['template', 'shop', pathOf('crossramp-gateway'), '--namespace', 'crossramp'];
    const values = ['--values', pathOf('example/values.yaml')];
    const { status, stdout, stderr } = spawnSync(HELM, [...args, ...values], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(textOf('example/rendered.yaml'));
    expect(spawnSync(HELM, ['lint', '--strict', pathOf('crossramp-gateway'), ...values]).status).toBe(0);
  });

  test('has processes that serve, that work and that read, migrations, budgets, a service, a policy and a database', () => {
    expect(
      manifests
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`.replace(/-[0-9a-f]{8}$/, ''))
        .toSorted(),
    ).toEqual([
      'Cluster shop-database',
      'Deployment shop-read',
      'Deployment shop-serve',
      'Deployment shop-work',
      'Job shop-migrate',
      'NetworkPolicy shop-gateway',
      'PodDisruptionBudget shop-read',
      'PodDisruptionBudget shop-serve',
      'PodDisruptionBudget shop-work',
      'Service shop',
      'Service shop-read',
    ]);
  });

  test('runs this version', () => {
    const chart = parse(textOf('crossramp-gateway/Chart.yaml'));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    const images = pods.flatMap(containersOf).map(({ image }) => image);
    expect(new Set(images)).toEqual(new Set([`registry.example.invalid/crossramp-gateway:${version}`]));
  });

  test('has settings that the gateway accepts, with every password by reference', () => {
    const example = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
    const known = new Set([...example.matchAll(/^#([A-Z_]+)=/gm)].map((match) => match[1]));
    for (const { env } of pods.flatMap(containersOf)) {
      const names: string[] = env.map(({ name }: Any) => name);
      expect(names.filter((name) => !known.has(name) && !name.startsWith('GATEWAY_'))).toEqual([]);
      const secret = env.filter(({ name }: Any) => /PASSWORD|OWNER_URL|NOTIFY_URL|REPLICA_URLS/.test(name));
      expect(secret.every(({ valueFrom }: Any) => valueFrom?.secretKeyRef)).toBe(true);
      // A cluster puts the values of secrets in place of `$(NAME)`.
      const values = env.map(({ name, value = 'postgres://a:b@database/crossramp' }: Any) => [
        name,
        value.replaceAll(/\$\(\w+\)/g, 'secret'),
      ]);
      expect(() => readConfig(Object.fromEntries(values))).not.toThrow();
    }
    expect(of('Secret')).toEqual([]);
  });

  test('lets no container write outside of its own folders, or become another user', () => {
    for (const { spec } of pods) {
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001 });
      expect(spec.automountServiceAccountToken).toBe(false);
      for (const { securityContext, volumeMounts } of containersOf({ spec })) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const volumes = spec.volumes.map(({ name }: Any) => name);
        expect(volumeMounts.filter(({ name }: Any) => !volumes.includes(name))).toEqual([]);
        const writable = volumeMounts.filter(({ readOnly }: Any) => !readOnly).map(({ name }: Any) => name);
        expect(writable).toEqual(['state', 'tmp']);
      }
      // YAML 1.1 reads 0440 as octal, YAML 1.2 as 440; Kubernetes reads 1.1. The gateway refuses a key that others may read.
      const key = spec.volumes.find(({ name }: Any) => name === 'key');
      if (key) expect(textOf('example/rendered.yaml')).toContain('defaultMode: 0440');
    }
  });

  test('probes the paths that the gateway answers, and lets it drain before it is killed', () => {
    for (const { spec } of of('Deployment')) {
      const [{ livenessProbe, readinessProbe, startupProbe, env, ports }] = spec.template.spec.containers;
      expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
        '/healthz',
        '/healthz',
        '/readyz',
      ]);
      expect(readinessProbe.timeoutSeconds).toBe(3);
      expect(ports).toEqual([
        { name: 'http', containerPort: 4000 },
        { name: 'metrics', containerPort: 9464 },
      ]);
      const drain = Number(env.find(({ name }: Any) => name === 'DRAIN_DELAY').value);
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + 50);
      expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    }
  });

  test('selects the right pods: each role by its budget, serving ones by the service, all by the policy', () => {
    const labels = pods.map(({ metadata }) => metadata.labels);
    const roles = (selector: Record<string, string>) =>
      labels.filter((each) => isSelected(selector, each)).map((each) => each['app.kubernetes.io/component']);
    const budgets = of('PodDisruptionBudget').map(({ spec }) => roles(spec.selector.matchLabels));
    expect(budgets).toEqual([['serve'], ['work'], ['read']]);
    expect(of('Service').map(({ spec }) => roles(spec.selector))).toEqual([['serve'], ['read']]);
    expect(roles(of('NetworkPolicy')[0].spec.podSelector.matchLabels)).toEqual([
      ...['serve', 'work', 'read', 'migrate'],
    ]);
    for (const { spec } of of('Deployment')) expect(roles(spec.selector.matchLabels)).toHaveLength(1);
  });

  test('has gateways that read on a standby of their own, which those that write mark', () => {
    const envOf = (role: string) =>
      Object.fromEntries(
        pods
          .find(({ metadata }) => metadata.labels['app.kubernetes.io/component'] === role)
          .spec.containers[0].env.map(({ name, ...rest }: Any) => [name, rest]),
      );
    const secret = (name: string, key: string) => ({ valueFrom: { secretKeyRef: { name, key } } });
    for (const role of ['serve', 'work'])
      expect(envOf(role).REPLICA_URLS).toEqual(secret('crossramp-standbys', 'urls'));
    const { ROLE, DATABASE_URL, REPLICA_URLS, NOTIFY_URL } = envOf('read');
    expect([ROLE.value, DATABASE_URL]).toEqual(['read', secret('crossramp-standby', 'url')]);
    // A standby has no standbys of its own here, and takes no LISTEN.
    expect([REPLICA_URLS, NOTIFY_URL]).toEqual([undefined, undefined]);
    const [read] = of('Deployment').filter(({ metadata }) => metadata.name === 'shop-read');
    // It migrates nothing, and waits by itself for what its standby is to have.
    expect(read.spec.template.spec.initContainers).toBeUndefined();
  });

  test('acknowledges a payment only when it is on two machines', () => {
    expect(of('Cluster')[0].spec).toMatchObject({
      instances: 3,
      postgresql: { synchronous: { method: 'any', number: 1, dataDurability: 'required' } },
    });
  });
});

describe('values', () => {
  const validate = new Ajv({ strict: false }).compile(
    JSON.parse(textOf('crossramp-gateway/values.schema.json')),
  );
  const defaults = parse(textOf('crossramp-gateway/values.yaml'));
  const example = parse(textOf('example/values.yaml'));
  const merged = (...parts: Any[]): Any =>
    parts.reduce((into, part) =>
      Object.fromEntries(
        [...new Set([...Object.keys(into), ...Object.keys(part)])].map((name) => {
          const [before, after] = [into[name], part[name]];
          const areObjects = [before, after].every(
            (each) => each && typeof each === 'object' && !Array.isArray(each),
          );
          return [name, areObjects ? merged(before, after) : (after ?? before)];
        }),
      ),
    );

  test('of the example fit, and those without standbys, and of a database elsewhere', () => {
    const alone = { read: { replicas: 0 }, standbys: { urls: { secret: '' } } };
    expect(validate(merged(defaults, example, alone)), JSON.stringify(validate.errors)).toBe(true);
    expect(validate(merged(defaults, example)), JSON.stringify(validate.errors)).toBe(true);
    const own = { url: { secret: 'a' }, ownerUrl: { secret: 'b' }, networks: ['10.1.0.0/16'] };
    const elsewhere = { ...example, postgres: {}, database: own };
    expect(validate(merged(defaults, elsewhere)), JSON.stringify(validate.errors)).toBe(true);
  });

  test.each([
    ['nothing set', defaults],
    ['an address without TLS', { publicUrl: 'http://pay.example.invalid' }],
    ['a member that is misspelt', { serve: { replica: 2 } }],
    ['no key file', { secretsKey: { secret: '' } }],
    ['a cluster of one', { postgres: { cluster: { instances: 1 } } }],
    ['no login for the cluster', { postgres: { cluster: { gatewayLogin: '' } } }],
    ['gateways that read without a standby', { read: { url: { secret: '' } } }],
    ['a standby that nobody marks', { standbys: { urls: { secret: '' } } }],
    ['neither cluster nor database', { postgres: { cluster: { enabled: false } } }],
  ])('with %s are refused', (_what, change) => {
    const values = change === defaults ? defaults : merged(defaults, example, change);
    expect(validate(values)).toBe(false);
  });
});
