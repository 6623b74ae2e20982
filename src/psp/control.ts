/**
 * The control server, which plays the world around the PSP, and also serves the locations of codes. For a sandbox only:
 * plain HTTP on this machine, without authentication.
 */
import type { RequestListener } from 'node:http';
import { newEndToEndId } from '../base/pix/end-to-end-id.ts';
import { parseInstant } from '../base/time/instant.ts';
import { concludeCharge, findCharge, getPayload } from './charges.ts';
import { isoOf } from './clock.ts';
import { FAULT_TARGETS, FAULTS, type FaultName, type FaultPlan, type FaultRule } from './faults.ts';
import {
  type Answer,
  type PspRequest,
  type Route,
  readJson,
  route,
  routeOf,
  send,
  sendError,
} from './http.ts';
import { type InfractionRow, setInfraction } from './infractions.ts';
import { type Body, isAmount, objectOf, type PspParts, textOf } from './parts.ts';
import { endPayout, getBalance, payoutNamed, returnPayout } from './payouts.ts';
import { addPlan, PLANNED_ORDERS, type PlanFacts, type PlannedOrder } from './plans.ts';
import { Refused } from './problem.ts';
import { endRefund, findPix, receivePix, refundNamed, reportPix } from './received.ts';

const KINDS: readonly InfractionRow['kind'][] = ['INFRACAO', 'DISPUTA'];
const STATUSES: readonly InfractionRow['status'][] = [
  'ABERTA',
  'EM_DEFESA',
  'ACEITA',
  'REJEITADA',
  'CANCELADA',
];
const TIMES_MAX = 100;

/** @returns the listener of the control server. */
export function controlListener(parts: PspParts): RequestListener {
  const routes = routesOf(parts);
  return (request, response) => {
    const answer = async () => {
      // Any web page in a browser on this machine could send requests here; browsers mark these with the header
      // `origin`.
      if (request.headers.origin !== undefined)
        throw new Refused(403, { error: 'not for browsers' }, 'application/json');
      const { route: found, named, query } = routeOf(routes, request);
      const body = await readJson(request);
      const { status, body: supplied } = await found.answer({ named, query, headers: request.headers, body });
      send(response, status, supplied, 'application/json');
    };
    answer().catch((error: unknown) => sendError(response, error));
  };
}

function routesOf(parts: PspParts): readonly Route[] {
  const ok = (body: object): Answer => ({ status: 200, body });
  const control = (method: string, path: string, work: (request: PspRequest) => ControlResult): Route =>
    route(method, path, {}, async (request) => {
      const { callbacks, ...result } = parts.store.atOnce(() => work(request));
      parts.wake();
      // The response waits until the gateway has the callback, unless the caller sets `wait` to false.
      const areReported = request.body.wait === false || (await parts.callbacks.answered(callbacks));
      return ok({ ...result, callbacks: callbacks.length, isTold: areReported });
    });
  return [
    route('GET', '/qr/v2/:token', {}, ({ named }) => ok(getPayload(parts, named[0] as string))),
    route('GET', '/clock', {}, () => ok(clockOf(parts))),
    route('POST', '/clock', {}, ({ body }) => ok(setClock(parts, body))),
    route('GET', '/faults', {}, () => ok(parts.faults.plan)),
    route('PUT', '/faults', {}, ({ body }) => {
      parts.faults.set(faultPlanOf(body));
      return ok(parts.faults.plan);
    }),
    route('GET', '/books', {}, () => ok(booksOf(parts))),
    route('PUT', '/directory/:key', {}, ({ named, body }) => ok(setOwner(parts, named[0] as string, body))),
    route('POST', '/plans', {}, ({ body }) => ok(plan(parts, body))),
    control('POST', '/pay', ({ body }) => pay(parts, body)),
    control('POST', '/payouts/:name/:end', ({ named, body }) => endOfPayout(parts, named, body)),
    control('POST', '/refunds/:id/:end', ({ named, body }) => endOfRefund(parts, named, body)),
    control('PUT', '/infractions/:id', ({ named, body }) => infraction(parts, named[0] as string, body)),
  ];
}

/** A result, and the ids of the callbacks that report it. */
interface ControlResult {
  readonly callbacks: readonly number[];
  readonly [member: string]: unknown;
}

function clockOf({ clock }: PspParts): object {
  return { now: isoOf(clock.now()), aheadMs: clock.aheadMs };
}

function setClock(parts: PspParts, { aheadMs, advanceMs }: Body): object {
  const { clock } = parts;
  const ahead = aheadMs ?? (typeof advanceMs === 'number' ? clock.aheadMs + advanceMs : undefined);
  if (typeof ahead !== 'number' || !Number.isSafeInteger(ahead) || ahead < 0)
    throw wrong('aheadMs', 'a number of milliseconds, or advanceMs');
  clock.setAhead(ahead);
  parts.wake();
  return clockOf(parts);
}

/**
 * Pays a charge or a key, or reports an earlier PIX again. Codes can be paid late, twice, with other amounts, and after
 * they were cancelled.
 */
function pay(parts: PspParts, body: Body): ControlResult {
  const { clock, holder } = parts;
  const txid = textOf(body.txid);
  const charge = txid === null ? undefined : findCharge(parts, txid);
  if (txid !== null && !charge) throw missing(`there is no charge ${txid}`);
  const amount = body.amount ?? charge?.amount;
  if (!isAmount(amount)) throw wrong('amount', 'an amount such as 10.00');
  const key = charge?.key ?? textOf(body.key) ?? String(holder.keys[0]);
  const settled = textOf(body.settledAt);
  const at = settled === null ? new Date(clock.now()) : parseInstant(settled);
  if (!at) throw wrong('settledAt', 'an instant such as 2026-05-01T12:00:00Z');
  const times = Number(body.times ?? 1);
  if (!Number.isInteger(times) || times < 1 || times > TIMES_MAX)
    throw wrong('times', `a number from 1 to ${TIMES_MAX}`);
  const supplied = textOf(body.endToEndId);
  const before = supplied === null ? undefined : findPix(parts, supplied);
  if (before) return { endToEndIds: [before.endToEndId], callbacks: reportPix(parts, before) };
  const ids = Array.from({ length: times }, (_, index) =>
    index === 0 && supplied !== null ? supplied : newEndToEndId({ ispb: holder.ispb, at }),
  );
  const callbacks = ids.flatMap((endToEndId) => {
    if (txid !== null) concludeCharge(parts, txid);
    return receivePix(parts, {
      endToEndId,
      txid: charge ? txid : null,
      key,
      amount,
      settledMs: at.getTime(),
      payerTaxId: textOf(body.payerTaxId),
      payerName: textOf(body.payerName),
      info: textOf(body.info),
    });
  });
  return { endToEndIds: ids, callbacks };
}

/** Ends a payout by `settle`, `fail` or `return`. */
function endOfPayout(parts: PspParts, [name = '', end]: readonly string[], body: Body): ControlResult {
  const row = payoutNamed(parts, name);
  if (!row) throw missing(`there is no payout ${name}`);
  const reason = textOf(body.reason) ?? undefined;
  if (end === 'settle' || end === 'fail')
    return { callbacks: endPayout(parts, row, end === 'settle', reason) };
  if (end !== 'return') throw missing('a payout can settle, fail or return');
  const { amount, returnId } = body;
  if (amount !== undefined && !isAmount(amount)) throw wrong('amount', 'an amount such as 10.00');
  return returnPayout(parts, row, {
    ...(amount !== undefined && { amount }),
    ...(typeof returnId === 'string' && { returnId }),
  });
}

function endOfRefund(parts: PspParts, [id = '', end]: readonly string[], body: Body): ControlResult {
  const row = refundNamed(parts, id);
  if (!row) throw missing(`there is no refund ${id}`);
  if (end !== 'settle' && end !== 'fail') throw missing('a refund can settle or fail');
  return { callbacks: endRefund(parts, row, end === 'settle', textOf(body.reason) ?? undefined) };
}

function infraction(parts: PspParts, id: string, body: Body): ControlResult {
  const kind = KINDS.find((each) => each === body.kind);
  const status = STATUSES.find((each) => each === body.status);
  if (!kind) throw wrong('kind', KINDS.join(' or '));
  if (!status) throw wrong('status', STATUSES.join(', '));
  if (typeof body.endToEndId !== 'string') throw wrong('endToEndId', 'the EndToEndId of a PIX');
  if (body.amount !== undefined && !isAmount(body.amount)) throw wrong('amount', 'an amount such as 10.00');
  const { endToEndId } = body;
  const [amount, reason, due] = [textOf(body.amount), textOf(body.reason), textOf(body.dueAt)];
  const dueAt = due === null ? null : parseInstant(due);
  if (dueAt === undefined) throw wrong('dueAt', 'an instant such as 2026-05-01T12:00:00Z');
  return {
    callbacks: setInfraction(parts, {
      id,
      endToEndId,
      kind,
      status,
      amount,
      reason,
      atMs: parts.clock.now(),
      dueMs: dueAt?.getTime() ?? null,
    }),
  };
}

function setOwner({ store }: PspParts, key: string, { taxId, name }: Body): object {
  if (typeof taxId !== 'string' || !/^(?:\d{11}|[0-9A-Z]{14})$/.test(taxId))
    throw wrong('taxId', 'a CPF or CNPJ');
  store.run(
    'insert into directory values (?, ?, ?) on conflict do update set tax_id = excluded.tax_id, name = excluded.name',
    key,
    taxId,
    textOf(name) ?? 'Titular da chave',
  );
  return { key, taxId };
}

function plan({ store }: PspParts, { act: control, facts, reason }: Body): object {
  if (!PLANNED_ORDERS.includes(control as PlannedOrder)) throw wrong('act', PLANNED_ORDERS.join(', '));
  const known = objectOf(facts);
  if (!Object.values(known).every((value) => typeof value === 'string'))
    throw wrong('facts', 'texts by name');
  return { id: addPlan(store, control as PlannedOrder, known as PlanFacts, textOf(reason)) };
}

function faultPlanOf({ seed = 1, rules }: Body): FaultPlan {
  if (!Number.isSafeInteger(seed)) throw wrong('seed', 'a whole number');
  if (!Array.isArray(rules)) throw wrong('rules', 'a list');
  return { seed: seed as number, rules: rules.map(ruleOf) };
}

function ruleOf(rule: unknown): FaultRule {
  const { on = 'any', fault, rate = 1, ms = 0 } = objectOf(rule);
  const targets: readonly unknown[] = ['any', ...FAULT_TARGETS];
  if (!targets.includes(on)) throw wrong('rules.on', targets.join(', '));
  if (typeof fault !== 'string' || !Object.hasOwn(FAULTS, fault))
    throw wrong('rules.fault', Object.keys(FAULTS).join(', '));
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1))
    throw wrong('rules.rate', 'a number from 0 to 1');
  if (typeof ms !== 'number' || !(ms >= 0)) throw wrong('rules.ms', 'a number of milliseconds');
  return { on: on as FaultRule['on'], fault: fault as FaultName, rate, ms };
}

/** @returns all movements of money, for comparison with another party's records. */
function booksOf(parts: PspParts): object {
  const { store, faults } = parts;
  return {
    ...getBalance(parts),
    received: store.all('select end_to_end_id as "endToEndId", txid, amount from pix order by end_to_end_id'),
    refunds: store.all(
      'select id, end_to_end_id as "endToEndId", amount, status from refund order by end_to_end_id, id',
    ),
    payouts: store.all('select id, end_to_end_id as "endToEndId", amount, status from payout order by id'),
    disputes: store.all(
      'select infraction_id as id, return_id as "returnId", end_to_end_id as "endToEndId", amount from med_return order by infraction_id',
    ),
    returns: store.all(
      'select return_id as "returnId", payout_id as id, amount from payout_return where due_ms is null order by return_id',
    ),
    defences: store.all(
      'select infraction_id as "infractionId", id, analysis, reason, files from defence order by infraction_id',
    ),
    faults: faults.counts(),
    callbacks: store.one(
      `select count(*) as total, count(due_ms) as open, coalesce(sum(answer = 'lost'), 0) as lost,
         coalesce(sum(answer like 'stranger: %'), 0) as strangers,
         coalesce(sum(answer like 'stranger: 2%'), 0) as "strangersTaken" from callback`,
    ),
  };
}

function wrong(member: string, form: string): Refused {
  return new Refused(400, { error: `${member} must be ${form}` }, 'application/json');
}

function missing(what: string): Refused {
  return new Refused(404, { error: what }, 'application/json');
}
