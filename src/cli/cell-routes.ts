/** Configuration of load balancers that send each request to its cell, by the same forms as `server/cell-of-request.ts` (docs/scaling.md). */
import { CODED_FORMS, FIRST_CELL_NAME } from '../base/ids/cell.ts';

/** Cells with the addresses of their gateways, `host:port`. */
export type CellAddresses = ReadonlyMap<string, readonly string[]>;

/** Parts of a request that name its cell. */
type Subject = 'path' | 'entrance' | 'bearer' | 'token' | 'session' | 'remembered';

/**
 * A form of a part: the code is its only group; a form without a group is of the first cell. Rules are in order of
 * precedence.
 */
interface Rule {
  readonly subject: Subject;
  /** The syntax is the one that PCRE and RE2 share, and matches the whole part. */
  readonly pattern: string;
}

const { apiKey, streamToken, exportLink, payerSession, slug, personToken } = CODED_FORMS;
const CODE = '([0-9a-z]{2})';
const NAME = '(first|[0-9a-z]{2})';
const TOKEN = '[0-9A-Za-z_-]';

const RULES: readonly Rule[] = [
  { subject: 'path', pattern: `/cells/${NAME}/.*` },
  { subject: 'path', pattern: `/console/link/${personToken.pattern}` },
  { subject: 'path', pattern: `/console/link/${TOKEN}+` },
  { subject: 'entrance', pattern: NAME },
  { subject: 'path', pattern: `/pay/l/${slug.pattern}(?:/.*)?` },
  { subject: 'path', pattern: `/pay/l/${TOKEN}{16}(?:/.*)?` },
  { subject: 'path', pattern: `/pay/${payerSession.pattern}(?:/.*)?` },
  { subject: 'path', pattern: `/pay/${TOKEN}{24}(?:/.*)?` },
  ...[apiKey, streamToken, payerSession].map(({ pattern }): Rule => ({ subject: 'bearer', pattern })),
  { subject: 'bearer', pattern: '[^ ]+' },
  ...[streamToken, exportLink, payerSession].map(({ pattern }): Rule => ({ subject: 'token', pattern })),
  { subject: 'token', pattern: '[^ ]+' },
  { subject: 'session', pattern: personToken.pattern },
  { subject: 'session', pattern: `${TOKEN}{43}` },
  { subject: 'remembered', pattern: NAME },
];

const BEARER = '[Bb][Ee][Aa][Rr][Ee][Rr] +';
const HEADING =
  'Made by crossramp cell routes: requests go to their cell (docs/scaling.md). Make it again when a cell is added.';

/** @returns an nginx configuration for its `http` block. @param listen - port of the listener, such as 8080. */
export function nginxRoutes(cells: CellAddresses, listen: string): string {
  const named = (pattern: string) =>
    pattern
      .replace(CODE, '(?<crossramp_code>[0-9a-z]{2})')
      .replace(NAME, '(?<crossramp_code>first|[0-9a-z]{2})');
  const line = (pattern: string, before = '', after = '') =>
    `  "~^${before}${named(pattern)}${after}$" ${named(pattern) === pattern ? FIRST_CELL_NAME : '$crossramp_code'};`;
  const map = (source: string, name: string, lines: readonly string[]) =>
    `map ${source} $crossramp_${name} {\n  default "";\n${lines.join('\n')}\n}`;
  const of = (...subjects: Subject[]) => RULES.filter(({ subject }) => subjects.includes(subject));
  // All parts of a request in one map, in order: the first one that names a cell counts.
  const path = of('path', 'entrance').map(({ subject, pattern }) =>
    subject === 'path' ? line(pattern, '', ' .*') : line(pattern, '/console(?:/[^ ]*)? '),
  );
  return `# ${HEADING}
${map('"$uri $arg_cell"', 'path', path)}
${map(
  '$http_authorization',
  'bearer',
  of('bearer').map(({ pattern }) => line(pattern, BEARER)),
)}
${map(
  '$arg_access_token',
  'token',
  of('token').map(({ pattern }) => line(pattern)),
)}
${map(
  '$http_cookie',
  'session',
  of('session').map(({ pattern }) => line(pattern, '(?:.*; *)?(?:__Host-)?session=', '(?:;.*)?')),
)}
${map(
  '$http_cookie',
  'remembered',
  of('remembered').map(({ pattern }) => line(pattern, '(?:.*; *)?cell=', '(?:;.*)?')),
)}
map ":$crossramp_path:$crossramp_bearer:$crossramp_token:$crossramp_session:$crossramp_remembered" $crossramp_cell {
  "~^:+(?<crossramp_first_said>[^:]+)" $crossramp_first_said;
  default ${FIRST_CELL_NAME};
}
map $crossramp_cell $crossramp_upstream {
${[...cells.keys()].map((name) => `  ${name} crossramp_${name};`).join('\n')}
  default crossramp_${firstOf(cells)};
}
${[...cells].map(([name, addresses]) => `upstream crossramp_${name} {\n${addresses.map((each) => `  server ${each};`).join('\n')}\n  keepalive 64;\n}`).join('\n')}
server {
  listen ${listen};
  location / {
    proxy_pass http://$crossramp_upstream;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    # Streams send a sign of life every 15 seconds.
    proxy_buffering off;
    proxy_read_timeout 75s;
  }
}
`;
}

const SAMPLES: Readonly<Record<Subject, string>> = {
  path: 'path',
  entrance: 'url_param(cell)',
  bearer: 'req.hdr(authorization)',
  token: 'url_param(access_token)',
  session: 'var(txn.crossramp_session)',
  remembered: 'req.cook(cell)',
};

/**
 * @returns an HAProxy configuration: a front end and a back end for each cell. @param listen - address of the listener,
 * such as :8080.
 */
export function haproxyRoutes(cells: CellAddresses, listen: string): string {
  const rules = RULES.map(({ subject, pattern }) => {
    const whole = `^${subject === 'bearer' ? BEARER : ''}${pattern}$`;
    const sample = SAMPLES[subject];
    const isCoded = pattern.includes(CODE) || pattern.includes(NAME);
    const value = isCoded ? `${sample},'regsub("${whole}","\\1")'` : `str(${FIRST_CELL_NAME})`;
    const where = subject === 'entrance' ? ' { path_reg ^/console(/.*)?$ }' : '';
    return `  http-request set-var(txn.crossramp_cell) ${value} if !{ var(txn.crossramp_cell) -m found }${where} { ${sample} -m reg '${whole}' }`;
  });
  const back = [...cells].map(
    ([name, addresses]) =>
      `backend crossramp_${name}\n${addresses.map((each, n) => `  server g${n + 1} ${each} check`).join('\n')}`,
  );
  return `# ${HEADING}
frontend crossramp
  mode http
  bind ${listen}
  option forwardfor
  timeout client 75s
  http-request set-var(txn.crossramp_session) req.cook(__Host-session) if { req.cook(__Host-session) -m found }
  http-request set-var(txn.crossramp_session) req.cook(session) if { req.cook(session) -m found }
${rules.join('\n')}
  use_backend crossramp_%[var(txn.crossramp_cell)] if { var(txn.crossramp_cell) -m str ${[...cells.keys()].join(' ')} }
  default_backend crossramp_${firstOf(cells)}

${back.map((text) => text.replace('\n', '\n  mode http\n  option httpchk GET /healthz\n  timeout connect 5s\n  timeout server 75s\n')).join('\n\n')}
`;
}

/** @returns a route configuration and clusters of Envoy, as YAML. */
export function envoyRoutes(cells: CellAddresses): string {
  const routes = RULES.flatMap((rule) => {
    const isCoded = rule.pattern.includes(CODE) || rule.pattern.includes(NAME);
    if (!isCoded) return [envoyRoute(rule, firstOf(cells))];
    return [...cells.keys()]
      .filter((name) => name !== FIRST_CELL_NAME || rule.pattern.includes(NAME))
      .map((name) =>
        envoyRoute({ ...rule, pattern: rule.pattern.replace(CODE, name).replace(NAME, name) }, name),
      );
  });
  const clusters = [...cells].map(
    ([name, addresses]) => `- name: crossramp_${name}
  type: STRICT_DNS
  load_assignment:
    cluster_name: crossramp_${name}
    endpoints:
    - lb_endpoints:
${addresses.map(endpointOf).join('\n')}`,
  );
  return `# ${HEADING}
route_config:
  name: crossramp
  virtual_hosts:
  - name: crossramp
    domains: ["*"]
    routes:
${routes.join('\n')}
    - match: { prefix: "/" }
      route: { cluster: crossramp_${firstOf(cells)}, timeout: 0s }
clusters:
${clusters.join('\n')}
`;
}

function envoyRoute({ subject, pattern }: Rule, name: string): string {
  const regex = (text: string) => `safe_regex: { regex: '${text}' }`;
  const any = 'prefix: "/"';
  const header = (header: string, text: string) =>
    `{ ${any}, headers: [{ name: ${header}, string_match: { ${regex(text)} } }] }`;
  const query = (parameter: string, before: string) =>
    `{ ${before}, query_parameters: [{ name: ${parameter}, string_match: { ${regex(pattern)} } }] }`;
  const matches: Readonly<Record<Subject, () => string>> = {
    path: () => `{ ${regex(pattern)} }`,
    entrance: () => query('cell', 'prefix: "/console"'),
    bearer: () => header('authorization', `${BEARER}${pattern}`),
    token: () => query('access_token', any),
    session: () => header('cookie', `(?:.*; *)?(?:__Host-)?session=${pattern}(?:;.*)?`),
    remembered: () => header('cookie', `(?:.*; *)?cell=${pattern}(?:;.*)?`),
  };
  return `    - match: ${matches[subject]()}\n      route: { cluster: crossramp_${name}, timeout: 0s }`;
}

function endpointOf(address: string): string {
  const at = address.lastIndexOf(':');
  return `      - endpoint: { address: { socket_address: { address: "${address.slice(0, at)}", port_value: ${address.slice(at + 1)} } } }`;
}

/** @returns the cell of requests that name no cell. */
function firstOf(cells: CellAddresses): string {
  return cells.has(FIRST_CELL_NAME) ? FIRST_CELL_NAME : ([...cells.keys()][0] ?? FIRST_CELL_NAME);
}
