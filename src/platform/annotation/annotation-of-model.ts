// What a model sees in an image as an annotation of a project, and which projects that suits.

import {
  type Annotation,
  hasOutlines,
  isClassification,
  type ProjectType,
} from '../../annotations/annotation.ts';
import { boxAround, boxFromCentre, tidy } from '../../annotations/box-geometry.ts';
import { taskOfType } from '../../contract/projects.ts';
import { invalidArgument } from '../../errors.ts';
import type { Box, Keypoint } from '../../imaging/box.ts';
import type { Detection, FoundKeypoint } from '../../model-inference/detection-models.ts';
import { type DetectorTask, givenByTask } from '../../model-inference/model-layout.ts';

/** An object that a model found. */
export type Seen = Omit<Detection, 'classIndex'>;

/**
 * Throws `invalid_input` for a model that gives boxes where images have classes, or otherwise; and
 * for one of pixels where objects are told apart, which it does not.
 */
export function checkModelTask(argument: string, task: DetectorTask, type: ProjectType): void {
  if (!isFit(task, type)) throw unfit(argument, task, type);
}

function isFit(task: DetectorTask, type: ProjectType): boolean {
  if (task === 'semantic') return taskOfType[type] === 'semantic';
  return (task === 'classification') === isClassification(type);
}

/** Also for a model whose boxes lack the outlines or keypoints that labels of the project have. */
export function checkModelShapes(argument: string, task: DetectorTask, type: ProjectType): void {
  checkModelTask(argument, task, type);
  if (!isEnough(task, type)) throw unfit(argument, task, type);
}

/** Boxes can be had of whatever a model finds. */
function isEnough(task: DetectorTask, type: ProjectType): boolean {
  const wanted = taskOfType[type];
  return (
    wanted === 'detection' || task === wanted || (hasOutlines(type) && task === 'segmentation')
  );
}

function unfit(argument: string, task: DetectorTask, type: ProjectType) {
  return invalidArgument(
    argument,
    `gives ${givenByTask[task]}, which a project of the type ${type} cannot take`,
  );
}

/** Undefined: nothing that a project of the type can keep. */
export function annotationOfModel(
  type: ProjectType,
  task: DetectorTask,
  seen: readonly Seen[],
): Annotation | undefined {
  const isOfWholeImage = task === 'classification';
  if (seen.length === 0 || !isFit(task, type)) return undefined;
  if (isOfWholeImage) {
    const labels = seen
      .toSorted((one, other) => other.confidence - one.confidence)
      .map(({ label }) => label);
    const kept = type === 'single-label-classification' ? labels.slice(0, 1) : [...new Set(labels)];
    return { kind: 'classification', labels: kept };
  }
  return { kind: 'detection', boxes: seen.map((one) => boxOf(type, one)) };
}

/** With the shape that labels of such a project have. */
function boxOf(type: ProjectType, { label, x, y, width, height, points, keypoints }: Seen): Box {
  if (points !== undefined && hasOutlines(type)) {
    return boxAround(
      label,
      points.map(([px, py]) => [tidy(px), tidy(py)]),
    );
  }
  const sides = [tidy(x), tidy(y), tidy(width), tidy(height)] as const;
  if (keypoints === undefined || taskOfType[type] !== 'keypoints')
    return boxFromCentre(label, ...sides);
  return boxFromCentre(label, ...sides, { keypoints: keypoints.map(keypointOf) });
}

/** From there on a keypoint is more probably seen than not. */
const seenFrom = 0.5;

function keypointOf({ label, x, y, confidence = 1 }: FoundKeypoint): Keypoint {
  return { label, x: tidy(x), y: tidy(y), visibility: confidence < seenFrom ? 0 : 2 };
}
