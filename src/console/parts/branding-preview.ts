/** A payers' page in small, with the account's name, colour and logo; the script shows unsaved changes in it. */
import { attributes, type Html, html } from '../../ui/html.ts';
import { initials } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import { logoPath } from '../logo.ts';

/** Colour of buttons if the account has none of its own; the same as in the styles. */
const STANDARD = '#0c5c6c';

/** Design of the pages of an account, as far as the preview shows it. */
export interface PageDesign {
  readonly displayName: string;
  readonly accent: string | null;
  readonly logoHash: string | null;
}

/** @returns the preview. Each part that the script changes names its field. */
export function brandingPreview({ translate }: ScreenContext, design: PageDesign): Html {
  const { displayName, accent, logoHash } = design;
  const fill = accent ?? STANDARD;
  const image = attributes({ href: logoHash !== null && logoPath(logoHash) });
  return html`<svg class="preview" viewBox="0 0 320 132" role="img" aria-label="${translate('lookPreview')}">
<rect x=".5" y=".5" width="319" height="131" rx="10" fill="none" stroke="currentColor" opacity=".25"/>
<rect data-preview="accent" x="16" y="16" width="44" height="44" rx="8" fill="${fill}"/><text x="38" y="44" text-anchor="middle" fill="#fff">${initials(displayName)}</text><image data-preview="logo" x="16" y="16" width="44" height="44" preserveAspectRatio="xMidYMid slice"${image}/>
<text data-preview="displayName" x="72" y="43" fill="currentColor">${displayName}</text>
<rect data-preview="accent" x="16" y="76" width="288" height="40" rx="8" fill="${fill}"/><text x="160" y="101" text-anchor="middle" fill="#fff">${translate('lookPreviewPay')}</text></svg>`;
}
