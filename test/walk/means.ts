/** What a walk needs besides a key, by the mutations of the gateway. */
import type { Client } from './client.ts';
import type { Destination, Means } from './walker.ts';

/**
 * @param second - another key of the account; without one nothing can be approved.
 * @param platform - a key of the operator; without one the clock stands still and nothing held is decided.
 * @returns the means that the gateway has.
 */
export async function meansOf(client: Client, second?: Client, platform?: Client): Promise<Means> {
  const mutations = await client.mutations();
  const has = (...names: readonly string[]) => names.every((name) => mutations.has(name));
  return {
    ...(second && { second }),
    ...(platform && { platform }),
    ...(has('updateAccountSettings', 'createWhitelistGroup', 'addWhitelistEntry') && {
      whitelist: (entries) => whitelist(client, entries),
    }),
    ...(has('updateAccountSettings') && {
      approveAbove: async (amount) => {
        await client.mutate('updateAccountSettings', { approvalAbove: amount });
      },
    }),
  };
}

/** Entries of this group can be used at once; the cooling time of the account is as before afterwards. */
async function whitelist(client: Client, entries: readonly Destination[]): Promise<string> {
  const { viewer } = await client.graphql(
    '{ viewer { account { accountSettings { whitelistCoolingSeconds } } } }',
  );
  const before = Number(viewer.account.accountSettings.whitelistCoolingSeconds);
  const cool = (whitelistCoolingSeconds: number) =>
    client.mutate('updateAccountSettings', { whitelistCoolingSeconds });
  if (before > 0) await cool(0);
  const { whitelistGroup } = await client.mutate(
    'createWhitelistGroup',
    { name: 'Walk' },
    'whitelistGroup { id: groupId }',
  );
  for (const target of entries)
    await client.mutate('addWhitelistEntry', { groupId: whitelistGroup.id, target });
  if (before > 0) await cool(before);
  return whitelistGroup.id;
}
