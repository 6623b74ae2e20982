/** Settings are read under the names of docs/operations.md, and under former ones. */
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

it('NOTIFY_URL is read, or DOORBELL_URL, its former name, if it is not set', () => {
  const [redis, other] = ['redis://127.0.0.1:6379', 'postgres://127.0.0.1/other'];
  expect(readConfig({ NOTIFY_URL: redis, DOORBELL_URL: other }).notifyUrl).toBe(redis);
  expect(readConfig({ DOORBELL_URL: redis, DATABASE_URL: other }).notifyUrl).toBe(redis);
  expect(readConfig({ DATABASE_URL: other }).notifyUrl).toBe(other);
  expect(() => readConfig({ NOTIFY_URL: 'amqp://127.0.0.1' })).toThrow('NOTIFY_URL: expected postgres://');
});

it('RECONCILE_AT is a time of day in Brasília, or off', () => {
  expect(readConfig({}).reconcileAtMs).toBe(3 * 3_600_000);
  expect(readConfig({ RECONCILE_AT: '00:30' }).reconcileAtMs).toBe(1_800_000);
  expect(readConfig({ RECONCILE_AT: 'off' }).reconcileAtMs).toBeNull();
  expect(() => readConfig({ RECONCILE_AT: '24:00' })).toThrow(
    'RECONCILE_AT: expected off, or a time such as',
  );
});

it.each([
  ['a password', 'postgres://someone:a%ff@127.0.0.1/crossramp'],
  ['a password in Latin-1', 'postgres://someone:a%e7@127.0.0.1/crossramp'],
  ['a user', 'postgres://a%ff:secret@127.0.0.1/crossramp'],
  ['a database', 'postgres://someone:secret@127.0.0.1/a%ff'],
])('a database URL with %s that is not UTF-8 is refused by its name', (_what, url) => {
  const expected = 'expected postgres://';
  expect(() => readConfig({ DATABASE_URL: url })).toThrow(`DATABASE_URL: ${expected}`);
  expect(() => readConfig({ NOTIFY_URL: url })).toThrow(`NOTIFY_URL: ${expected}`);
});

it.each([
  'redis://:a%ff@127.0.0.1',
  'redis://a%ff:secret@127.0.0.1',
  'redis://127.0.0.1/name',
])('NOTIFY_URL %s, which cannot be connected to, is refused by its name', (url) => {
  expect(() => readConfig({ NOTIFY_URL: url })).toThrow('NOTIFY_URL: expected postgres://');
});

it.each([
  'postgres://someone:a%C3%A7%40@127.0.0.1/crossramp',
  'postgres://someone:50%off@127.0.0.1/crossramp',
])('%s is taken', (url) => {
  expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
});

it('a Redis database is named by its number', () => {
  const url = 'redis://:a%C3%A7@127.0.0.1:6379/2';
  expect(readConfig({ NOTIFY_URL: url }).notifyUrl).toBe(url);
});

it('traces go to the configured OpenTelemetry collector, or nowhere', () => {
  const url = 'http://127.0.0.1:4318';
  expect(readConfig({}).tracing).toBeNull();
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: 'true' }).tracing).toBeNull();
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/` }).tracing).toEqual({
    url: `${url}/v1/traces`,
    headers: {},
    serviceName: 'crossramp-gateway',
    sampling: { heedsParent: true, ratio: 0.1 },
  });
  const whole = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/spans` };
  expect(readConfig(whole).tracing?.url).toBe(`${url}/spans`);
});

it.each([
  ['parentbased_always_on', true, 1],
  ['parentbased_always_off', true, 0],
  ['parentbased_traceidratio', true, 0.05],
  ['always_on', false, 1],
  ['always_off', false, 0],
  ['traceidratio', false, 0.05],
])('OTEL_TRACES_SAMPLER=%s heeds the parent: %s, and keeps the share %s', (sampler, heedsParent, ratio) => {
  const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.05' };
  const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', ...env });
  expect(tracing?.sampling).toEqual({ heedsParent, ratio });
});

it.each([
  ['a tenth without any setting', {}, 0.1],
  ['the share of an argument alone', { OTEL_TRACES_SAMPLER_ARG: '0.5' }, 0.5],
  [
    'all with a named sampler and no argument, as OpenTelemetry says',
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' },
    1,
  ],
  ['all with traceidratio and no argument', { OTEL_TRACES_SAMPLER: 'traceidratio' }, 1],
])('records of traces %s', (_title, env, ratio) => {
  const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', ...env });
  expect(tracing?.sampling.ratio).toBe(ratio);
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'an http or https URL'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'grpc://collector', 'an http or https URL'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant', 'name=value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=%ff', 'name=value'],
  ['OTEL_TRACES_SAMPLER', 'sometimes', 'parentbased_traceidratio or'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a share from 0 to 1'],
])('%s=%s is refused by its name', (name, value, expected) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name}: expected ${expected}`);
});

it('SMTP_URL and MAIL_FROM are both there, or none; a file may hold the URL', () => {
  const [SMTP_URL, MAIL_FROM] = ['smtps://user:a%40b@mail.invalid', 'Shop <gateway@shop.invalid>'];
  expect(readConfig({}).mail).toBeNull();
  expect(readConfig({ SMTP_URL, MAIL_FROM }).mail).toEqual({ url: SMTP_URL, from: MAIL_FROM });
  expect(() => readConfig({ SMTP_URL })).toThrow('MAIL_FROM: expected both, or none');
  expect(() => readConfig({ MAIL_FROM })).toThrow('MAIL_FROM: expected both, or none');
  expect(() => readConfig({ SMTP_URL_FILE: '/nowhere.invalid', MAIL_FROM })).toThrow(
    'SMTP_URL_FILE: cannot read',
  );
});

it.each([
  'https://mail.invalid',
  'smtp://',
  'smtp://user:hidden%ff@mail.invalid',
  'smtp://mail.invalid/path',
  'smtp://mail.invalid?pool=true',
])('SMTP_URL %s is refused, and not shown', (SMTP_URL) => {
  const read = () => readConfig({ SMTP_URL, MAIL_FROM: 'gateway@shop.invalid' });
  expect(read).toThrow('SMTP_URL: expected smtp://user:password@host:587');
  expect(read).not.toThrow('hidden');
});

it.each([
  'nobody',
  'a@b.invalid, c@d.invalid',
  'Shop <gateway@shop.invalid>\r\nBcc: x@y.invalid',
  '<gateway@shop.invalid',
])('MAIL_FROM %j is refused', (MAIL_FROM) => {
  expect(() => readConfig({ SMTP_URL: 'smtp://mail.invalid', MAIL_FROM })).toThrow(
    'MAIL_FROM: expected an address',
  );
});

it('REPLICA_URLS are standbys of DATABASE_URL, each one host', () => {
  const [primary, one, two] = ['postgres://db1/x', 'postgres://a:b%2Cc@db2:5433/x', 'postgres://db3/x'];
  expect(readConfig({}).replicaUrls).toEqual([]);
  const read = (REPLICA_URLS: string, DATABASE_URL?: string) => readConfig({ DATABASE_URL, REPLICA_URLS });
  expect(read(`${one}, ${two}`, primary).replicaUrls).toEqual([one, two]);
  for (const [text, url] of [
    [one, undefined],
    ['db2:5432', primary],
    ['postgres://db2,db3/x', primary],
  ] as const)
    expect(() => read(text, url)).toThrow('REPLICA_URLS: expected with DATABASE_URL');
});

it('ROLE=read uses one standby, and has no sandbox', () => {
  const read = { ROLE: 'read', DATABASE_URL: 'postgres://db2/x' };
  expect(readConfig(read)).toMatchObject({ role: 'read', hasSandbox: false, graphiql: false });
  for (const other of [{ DATABASE_URL: '' }, { DATABASE_URL: 'postgres://a,b/x' }, { SANDBOX: '1' }])
    expect(() => readConfig({ ...read, ...other })).toThrow('ROLE: read expects DATABASE_URL with one host');
});
