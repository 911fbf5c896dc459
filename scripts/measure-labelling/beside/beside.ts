// Published tools in which the same day is labelled, each installed for the run alone.

import type { Browser } from 'playwright-core';
import type { OpenTool } from '../day.ts';
import { openLabelStudio } from './label-studio.ts';

type Open = (browser: Browser, images: readonly string[]) => Promise<OpenTool>;

const tools: ReadonlyMap<string, Open> = new Map([['label-studio', openLabelStudio]]);

/** Opens it, which throws where it cannot be had. Throws for a name that is not known. */
export function toolBeside(name: string): Open {
  const open = tools.get(name);
  if (open === undefined) throw new Error(`--beside takes ${[...tools.keys()].join(', ')}.`);
  return open;
}
