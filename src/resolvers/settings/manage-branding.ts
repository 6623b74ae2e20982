/** Changes the look of the account's hosted pages. Markup is refused, and nothing is loaded from other sites. */
import type { Named } from '../../base/errors/violations.ts';
import { contrastWithWhite, TEXT_CONTRAST_MIN } from '../../base/pages/contrast.ts';
import { stripMetadata } from '../../base/pages/picture.ts';
import {
  type Branding,
  type BrandingChange,
  changeBranding,
  type Logo,
  readBranding,
} from '../../store/account/branding.ts';
import type { Tx } from '../../store/connection/database.ts';
import { accountObject } from '../../store/engine/audit.ts';
import { auditedChange } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { URL_LENGTH_MAX } from '../checks/lengths.ts';
import { refuseUnseen, type SeenList } from '../checks/replaced-list.ts';
import { type Context, requireFresh, requirePermission } from '../services/context.ts';

/** Changes, each under the caller's own name for it; null removes a value, a missing member leaves it as it is. */
export interface BrandingInput {
  readonly displayName?: Named | null | undefined;
  readonly accent?: Named | null | undefined;
  readonly logo?: Named | null | undefined;
  readonly supportUrl?: Named | null | undefined;
  readonly frameHosts?: SeenList | undefined;
  /** The present frame hosts, as the caller saw them; if omitted, they are replaced without a check. */
  readonly replacesFrameHosts?: SeenList | undefined;
  readonly showsPrice?: boolean | null | undefined;
  readonly sendsReceipts?: boolean | null | undefined;
}

/** Most of each: characters of the name that payers read, bytes of a logo (64 KiB), origins that may frame the pages. */
export const BRANDING_MAX = { displayName: 60, logoBytes: 65_536, frameHosts: 20 } as const;
const DATA_URL = /^data:image\/[a-z+]+;base64,([A-Za-z0-9+/]+={0,2})$/;
/** An origin in the form of `frame-ancestors` of a Content-Security-Policy; no wildcard. */
const ORIGIN = /^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?$/;
const MAILTO = /^mailto:[a-z0-9.!#$%'*+/=^_`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/**
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER` naming everything that is not accepted; `LIST_CHANGED` when the
 * present frame hosts differ from the seen ones; `STEP_UP_REQUIRED` for a new support URL or frame host.
 */
export async function updateBranding(
  context: Context,
  input: BrandingInput,
  checks: CreationChecks,
): Promise<void> {
  requirePermission(context, 'branding.update');
  const change: BrandingChange = {
    ...changed('displayName', input.displayName, (input) => displayName(input, checks)),
    ...changed('accent', input.accent, (input) => accent(input, checks)),
    ...changed('supportUrl', input.supportUrl, (input) => supportUrl(input, checks)),
    ...changed('logo', input.logo, (input) => logo(input, checks)),
    ...(input.showsPrice !== undefined && { showsPrice: input.showsPrice }),
    ...(input.sendsReceipts !== undefined && { sendsReceipts: input.sendsReceipts }),
    ...(input.frameHosts && { frameHosts: frameHosts(input.frameHosts, checks) ?? [] }),
  };
  const { replacesFrameHosts: seen } = input;
  if (seen) checks.atMost(seen.name, seen.values, BRANDING_MAX.frameHosts, 'origins');
  checks.refuse();
  const { accountId } = context.caller;
  const factsOf = (tx: Tx) => factsOfBranding(tx, accountId);
  await auditedChange(context, 'branding.update', accountObject(accountId), factsOf, async (tx) => {
    const present = await readBranding(tx, accountId);
    // A prefilled form sends the present sites again.
    if (namesNewSite(change, present)) requireFresh(context);
    if (change.frameHosts) refuseUnseen(present.frameHosts, change.frameHosts, seen);
    await changeBranding(tx, accountId, change);
  });
}

/** @returns whether payers would be sent to a new address, or a new origin may frame the pages. */
function namesNewSite({ supportUrl, frameHosts = [] }: BrandingChange, present: Branding): boolean {
  const isNewUrl = typeof supportUrl === 'string' && supportUrl !== present.supportUrl;
  return isNewUrl || frameHosts.some((host) => !present.frameHosts.includes(host));
}

/** A picture is identified by its hash. */
async function factsOfBranding(tx: Tx, accountId: bigint): Promise<object> {
  const { hasLogo: _hasLogo, logoHash, ...branding } = await readBranding(tx, accountId);
  return { ...branding, logo: logoHash && `sha256:${logoHash}` };
}

function changed<Value>(
  name: string,
  input: Named | null | undefined,
  check: (input: Named) => Value | undefined,
): object {
  if (input === undefined) return {};
  return { [name]: input === null ? null : check(input) };
}

function displayName(input: Named, checks: CreationChecks): string | undefined {
  const text = checks.personName(input);
  if (text === undefined || [...text].length <= BRANDING_MAX.displayName) return text;
  return checks.add({
    parameter: input.name,
    message: `must have 1 to ${BRANDING_MAX.displayName} characters`,
  });
}

function accent({ name: parameter, value }: Named, checks: CreationChecks): string | undefined {
  const contrast = contrastWithWhite(value);
  if (contrast === undefined) return checks.add({ parameter, message: 'must be a colour such as #0b5fff' });
  if (contrast >= TEXT_CONTRAST_MIN) return value.toLowerCase();
  return checks.add({
    parameter,
    message: `must be darker: white text on it has a contrast of ${contrast.toFixed(2)}, and at least ${TEXT_CONTRAST_MIN} is required`,
  });
}

function supportUrl(input: Named, checks: CreationChecks): string | undefined {
  const isAddress = MAILTO.test(input.value) && input.value.length <= URL_LENGTH_MAX;
  if (isAddress) return input.value;
  // A person who writes an address of e-mail learns how a link has it.
  if (/^[^/:]+@[^/:]+$/.test(input.value))
    return checks.add({
      parameter: input.name,
      message: 'must be a URL; an e-mail address begins with mailto:',
    });
  return checks.url(input);
}

function logo({ name: parameter, value }: Named, checks: CreationChecks): Logo | undefined {
  const bytes = Buffer.from(DATA_URL.exec(value)?.[1] ?? '', 'base64');
  const picture = bytes.length <= BRANDING_MAX.logoBytes ? stripMetadata(bytes) : undefined;
  if (picture) return picture;
  return checks.add({
    parameter,
    message: `must be a complete PNG, JPEG or WebP image of at most ${BRANDING_MAX.logoBytes} bytes, as data:image/…;base64,…`,
  });
}

function frameHosts({ name, values }: SeenList, checks: CreationChecks): readonly string[] | undefined {
  if (!checks.atMost(name, values, BRANDING_MAX.frameHosts, 'origins')) return undefined;
  const wrong = values.findIndex((value) => !ORIGIN.test(value));
  if (wrong < 0) return values;
  return checks.add({
    parameter: `${name}.${wrong}`,
    message: 'must be an origin such as https://shop.example.com',
  });
}
