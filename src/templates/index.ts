/** The templates of the service: a new one is a file of its own, plus an import and a line here. */
import { crossrampCheckout } from './crossramp_checkout.ts';
import { offramp } from './offramp.ts';
import { offrampInstant } from './offramp_instant.ts';
import { onramp } from './onramp.ts';
import { onrampInstant } from './onramp_instant.ts';
import { registryOf } from './registry.ts';
import { withdrawal } from './withdraw_dash_same_curr.ts';

/** All six templates. */
export const REGISTRY = registryOf([
  crossrampCheckout,
  onramp,
  onrampInstant,
  offramp,
  offrampInstant,
  withdrawal,
]);
