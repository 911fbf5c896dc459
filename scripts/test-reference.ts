// `npm run test:reference`: our pixels beside those of OpenCV, Pillow and numpy, step by step. Ends
// with 1 where a step is further off than its tolerance, with 2 where nothing could be compared.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKernel } from '../src/dataset-versions/kernel/kernel.ts';
import { colourSteps } from './test-reference/colour-steps.ts';
import { findPython } from './test-reference/find-python.ts';
import { geometrySteps } from './test-reference/geometry-steps.ts';
import { compareImages, type Difference } from './test-reference/image-difference.ts';
import { loadPictures } from './test-reference/images.ts';
import { formatReport, type Measured } from './test-reference/report.ts';
import { type Answers, askReferences, type Task } from './test-reference/run-references.ts';
import type { Step } from './test-reference/step.ts';

const steps: readonly Step[] = [...geometrySteps, ...colourSteps];

const packages = ['cv2', 'PIL', 'numpy'];
const didNotRun = 2;

const folder = mkdtempSync(join(tmpdir(), 'fovea-reference-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const python = findPython(packages);
  if (python === undefined) {
    const how = 'Debian and Ubuntu have them as python3-opencv and python3-pil';
    say(`DID NOT RUN: no Python with ${packages.join(', ')}; ${how}.`);
    return didNotRun;
  }
  const tasks = await planTasks();
  const answers = askReferences(python, folder, tasks);
  const measured = await measure(tasks, answers);
  const { table, short } = formatReport(measured);
  const counted = `${tasks.length} comparisons of ${steps.length} steps`;
  say([`${counted} with ${answers.libraries}.`, '', table, '', ...short].join('\n').trimEnd());
  return short.length === 0 ? 0 : 1;
}

async function planTasks(): Promise<readonly (Task & { readonly step: Step })[]> {
  const pictures = await loadPictures();
  return steps.flatMap((step) =>
    pictures.flatMap(({ name, image }) =>
      step.cases(image).map((one) => ({ step, picture: name, image, one })),
    ),
  );
}

async function measure(
  tasks: Awaited<ReturnType<typeof planTasks>>,
  answers: Answers,
): Promise<readonly Measured[]> {
  const kernel = createKernel();
  const start = kernel.mark();
  const measured: Measured[] = [];
  for (const [place, { step, picture, image, one }] of tasks.entries()) {
    const where = `${picture} ${JSON.stringify(one.parameters)}`;
    let result: Difference | string;
    try {
      const ours = await one.ours({ kernel, image, file: () => answers.file(place) });
      result = compareImages(ours, answers.theirs(place), step.tolerance);
    } catch (error) {
      result = error instanceof Error ? error.message : String(error);
    }
    kernel.release(start);
    measured.push({ step, where, result });
  }
  return measured;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
