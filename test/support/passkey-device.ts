/** A device that makes passkeys, and shows them when a page asks: Chromium's virtual authenticator. */
import type { Page } from 'playwright-core';

/** Gives the browser of a page such a device. */
export async function givePasskeyDevice(page: Page): Promise<void> {
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
