// Has the references do the same as we: by files in a folder, in one start of Python.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { RawImage } from '../../src/imaging/raw-image.ts';
import type { Case } from './step.ts';

export interface Task {
  readonly picture: string;
  readonly image: RawImage;
  readonly one: Case;
}

export interface Answers {
  /** Names and versions. */
  readonly libraries: string;
  /** The picture that came out, by the place of the task. */
  theirs(place: number): RawImage;
  /** The file that the reference wrote on the way. */
  file(place: number): Uint8Array;
}

/** Throws where Python ends with an error. */
export function askReferences(python: string, folder: string, tasks: readonly Task[]): Answers {
  const cases = tasks.map(({ picture, image, one }, place) => {
    const input = `${picture}.rgb`;
    writeFileSync(join(folder, input), image.data);
    const { width, height } = image;
    return { id: String(place), step: one.step, parameters: one.parameters, input, width, height };
  });
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases));
  const script = join(import.meta.dirname, 'reference.py');
  const { status } = spawnSync(python, [script, folder], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`reference.py ended with ${status}.`);
  const text = readFileSync(join(folder, 'answers.json'), 'utf8');
  const { libraries, sizes } = answers.parse(JSON.parse(text));
  return {
    libraries,
    theirs: (place) => {
      const size = sizes[place];
      if (size === undefined) throw new Error('the reference gave no picture');
      return { ...size, data: readFileSync(join(folder, `${place}.rgb`)) };
    },
    file: (place) => readFileSync(join(folder, `${place}.file`)),
  };
}

const answers = z.object({
  libraries: z.string(),
  sizes: z.record(z.string(), z.object({ width: z.number(), height: z.number() })),
});
