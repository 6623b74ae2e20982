/** QR images, drawn here: no address is sent to another service for it. */
import encodeQR from 'qr';

/** @returns the QR image of a text as SVG, with the quiet zone of four modules that readers need (ISO/IEC 18004). */
export function qrSvg(text: string): string {
  return encodeQR(text, 'svg', { ecc: 'medium', border: 4 });
}
