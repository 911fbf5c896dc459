// What a model sees in an image as an annotation of a project, and which projects that suits.

import {
  type Annotation,
  isClassification,
  type ProjectType,
} from '../../annotations/annotation.ts';
import { tidy } from '../../annotations/box-geometry.ts';
import { invalidArgument } from '../../errors.ts';
import type { DetectorTask } from '../../model-inference/detector.ts';

interface Seen {
  readonly label: string;
  readonly confidence: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Throws `invalid_input` for a model that gives boxes where images have classes, or otherwise. */
export function checkModelTask(argument: string, task: DetectorTask, type: ProjectType): void {
  if (task === taskWanted(type)) return;
  const gives = task === 'classification' ? 'classes of whole images' : 'boxes';
  throw invalidArgument(
    argument,
    `gives ${gives}, which a project of the type ${type} cannot take`,
  );
}

function taskWanted(type: ProjectType): DetectorTask {
  return isClassification(type) ? 'classification' : 'detection';
}

/** Undefined: nothing that a project of the type can keep. */
export function annotationOfModel(
  type: ProjectType,
  task: DetectorTask,
  seen: readonly Seen[],
): Annotation | undefined {
  if (seen.length === 0 || task !== taskWanted(type)) return undefined;
  if (task === 'classification') {
    const labels = seen
      .toSorted((one, other) => other.confidence - one.confidence)
      .map(({ label }) => label);
    const kept = type === 'single-label-classification' ? labels.slice(0, 1) : [...new Set(labels)];
    return { kind: 'classification', labels: kept };
  }
  const boxes = seen.map(({ label, x, y, width, height }) => ({
    label,
    x: tidy(x),
    y: tidy(y),
    width: tidy(width),
    height: tidy(height),
  }));
  return { kind: 'detection', boxes };
}
