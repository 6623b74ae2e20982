/** Contrast of colours by WCAG 2.2, "contrast ratio" and "relative luminance". */

const COLOUR = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;
/** Minimum contrast between text of any size and its background (WCAG 2.2, 1.4.3). */
export const TEXT_CONTRAST_MIN = 4.5;

/**
 * @param colour - `#rrggbb`.
 * @returns the contrast of white on it, 1 to 21; undefined if the text is not such a colour.
 */
export function contrastWithWhite(colour: string): number | undefined {
  const channels = COLOUR.exec(colour)?.slice(1);
  if (!channels) return undefined;
  const [red, green, blue] = channels.map((hex) => linear(Number.parseInt(hex, 16) / 255)) as [
    number,
    number,
    number,
  ];
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
