// Attacks on the control. Each must be found to fail, by the measure that it is for.

import { type Attack, single } from './attack.ts';
import { vocFile, zeros } from './dense-bodies.ts';
import { json } from './raw-request.ts';

/** What must be said of each of them. */
export const expectedProblems: Readonly<Record<string, RegExp>> = {
  'control: all problems of a list': /memory/,
  'control: line numbers counted from the start': /pause/,
  'control: files that nobody removes': /descriptors.*files left|files left.*descriptors/,
  'control: an error that nobody foresaw': /answered 500/,
};

export const controlAttacks: readonly Attack[] = [
  single('control', 'control: all problems of a list', () => json('/json', zeros(1_900_000))),
  single('control', 'control: line numbers counted from the start', () => ({
    path: '/xml',
    method: 'POST',
    body: vocFile(9_000),
  })),
  single('control', 'control: files that nobody removes', () => json('/left', {}), {
    restarts: true,
  }),
  single('control', 'control: an error that nobody foresaw', () => json('/fails', {})),
];
