/**
 * Goal: `.env.example`, `deploy/` and the files of containers fit the gateway. Method: settings are read as the gateway reads them; the unit is
 * checked by systemd, the configuration of Prometheus by promtool, where the machine has them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../src/config.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const textOf = (path: string) => readFileSync(pathOf(path), 'utf8');
const EXAMPLE = new Map(
  [...textOf('.env.example').matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** Settings that stand beside those that they replace. */
const FILES_OF_SECRETS = ['OIDC_CLIENT_SECRET_FILE', 'SMTP_URL_FILE'];

test('.env.example names every setting that the documents explain, and no other', () => {
  const [, settings = ''] = textOf('docs/operations.md').split('## Settings');
  const table = settings.slice(0, settings.indexOf('\n## '));
  const names = [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map((match) => match[1]),
  );
  expect(names.length).toBeGreaterThan(40);
  expect([...EXAMPLE.keys()].filter((name) => !FILES_OF_SECRETS.includes(name)).toSorted()).toEqual(
    names.toSorted(),
  );
});

test('its values are the defaults', () => {
  expect(readConfig(Object.fromEntries(EXAMPLE))).toEqual(readConfig({}));
});

const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
test.runIf(promtool('--version').status === 0)(
  'Prometheus accepts its configuration and the alert rules',
  () => {
    const { status, stdout, stderr } = promtool(
      'check',
      'config',
      pathOf('deploy/prometheus/prometheus.yml'),
    );
    expect([status, stderr], stdout).toEqual([0, '']);
  },
);

describe('compose.yaml', () => {
  interface Service {
    readonly image: string;
    readonly command?: readonly string[];
    readonly environment?: Readonly<Record<string, unknown>>;
    readonly volumes?: readonly string[];
    readonly ports?: readonly string[];
    readonly read_only?: boolean;
    readonly cap_drop?: readonly string[];
  }
  const file = parse(textOf('compose.yaml'), { merge: true });
  const services = Object.entries<Service>(file.services);
  const ours = services.filter(([, { image }]) => image.startsWith('crossramp-gateway:'));
  const { version } = JSON.parse(textOf('package.json'));
  const withDefaults = (text: string) => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

  test('runs this version, with settings that there are', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'gateway', 'worker', 'reader']);
    for (const [, { image, environment = {} }] of ours) {
      expect(image).toBe(`crossramp-gateway:${version}`);
      expect(Object.keys(environment).filter((name) => !EXAMPLE.has(name))).toEqual([]);
      const plain = Object.entries(environment).map(([name, value]) => [name, withDefaults(String(value))]);
      expect(() => readConfig(Object.fromEntries(plain))).not.toThrow();
    }
  });

  test('lets the gateway write only its state folder, and other machines reach nothing', () => {
    for (const [, { read_only, cap_drop }] of ours) expect([read_only, cap_drop]).toEqual([true, ['ALL']]);
    const ports = services.flatMap(([, each]) => each.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  test('names versions of images, and files that are there', () => {
    for (const [, { image }] of services) expect(image).toMatch(/:v?\d/);
    const mounted = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .map((each) => each.split(':')[0] ?? '');
    const files = mounted.filter((each) => each.startsWith('./'));
    expect(files.length).toBe(3);
    for (const each of files) expect(existsSync(pathOf(each)), each).toBe(true);
    expect(mounted.filter((each) => !each.startsWith('./')).every((each) => each in file.volumes)).toBe(true);
  });

  test('passes the documented settings to the containers or to the build', () => {
    const [, todo = ''] = textOf('docs/containers.md').split('## Before real money');
    const names = new Set([...todo.matchAll(/`([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name));
    expect([...names].toSorted()).toEqual([
      'BASE_IMAGE',
      'DRAIN_DELAY',
      'GATEWAY_PASSWORD',
      'NODE_IMAGE',
      'OWNER_PASSWORD',
      'POSTGRES_PASSWORD',
      'PUBLIC_URL',
      'RAILS_FILE',
      'SANDBOX',
      'TRUSTED_PROXIES',
    ]);
    const passed = [...textOf('compose.yaml').matchAll(/\$\{(\w+):-/g)].map(([, name]) => name);
    expect([...names].filter((name) => !passed.includes(name))).toEqual(['DRAIN_DELAY']);
    for (const [name, { environment = {} }] of ours) {
      expect(environment.TRUSTED_PROXIES).toMatch(/^\$\{TRUSTED_PROXIES:-\}$/);
      // Migrating needs no rails, so no file of rails is mounted there.
      expect(environment.RAILS_FILE, name).toMatch(name === 'migrate' ? /^$/ : /^\$\{RAILS_FILE:-\}$/);
    }
    for (const [name, value] of Object.entries<string>(file['x-gateway'].build.args))
      expect(textOf('Dockerfile')).toContain(`ARG ${name}=${withDefaults(value)}\n`);
  });

  describe('check', () => {
    const { check, postgres } = file.services;
    const run = (env: Readonly<Record<string, string>>) => {
      const defaults = Object.entries<string>(check.environment).map(([name, value]) => [
        name,
        withDefaults(value),
      ]);
      const options = { encoding: 'utf8', env: { ...Object.fromEntries(defaults), ...env } } as const;
      const { status, stderr } = spawnSync('/bin/sh', [pathOf('deploy/compose/check.sh')], options);
      return [status, stderr.trim()];
    };
    const OWN = {
      POSTGRES_PASSWORD: 'q8TnV2xLr5KwZ0bY',
      OWNER_PASSWORD: 'Hs7Dk3PmW9cJ4eXa',
      GATEWAY_PASSWORD: 'Bf6Ry1NgT8uQz2Lv',
    };

    test('comes before everything else', () => {
      const isDone = { condition: 'service_completed_successfully' };
      expect(postgres.depends_on).toEqual({ check: isDone });
      expect(file.services.migrate.depends_on.postgres).toBeDefined();
      expect(file.services.gateway.depends_on.migrate).toEqual(isDone);
    });

    test('lets a sandbox start without settings, and live accounts with passwords of their own', () => {
      expect(run({})).toEqual([0, '']);
      expect(run({ ...OWN, SANDBOX: '0' })).toEqual([0, '']);
    });

    test.each(Object.keys(OWN))('refuses SANDBOX=0 without an own %s', (name) => {
      const { [name as 'OWNER_PASSWORD']: _left, ...rest } = OWN;
      const [status, said] = run({ ...rest, SANDBOX: '0' });
      expect([status, said]).toEqual([1, expect.stringContaining(`${name}: with SANDBOX=0 set your own`)]);
    });

    test.each([
      'p@ss',
      'a/b',
      'a:b',
      'a#b',
      'a%20b',
      "a'b",
      'ção',
      '',
    ])('refuses %j, which would break a URL', (wrong) => {
      for (const name of ['OWNER_PASSWORD', 'GATEWAY_PASSWORD'])
        expect(run({ [name]: wrong })).toEqual([1, expect.stringContaining(`${name}: expected letters`)]);
    });
  });
});

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const hasSystemd = analyze('--version').status === 0;

test.runIf(hasSystemd)(
  'the unit has no member that systemd does not know, and is closed to everything that it does not need',
  () => {
    const place = mkdtempSync(join(tmpdir(), 'crossramp-unit-'));
    try {
      const unit = join(place, 'crossramp-gateway.service');
      // The check asks for the program and for the file with the manual, which are where the package is installed.
      const text = textOf('deploy/systemd/crossramp-gateway.service')
        .replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true')
        .replace(/^Documentation=.*$/m, '');
      writeFileSync(unit, text);
      const { stdout, stderr } = analyze('verify', unit);
      expect(stdout + stderr).toBe('');
      const exposure = analyze('security', '--offline=true', unit).stdout;
      expect(Number(/exposure level[^:]*: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThan(2.5);
    } finally {
      rmSync(place, { recursive: true });
    }
  },
);
