// The eight ways to mirror and quarter-turn an image, as EXIF, flip and ninety use them.

/** First mirrored left to right, then turned clockwise. */
export interface Turn {
  readonly mirrored: boolean;
  readonly quarters: 0 | 1 | 2 | 3;
}

const none: Turn = { mirrored: false, quarters: 0 };

export const turns = {
  none,
  horizontal: { mirrored: true, quarters: 0 },
  vertical: { mirrored: true, quarters: 2 },
  clockwise: { mirrored: false, quarters: 1 },
  'upside-down': { mirrored: false, quarters: 2 },
  'counter-clockwise': { mirrored: false, quarters: 3 },
} as const satisfies Record<string, Turn>;

/** The turn that shows an image upright whose EXIF orientation is 1 to 8; others count as 1. */
export function exifTurn(orientation: number): Turn {
  return exifTurns[orientation - 1] ?? none;
}

/** One turn after the other, as one. */
export function composeTurns(first: Turn, second: Turn): Turn {
  // Mirroring after a turn is turning the other way after mirroring.
  const quarters = second.quarters + (second.mirrored ? 4 - first.quarters : first.quarters);
  return { mirrored: first.mirrored !== second.mirrored, quarters: quarterOf(quarters) };
}

/** The same for equal turns, different for others. */
export function turnKey({ mirrored, quarters }: Turn): string {
  return `${mirrored ? 'mirrored ' : ''}${quarters}`;
}

const exifTurns: readonly Turn[] = [
  none,
  turns.horizontal,
  turns['upside-down'],
  turns.vertical,
  { mirrored: true, quarters: 3 },
  turns.clockwise,
  { mirrored: true, quarters: 1 },
  turns['counter-clockwise'],
];

function quarterOf(count: number): Turn['quarters'] {
  const quarters = [0, 1, 2, 3] as const;
  return quarters[count % 4] ?? 0;
}
