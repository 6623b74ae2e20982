/** Routes of `/v2` that change a transaction (contract 4). */
import type { ActionName } from '../base/access/actions.ts';
import { invalidParameters } from '../base/errors/errors.ts';
import type { Named } from '../base/errors/violations.ts';
import { PIX_KEY_TYPES } from '../base/pix/pix-key.ts';
import { parseInstant } from '../base/time/instant.ts';
import type { CreationChecks } from '../resolvers/checks/check-creation.ts';
import type { Target } from '../resolvers/engine/advance-for-caller.ts';
import {
  approveMoneyOut,
  approveWithdrawal,
  rejectMoneyOut,
  rejectWithdrawal,
} from '../resolvers/orders/approve-money-out.ts';
import { refundPayment } from '../resolvers/orders/refund-payment.ts';
import {
  cancelTransaction,
  confirmIdentity,
  provideIdentity,
  resolveDeposit,
} from '../resolvers/orders/transaction-actions.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { EnvelopeWriter } from '../wire/envelope.ts';
import { CHECKOUTS, FAMILIES, OFFRAMPS, ONRAMPS, type RestFamily, WITHDRAWALS } from './families.ts';
import type { BodyShape, QueryPolicy } from './input.ts';
import { amount, text } from './members.ts';
import type { Route } from './route.ts';
import { type WriteEntry, type WriteRequest, writeRoute } from './write-routes.ts';

/** An action on a transaction of a family. */
function actionRoute(
  family: RestFamily,
  name: string,
  action: ActionName,
  summary: string,
  perform: (context: Context, target: Target, request: WriteRequest) => Promise<ProcessRow>,
  {
    shape = {},
    needs = { all: [] },
    otherAction,
    heldStatus,
  }: Partial<Pick<WriteEntry, 'shape' | 'needs' | 'otherAction' | 'heldStatus'>> = {},
): WriteEntry {
  return {
    path: `/v2/${family.single}/{id}/${name}`,
    action,
    ...(otherAction && { otherAction }),
    summary,
    status: 200,
    ...(heldStatus && { heldStatus }),
    shape,
    needs,
    answer: { kind: 'transaction', family },
    perform: (context, attempt, request) => {
      // Use cases report missing members under other names.
      for (const member of needs.all) request.checks.required(request.body.get(member), member);
      request.checks.refuse();
      return perform(context, { end2end: request.id, family: family.family, attempt }, request);
    },
  };
}

const RESOLUTIONS = ['keep', 'refund', 'requote'] as const;
const RETURN_ADDRESS = text('Where the deposit goes back to. Default: the address that it came from.');

/** Members of a body that identifies a person: a paying customer, or a payee with their PIX key. */
const CUSTOMER = {
  client_name: text('Full name.', { example: 'Ana Souza' }),
  client_tax_id: text('CPF or CNPJ.', { example: '52998224725' }),
};
const PAYEE = {
  ...CUSTOMER,
  pix_key: text('PIX key of the payee.', { example: 'ana@example.com' }),
  pix_key_type: text('Type of the key.', { enum: PIX_KEY_TYPES, example: 'email' }),
};

const REQUESTED_AT = text(
  'Time of the request that you have read: a newer one is not approved. `actions` offers it.',
  {
    example: '2026-05-01T12:00:00Z',
  },
);

/** @returns the time of the approved request; undefined for any. */
function requestedAt(input: Named | undefined, checks: CreationChecks): Date | undefined {
  const time = input && parseInstant(input.value);
  if (input && !time)
    checks.add({ parameter: input.name, message: 'must be a time such as 2026-05-01T12:00:00Z' });
  checks.refuse();
  return time;
}

function identityRoute(family: RestFamily, members: BodyShape): WriteEntry {
  return actionRoute(
    family,
    'identity',
    'transaction.provide_identity',
    'Names the customer or payee of a transaction that waits for one',
    (context, target, { body, checks }) => {
      const members = {
        clientName: body.get('client_name'),
        clientTaxId: body.get('client_tax_id'),
        pixKey: body.get('pix_key'),
        pixKeyType: body.get('pix_key_type'),
      };
      return provideIdentity(context, target, members, checks);
    },
    {
      shape: members,
      needs: { all: Object.keys(members) },
      ...(family === OFFRAMPS && { otherAction: 'balance.pay_out' as const, heldStatus: 202 as const }),
    },
  );
}

const ON_TRANSACTIONS: readonly WriteEntry[] = [
  ...FAMILIES.map((family) =>
    actionRoute(
      family,
      'cancel',
      family === WITHDRAWALS ? 'withdrawal.cancel' : 'transaction.cancel',
      'Cancels a transaction before anything is paid or sent',
      (context, target) => cancelTransaction(context, target),
    ),
  ),
  actionRoute(
    OFFRAMPS,
    'refund',
    'deposit.resolve',
    'Sends a held deposit back on-chain',
    (context, target, { body, checks }) =>
      resolveDeposit(context, target, 'refund', body.get('address'), checks),
    { shape: { address: RETURN_ADDRESS }, heldStatus: 202 },
  ),
  actionRoute(
    OFFRAMPS,
    'resolve',
    'deposit.resolve',
    'Resolves a held deposit: keep it, refund it, or convert it at a new price',
    (context, target, { body, checks }) => {
      const resolution = RESOLUTIONS.find((each) => each === body.get('action')?.value);
      if (!resolution)
        throw invalidParameters([
          { parameter: 'action', message: `must be one of ${RESOLUTIONS.join(', ')}` },
        ]);
      return resolveDeposit(context, target, resolution, body.get('address'), checks);
    },
    {
      shape: {
        action: text('Resolution.', { enum: RESOLUTIONS, example: 'keep' }),
        address: RETURN_ADDRESS,
      },
      needs: { all: ['action'] },
      heldStatus: 202,
    },
  ),
  actionRoute(
    WITHDRAWALS,
    'approve',
    'withdrawal.approve',
    'Approves a withdrawal that waits for approval, with a second key',
    (context, target) => approveWithdrawal(context, target),
  ),
  actionRoute(
    WITHDRAWALS,
    'reject',
    'withdrawal.reject',
    'Rejects a withdrawal that waits for approval, and ends it',
    (context, target) => rejectWithdrawal(context, target),
  ),
  ...[CHECKOUTS, ONRAMPS, OFFRAMPS].flatMap((family) => [
    actionRoute(
      family,
      'approve',
      'money_out.approve',
      'Approves a refund or payout that waits for approval, with a second key',
      (context, target, { body, checks }) =>
        approveMoneyOut(context, target, requestedAt(body.get('requested_at'), checks)),
      { shape: { requested_at: REQUESTED_AT } },
    ),
    actionRoute(
      family,
      'reject',
      'money_out.reject',
      'Rejects a refund or payout that waits for approval',
      (context, target) => rejectMoneyOut(context, target),
    ),
  ]),
  ...[CHECKOUTS, ONRAMPS].flatMap((family) => [
    actionRoute(
      family,
      'refund',
      'payment.refund',
      'Refunds a finished payment to its payer, whole or in part, out of the balance',
      (context, target, { body, checks }) => refundPayment(context, target, body.get('amount'), checks),
      {
        shape: { amount: amount('BRL. Default: all that is left of the payment.', '40.00') },
        heldStatus: 202,
      },
    ),
    identityRoute(family, CUSTOMER),
  ]),
  identityRoute(OFFRAMPS, PAYEE),
  ...[CHECKOUTS, ONRAMPS].map((family) =>
    actionRoute(
      family,
      'confirm_identity',
      'transaction.confirm_identity',
      'Confirms the customer whom `identity` named',
      (context, target) => confirmIdentity(context, target),
    ),
  ),
];

/** @returns the required members of an action's body. */
export function requiredMembers(family: RestFamily, name: string): readonly string[] {
  const path = `/v2/${family.single}/{id}/${name}`;
  return ON_TRANSACTIONS.find((each) => each.path === path)?.needs.all ?? [];
}

/** @returns the routes of the actions. */
export function transactionActionRoutes(writer: EnvelopeWriter, policy: QueryPolicy): readonly Route[] {
  return ON_TRANSACTIONS.map((entry) => writeRoute(entry, writer, policy));
}
