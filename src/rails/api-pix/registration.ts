/** The address of callbacks at the provider: compared, and set where it is another one. */
import type { ApiPix } from './client.ts';

/** @returns whether it had to be set. @throws {PspAway} {PspProblem} */
export async function registerCallback(api: ApiPix, url: string): Promise<boolean> {
  if ((await api.getWebhook()) === url) return false;
  await api.putWebhook(url);
  return true;
}
