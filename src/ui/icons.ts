/**
 * Icons as inline SVG: a box of 24 units, drawn with the colour of the text. Icons beside a text are hidden from screen
 * readers.
 */
import { type Attributes, attributes, Html } from './html.ts';

/** Drawings by name. */
const DRAWINGS = {
  activity: '<path d="M3 12h4l3-7 4 14 3-7h4"/>',
  approve: '<path d="m2.5 12.5 4 4 8.5-9M12 15.5l1.5 1L21.5 7.5"/>',
  back: '<path d="M19 12H5m6-6-6 6 6 6"/>',
  bank: '<path d="M3 9.5 12 4l9 5.5zM5 10v7m4.7-7v7m4.6-7v7M19 10v7M3 20h18"/>',
  bolt: '<path d="M13 3 5 14h6l-1 7 8-11h-6z"/>',
  check: '<path pathLength="1" d="m5 12.5 4.5 4.5L19 7.5"/>',
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>',
  close: '<path d="m6 6 12 12M18 6 6 18"/>',
  code: '<path d="m8 7-5 5 5 5M16 7l5 5-5 5"/>',
  convert: '<path d="M4 8h13m-4-4 4 4-4 4M20 16H7m4-4-4 4 4 4"/>',
  copy: '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15a1 1 0 0 1-1-1V6a2 2 0 0 1 2-2h8a1 1 0 0 1 1 1"/>',
  done: '<circle cx="12" cy="12" r="9"/><path d="m8 12.3 2.8 2.7L16 9.5"/>',
  down: '<path d="m6 9 6 6 6-6"/>',
  failed: '<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>',
  flask: '<path d="M9 3h6M10 3v6l-5.5 9.5A1.5 1.5 0 0 0 5.8 21h12.4a1.5 1.5 0 0 0 1.3-2.5L14 9V3M7.5 15h9"/>',
  held: '<path d="M9 5v14M15 5v14"/>',
  home: '<path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z"/>',
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.7v.1"/>',
  key: '<circle cx="8" cy="15" r="4"/><path d="m11 12 8.5-8.5M16 6.5l3 3"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  more: '<path d="M4.5 12h1M11.5 12h1M18.5 12h1" stroke-width="2.5"/>',
  open: '<path d="M8 16 18 6M10 6h8v8"/>',
  people:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20a6.5 6.5 0 0 1 13 0M16 4.8a3.5 3.5 0 0 1 0 6.4M18.5 14.5a6.5 6.5 0 0 1 3 5.5"/>',
  person: '<circle cx="12" cy="8" r="4"/><path d="M4.5 20.5a7.5 7.5 0 0 1 15 0"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  print: '<path d="M7 9V4h10v5"/><rect x="4" y="9" width="16" height="8" rx="2"/><path d="M7 14h10v6H7z"/>',
  receipt: '<path d="M6 3h12v18l-3-2-3 2-3-2-3 2z"/><path d="M9.5 8h5M9.5 12h5"/>',
  returned: '<path d="m8 5-4 4 4 4"/><path d="M4 9h10a5.5 5.5 0 0 1 0 11h-3"/>',
  save: '<path d="M12 4v11m-4-4 4 4 4-4"/><path d="M5 19.5h14"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>',
  settings:
    '<path d="M4 7h9m5 0h2M4 17h3m5 0h8"/><circle cx="15.5" cy="7" r="2.5"/><circle cx="9.5" cy="17" r="2.5"/>',
  share: '<path d="M12 15V4m-4 4 4-4 4 4"/><path d="M5 12v6a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2v-6"/>',
  shield:
    '<path d="M12 3 5 5.5V11c0 4.6 2.9 8.2 7 10 4.1-1.8 7-5.4 7-10V5.5z"/><path d="m9 11.8 2.2 2.2L15 10"/>',
  sort: '<path d="M7 4v14m-4-4 4 4 4-4M17 20V6m-4 4 4-4 4 4"/>',
  turn: '<path d="m9 5 7 7-7 7"/>',
  up: '<path d="M12 19V5m-6 6 6-6 6 6"/>',
  waiting: '<path d="M12 3a9 9 0 1 1-8.5 6"/><path d="M12 8v4l2.5 1.5"/>',
  wallet: '<rect x="3" y="6" width="18" height="13" rx="2"/><path d="M3 10h18M16 14.5h1.5"/>',
  warning: '<path d="M12 4 2.8 20h18.4z"/><path d="M12 10v4.5M12 17.2v.1"/>',
} as const;

/** Name of an icon. */
export type IconName = keyof typeof DRAWINGS;

/**
 * @param name - name of the icon.
 * @param word - its meaning, if there is no text next to it.
 * @returns the icon.
 */
export function icon(name: IconName, word?: string): Html {
  return word === undefined ? HIDDEN[name] : drawn(name, { role: 'img', 'aria-label': word });
}

function drawn(name: IconName, extra: Attributes): Html {
  const classes = name === 'turn' ? 'i turn' : 'i';
  const { text } = attributes({ class: classes, viewBox: '0 0 24 24', ...extra });
  return new Html(`<svg${text}>${DRAWINGS[name]}</svg>`);
}

/** Drawn once per icon, because each row of a list has one. */
const HIDDEN = Object.fromEntries(
  Object.keys(DRAWINGS).map((name) => [name, drawn(name as IconName, { 'aria-hidden': 'true' })]),
) as Readonly<Record<IconName, Html>>;
