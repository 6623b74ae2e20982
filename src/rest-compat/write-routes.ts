/** The routes of `/v2` that write: their common part, and the creations (contract 4). */

import { ACTIONS, type ActionName } from '../base/access/actions.ts';
import type { Named } from '../base/errors/violations.ts';
import { depositUri, hostedPage, qrImage } from '../base/pages/pay-links.ts';
import { type CreationChecks, checksOf } from '../resolvers/checks/check-creation.ts';
import {
  CHECKOUT_MEMBERS,
  OFFRAMP_MEMBERS,
  ONRAMP_MEMBERS,
  WITHDRAWAL_MEMBERS,
} from '../resolvers/checks/creation-members.ts';
import { type Attempt, once } from '../resolvers/checks/once.ts';
import { createOfframp, type OfframpInput } from '../resolvers/orders/create-offramp.ts';
import { createOnramp, type OnrampInput } from '../resolvers/orders/create-onramp.ts';
import { createWithdrawal, type WithdrawalInput } from '../resolvers/orders/create-withdrawal.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { EnvelopeWriter } from '../wire/envelope.ts';
import { CHECKOUTS, OFFRAMPS, ONRAMPS, WITHDRAWALS } from './families.ts';
import { type Body, type BodyShape, parseBody, parseQuery, type QueryPolicy } from './input.ts';
import { namesOf, shapeOf } from './members.ts';
import type { BodyNeeds, Route } from './route.ts';

/** A writing route. */
export interface WriteEntry {
  readonly path: Route['path'];
  readonly action: ActionName;
  /** See `Route`. */
  readonly otherAction?: ActionName;
  readonly summary: string;
  readonly status: 200 | 201;
  /** See `Route`. */
  readonly heldStatus?: 202;
  readonly shape: BodyShape;
  readonly needs: BodyNeeds;
  readonly answer: Route['answer'];
  /** Members of the response in addition to those of the envelope. */
  readonly perform: (context: Context, attempt: Attempt, request: WriteRequest) => Promise<ProcessRow>;
  readonly extras?: (context: Context, row: ProcessRow) => Readonly<Record<string, string>>;
}

/** The input of such a route. */
export interface WriteRequest {
  readonly id: string;
  readonly body: Body;
  readonly checks: CreationChecks;
}

/** @returns the routes of the creations. `writer` returns the published body of a transaction. */
export function creationRoutes(writer: EnvelopeWriter, policy: QueryPolicy): readonly Route[] {
  return CREATIONS.map((entry) => writeRoute(entry, writer, policy));
}

/** @returns a route that reads the body, does the work once under the `Idempotency-Key`, and answers with the envelope and further members. */
export function writeRoute(entry: WriteEntry, writer: EnvelopeWriter, policy: QueryPolicy): Route {
  const { path, action, otherAction, summary, shape, needs, status, heldStatus, answer, extras } = entry;
  return {
    method: 'POST',
    path,
    action,
    ...(otherAction && { otherAction }),
    scope: ACTIONS[action].scope,
    summary,
    parameters: [],
    body: shape,
    needs,
    status,
    ...(heldStatus && { heldStatus }),
    answer,
    handle: async (context, { id, search, body: text, idempotencyKey }) => {
      const checks = checksOf(context);
      const query = parseQuery(search, [], policy, checks);
      const body = parseBody(text, shape, checks);
      const request = {
        key: idempotencyKey,
        parameter: 'Idempotency-Key',
        route: `POST ${path} ${id}`,
        body: text,
      };
      const done = await once(context, request, async (attempt) => {
        const row = await entry.perform(context, attempt, { id, body, checks });
        const isHeld = row.process?.approval !== undefined;
        return {
          status: (isHeld && heldStatus) || status,
          answer: withExtras(writer.envelope(row), extras?.(context, row)),
        };
      });
      const headers = done.isReplayed ? { 'idempotent-replayed': 'true' } : {};
      return {
        status: done.status,
        body: done.answer,
        ignored: query.ignored,
        headers,
      };
    },
  };
}

function withExtras(envelope: string, extras: Readonly<Record<string, string>> | undefined): string {
  if (!extras) return envelope;
  const members = Object.entries(extras).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  return `${envelope.slice(0, -1)}${members.join('')}}`;
}

const CHECKOUT_NAMES = namesOf(CHECKOUT_MEMBERS);
const ONRAMP_NAMES = namesOf(ONRAMP_MEMBERS);
const OFFRAMP_NAMES = namesOf(OFFRAMP_MEMBERS);
const WITHDRAWAL_NAMES = namesOf(WITHDRAWAL_MEMBERS);

/** The members of a body under the names that resolvers use. */
function inputOf<Input>(body: Body, names: Readonly<Record<string, string>>): Input {
  return Object.fromEntries(
    Object.entries(names).map(([name, member]): [string, Named | undefined] => [name, body.get(member)]),
  ) as Input;
}

const CREATIONS: readonly WriteEntry[] = [
  {
    path: `/v2/${CHECKOUTS.single}`,
    action: 'checkout.create',
    summary: 'Creates a checkout session and its hosted payment link',
    status: 201,
    shape: shapeOf(CHECKOUT_MEMBERS),
    needs: {
      all: ['currency_exit_received_code'],
      atMostOneOf: ['amount_payment', 'amount_received'],
      shown: ['client_name', 'client_tax_id'],
    },
    answer: { kind: 'created', family: CHECKOUTS, extras: ['payment_link'] },
    perform: (context, attempt, { body, checks }) =>
      createOnramp(context, attempt, inputOf<OnrampInput>(body, CHECKOUT_NAMES), checks, {
        family: 'checkouts',
        names: ONRAMP_NAMES,
        isAccepted: true,
        needsCustomer: false,
        needsAmount: false,
      }),
    extras: (context, row) => ({ payment_link: hostedPage(context, row) }),
  },
  {
    path: `/v2/${ONRAMPS.single}`,
    action: 'onramp.create',
    summary: 'Creates an onramp, to the balance or to a wallet, with its PIX code',
    status: 201,
    shape: shapeOf(ONRAMP_MEMBERS),
    needs: {
      all: ['currency_exit_received_code', 'client_name', 'client_tax_id'],
      oneOf: ['amount_payment', 'amount_received'],
    },
    answer: { kind: 'created', family: ONRAMPS, extras: ['pix_copy_paste', 'pix_qr_svg_url'] },
    perform: (context, attempt, { body, checks }) =>
      createOnramp(context, attempt, inputOf<OnrampInput>(body, ONRAMP_NAMES), checks, {
        family: 'onramps',
        names: ONRAMP_NAMES,
        isAccepted: true,
        needsCustomer: true,
        needsAmount: true,
      }),
    extras: (context, row) => ({
      pix_copy_paste: row.process?.brCode ?? '',
      pix_qr_svg_url: qrImage(context, row) ?? '',
    }),
  },
  {
    path: `/v2/${OFFRAMPS.single}`,
    action: 'offramp.create',
    otherAction: 'balance.pay_out',
    summary: 'Creates an offramp, from the balance or from a deposit',
    status: 201,
    shape: shapeOf(OFFRAMP_MEMBERS),
    needs: {
      all: ['currency_entry_paid_code', 'pix_key', 'pix_key_type', 'client_name', 'client_tax_id'],
      oneOf: ['amount_paid', 'amount_sent'],
    },
    answer: { kind: 'created', family: OFFRAMPS, extras: ['deposit_uri'], optional: ['deposit_uri'] },
    perform: (context, attempt, { body, checks }) =>
      createOfframp(context, attempt, inputOf<OfframpInput>(body, OFFRAMP_NAMES), checks, {
        names: OFFRAMP_NAMES,
        isAccepted: true,
        needsPayee: true,
      }),
    extras: (_context, row): Readonly<Record<string, string>> => {
      const uri = depositUri(row);
      return uri ? { deposit_uri: uri } : {};
    },
  },
  {
    path: `/v2/${WITHDRAWALS.single}`,
    action: 'withdrawal.create',
    summary: 'Creates a withdrawal to a whitelisted wallet or PIX key',
    status: 201,
    shape: shapeOf(WITHDRAWAL_MEMBERS),
    needs: { all: ['amount_received', 'currency_receive_code', 'group_id'] },
    answer: { kind: 'created', family: WITHDRAWALS, extras: [] },
    perform: (context, attempt, { body, checks }) =>
      createWithdrawal(
        context,
        attempt,
        inputOf<WithdrawalInput>(body, WITHDRAWAL_NAMES),
        checks,
        WITHDRAWAL_NAMES,
      ),
  },
];
