/** Pausing transfers on a network by hand. */
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { REFERENCE_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import {
  pausedNetworks,
  pauseNetwork,
  resumeNetwork,
  type Sending,
} from '../resolvers/rails/pause-network.ts';
import { actorNameField } from './actor-name.ts';
import type { Builder } from './builder.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

const NETWORK = 'The network, such as `ETH`; `PIX` for payouts and returns by PIX.';

/** Defines `Query.pausedNetworks`, `pauseNetwork` and `resumeNetwork`. */
export function defineNetworks(builder: Builder): void {
  const sending = builder.objectRef<Sending>('NetworkSending').implement({
    description: 'Whether transfers are sent on a network.',
    fields: (t) => ({
      network: t.exposeString('network', { description: NETWORK }),
      pausedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time since which nothing new is sent; null while sending is not paused.',
        resolve: ({ pausedAt }) => pausedAt && isoOf(pausedAt),
      }),
      pausedBy: t.exposeString('pausedBy', {
        nullable: true,
        description: 'Person who paused it; null while sending is not paused.',
      }),
      pausedByName: t.field(actorNameField<Sending>(({ pausedBy }) => pausedBy)),
      reason: t.exposeString('reason', {
        nullable: true,
        description: 'Reason of the pause; null while sending is not paused.',
      }),
    }),
  });
  builder.queryField('pausedNetworks', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [sending],
      description:
        'Networks of your mode on which sending is paused, in the order of pausing. Needs a scope of the platform.',
      resolve: async (_root, _args, context) => [...(await pausedNetworks(context))],
    }),
  );
  defineMutation(builder, 'pauseNetwork', {
    result: ['sending', sending],
    description:
      'Pauses sending on a network: new transfers wait, and deposits are not swept; transfers that are already signed, and orders that the PIX provider has, are still followed to their end. If it is paused already, the reason is replaced. Needs the scope `platform:risk`.',
    input: (t) => ({
      network: t.string({ required: true, description: NETWORK }),
      reason: t.string({
        required: true,
        description: `Reason, 1 to ${REFERENCE_LENGTH_MAX} characters.`,
      }),
    }),
    resolve: ({ network, reason }, context) =>
      pauseNetwork(
        context,
        { name: 'input.network', value: network },
        { name: 'input.reason', value: reason },
        checksOf(context),
      ),
  });
  defineMutation(builder, 'resumeNetwork', {
    result: ['sending', sending],
    description:
      'Resumes sending on a network. If it is not paused, nothing changes. Needs the scope `platform:risk`.',
    input: (t) => ({ network: t.string({ required: true, description: NETWORK }) }),
    resolve: ({ network }, context) => resumeNetwork(context, { name: 'input.network', value: network }),
  });
}
