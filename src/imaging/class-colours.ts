// A colour for each class: the same for a name wherever it is seen, as far as colours suffice.

import type { Colour } from './drawing-canvas.ts';

/**
 * A colour for each class name. A name has a place of its own in the palette; only where two names
 * of one list share it, the later one (by its letters) takes the next free place. Beyond ten
 * classes, colours come again, so that names have to be written as well.
 */
export function classColours(labels: Iterable<string>): ReadonlyMap<string, Colour> {
  const colours = new Map<string, Colour>();
  const used = palette.map(() => 0);
  for (const label of [...new Set(labels)].sort()) {
    const own = placeOf(label);
    const least = Math.min(...used);
    const step = palette.findIndex((_, index) => used[(own + index) % palette.length] === least);
    const place = (own + step) % palette.length;
    used[place] = least + 1;
    colours.set(label, palette[place] ?? black);
  }
  return colours;
}

/** The same as `#rrggbb`, by class name. */
export function hexClassColours(labels: Iterable<string>): Readonly<Record<string, string>> {
  const hex = (colour: Colour) => colour.map((part) => part.toString(16).padStart(2, '0')).join('');
  return Object.fromEntries(
    [...classColours(labels)].map(([label, one]) => [label, `#${hex(one)}`]),
  );
}

/** Black or white, whichever is easier to read on a colour (WCAG, relative luminance). */
export function readableOn([red, green, blue]: Colour): Colour {
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? black : white;
}

export const black: Colour = [0, 0, 0];
export const white: Colour = [255, 255, 255];

/**
 * Chosen by search for the greatest distance of the closest pair (in Oklab), as seen with full
 * colour vision and with protanopia, deuteranopia and tritanopia (Machado, Oliveira and Fernandes,
 * 2009): 0.128, where the seven colours of Okabe and Ito have 0.076.
 */
const palette: readonly Colour[] = [
  [0x00, 0xd2, 0x96],
  [0xa5, 0x0f, 0x96],
  [0xff, 0x96, 0x00],
  [0x78, 0x87, 0xd2],
  [0xf0, 0xf0, 0x5a],
  [0xf0, 0x0f, 0x69],
  [0x78, 0xff, 0xff],
  [0x87, 0x00, 0xff],
  [0xe1, 0xa5, 0xff],
  [0x1e, 0x78, 0x0f],
];

/** FNV-1a over the code units: spreads short names well, and never changes. */
function placeOf(label: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < label.length; index++) {
    hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash % palette.length;
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
