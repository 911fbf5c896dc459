// What the bench asks of each contender, and what it gets back. opencv.py has the same shapes.

import * as z from 'zod';
import type { VersionSettings } from '../../src/contract/version-settings.ts';

export interface Request extends VersionSettings {
  /** The whole version; only its copies, after decoding; or decoding and encoding alone. */
  readonly task: 'job' | 'derive' | 'limit';
  /** Whether JPEGs keep the colours of every pixel. */
  readonly chroma: '4:4:4' | '4:2:0';
  /** Processes or threads that share the work. */
  readonly processes: number;
  /** Copies that `derive` makes. */
  readonly images: number;
  /** Paths. */
  readonly train: readonly string[];
  readonly others: readonly string[];
  /** The folder for the images of a job; undefined: they are counted and forgotten. */
  readonly files?: string;
}

export const answer = z.object({
  images: z.number(),
  /** User and system time of all threads and processes. */
  cpuMs: z.number(),
  wallMs: z.number(),
  /** Of all files together. */
  bytes: z.number(),
  /** Who answered. */
  versions: z.string(),
});

export type Answer = z.output<typeof answer>;

/** 3x, flip, rotate, blur, brightness, crop, cutout, mosaic, and a size that networks take. */
export const settings = {
  preprocessing: { resize: { width: 640, height: 640, format: 'Stretch to' } },
  augmentation: {
    flip: { horizontal: true, vertical: true },
    rotate: { degrees: 15 },
    blur: { pixels: 2.5 },
    brightness: { brighten: true, darken: true, percent: 20 },
    crop: { min: 0, max: 20 },
    cutout: { count: 3, percent: 10 },
    mosaic: true,
    image: { versions: 3 },
  },
} as const satisfies VersionSettings;
