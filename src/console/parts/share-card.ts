/** A link for the payer: as text to copy, and as a QR image. */
import { Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { copyValue } from '../../ui/parts.ts';
import { qrSvg } from '../../ui/qr.ts';
import type { ScreenContext } from '../context.ts';

/** @returns the card with the link; `title` names the purpose of the link. */
export function shareCard({ translate }: ScreenContext, link: string, title: string): Html {
  const button = html`<button type="button" data-copy="pay-link" hidden>${icon('copy')} ${translate('copy')}</button>`;
  // The encoder draws the image: the output contains no text of the link.
  const picture = new Html(qrSvg(link));
  return html`<section class="card in stack tight" aria-labelledby="hand-over"><h2 id="hand-over">${title}</h2><p class="soft small">${translate('handOverWhat')}</p>
${copyValue({ id: 'pay-link', name: translate('payLink'), shown: link, button })}
<figure class="qr"><div role="img" aria-label="${translate('payLinkScan')}">${picture}</div></figure></section>`;
}
