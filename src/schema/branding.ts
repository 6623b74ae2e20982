/** Branding: look of the account's hosted pages. */

import { checksOf } from '../resolvers/checks/check-creation.ts';
import { bounded, inProse, URL_LENGTH_MAX } from '../resolvers/checks/lengths.ts';
import { BRANDING_MAX, type BrandingInput, updateBranding } from '../resolvers/settings/manage-branding.ts';
import { type Branding, readBranding, readLogo } from '../store/account/branding.ts';
import type { Builder } from './builder.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import type { AccountRef } from './viewer.ts';

/** The settings, with their descriptions. */
const DOC = {
  displayName: `Name that payers see, at most ${BRANDING_MAX.displayName} characters. Default: the name of the account.`,
  accent:
    'Colour of buttons, such as `#0b5fff`. White text on it must have a contrast of at least 4.5. Null: the standard colour.',
  supportUrl: `Where payers find help: an https URL or a \`mailto:\` address, of at most ${inProse(URL_LENGTH_MAX)} characters.`,
  frameHosts:
    'Origins that may show the pages in a frame, such as `https://shop.example.com`. Default: none.',
  showsPrice:
    'Whether the payer of a checkout sees rate, fees and the crypto that you receive. Default: no. Payers who are asked to accept a quote, buy crypto or pay with it always see them.',
  sendsReceipts:
    'Whether payers may ask on their page for a receipt by e-mail. Default: no. Nothing is sent where the gateway has no mail server.',
  logo: `Logo as a data URL: PNG, JPEG or WebP of at most ${BRANDING_MAX.logoBytes / 1_024} KiB, \`data:image/png;base64,…\`.`,
} as const;

/** Defines `Branding`, `Account.branding` and the mutation that changes it. */
export function defineBranding(builder: Builder, account: AccountRef): void {
  const branding = builder.objectRef<Branding>('Branding').implement({
    description: 'Look of the hosted pages of the account.',
    fields: (t) => ({
      displayName: t.exposeString('displayName', { description: DOC.displayName }),
      accent: t.exposeString('accent', { nullable: true, description: DOC.accent }),
      hasLogo: t.exposeBoolean('hasLogo', { description: 'Whether the account has a logo.' }),
      logoHash: t.exposeString('logoHash', {
        nullable: true,
        description: 'SHA-256 of the logo, hexadecimal; null without one.',
      }),
      supportUrl: t.exposeString('supportUrl', { nullable: true, description: DOC.supportUrl }),
      frameHosts: t.stringList({
        description: DOC.frameHosts,
        resolve: ({ frameHosts }) => [...frameHosts],
      }),
      showsPrice: t.exposeBoolean('showsPrice', { description: DOC.showsPrice }),
      sendsReceipts: t.exposeBoolean('sendsReceipts', { description: DOC.sendsReceipts }),
    }),
  });
  builder.prismaObjectField(account, 'logo', (t) =>
    t.string({
      nullable: true,
      description: 'Logo of the hosted pages as a data URL; null without one.',
      resolve: async ({ id }, _args, { database }) => {
        const logo = await readLogo(database, id);
        return logo ? `data:${logo.type};base64,${logo.image.toString('base64')}` : null;
      },
    }),
  );
  builder.prismaObjectField(account, 'branding', (t) =>
    t.field({
      type: branding,
      description: 'Look of the hosted pages of the account.',
      resolve: ({ id }, _args, { database }) => readBranding(database, id),
    }),
  );

  defineMutation(builder, 'updateBranding', {
    result: ['branding', branding],
    description: 'Changes how the hosted pages look. Needs the scope `admin`.',
    inputDescription: 'Changes. Null removes a setting; members that are not given stay as they are.',
    input: (t) => ({
      displayName: t.string({ description: DOC.displayName }),
      accent: t.string({ description: DOC.accent }),
      logo: t.string({ description: DOC.logo }),
      supportUrl: t.string({ description: DOC.supportUrl }),
      frameHosts: t.stringList({ description: bounded(DOC.frameHosts, BRANDING_MAX.frameHosts, 'origins') }),
      replacesFrameHosts: t.stringList({
        description: bounded(
          `With \`frameHosts\`: ${DESCRIPTIONS.replaces}`,
          BRANDING_MAX.frameHosts,
          'origins',
        ),
      }),
      showsPrice: t.boolean({ description: DOC.showsPrice }),
      sendsReceipts: t.boolean({ description: DOC.sendsReceipts }),
    }),
    resolve: async (input, context) => {
      await updateBranding(context, namedOf(input), checksOf(context));
      return readBranding(context.database, context.caller.accountId);
    },
  });
}

/** Unlike elsewhere, null removes a value here. */
function namedOf({
  frameHosts,
  replacesFrameHosts,
  showsPrice,
  sendsReceipts,
  ...texts
}: {
  readonly [Name in Exclude<keyof BrandingInput, 'replacesFrameHosts'>]?: Name extends 'frameHosts'
    ? readonly string[] | null | undefined
    : Name extends 'showsPrice' | 'sendsReceipts'
      ? boolean | null | undefined
      : string | null | undefined;
} & { readonly replacesFrameHosts?: readonly string[] | null | undefined }): BrandingInput {
  const named = Object.entries(texts).map(([name, value]) => [
    name,
    value == null ? value : { name: `input.${name}`, value },
  ]);
  return {
    ...Object.fromEntries(named),
    ...(showsPrice !== undefined && { showsPrice }),
    ...(sendsReceipts !== undefined && { sendsReceipts }),
    ...(replacesFrameHosts && {
      replacesFrameHosts: { name: 'input.replacesFrameHosts', values: replacesFrameHosts },
    }),
    ...(frameHosts !== undefined && {
      frameHosts: { name: 'input.frameHosts', values: frameHosts ?? [] },
    }),
  };
}
