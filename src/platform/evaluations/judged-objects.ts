// What a model finds in an image, as evaluations judge it: objects, or the pixels of each class.

import { cornersOf } from '../../annotations/box-geometry.ts';
import type { EvaluableTask } from '../../contract/evaluations.ts';
import { invalidArgument } from '../../errors.ts';
import type { Detection } from '../../evaluation/evaluated-image.ts';
import { inOrder, keypointPlaces } from '../../evaluation/keypoints/keypoint-order.ts';
import type { Detection as Found, Labelled } from '../../model-inference/detection-models.ts';
import type { OmissionCounter } from '../../model-inference/prediction-omissions.ts';
import { quotedName, quotedNames } from '../../quoted-name.ts';
import { isOutlined } from './evaluable-project-type.ts';
import type { LabelledImages } from './judged-images.ts';
import { type PackedShapes, packShapes } from './packed-shapes.ts';

/** What of an image is judged. */
export interface JudgedObjects {
  readonly detections: readonly Detection[];
  readonly shapes?: PackedShapes | undefined;
  /** Of outlines or keypoints, or of runs of pixels. */
  readonly corners: number;
  /** Classes of what is not judged, since no label has them. */
  readonly strangers: readonly string[];
}

/** Reads objects, also those whose outlines are painted to judge pixels. */
export function objectReader(
  modelTask: EvaluableTask,
  labelled: LabelledImages,
  lacks: OmissionCounter,
): (seen: Labelled) => JudgedObjects {
  const shapeOf = shapeReader(modelTask, labelled);
  const sortOut = knownClasses(labelled.classes);
  return ({ detections: found, hasMore }) => {
    const { known, strangers } = sortOut(found);
    lacks.add(
      known.map(({ object }) => object),
      hasMore,
    );
    const shapes = shapeOf && packShapes(known.map(({ object }) => shapeOf(object)));
    return {
      detections: known.map(({ object, classIndex }) => detectionOf(object, classIndex)),
      shapes,
      corners: (shapes?.numbers.length ?? 0) / 2,
      strangers,
    };
  };
}

/** Reads all pixels of each class, holes and specks as they are: an outline would not have them. */
export function regionReader(
  classes: readonly string[],
  modelClasses: readonly string[],
): (seen: Labelled) => JudgedObjects {
  const sortOut = knownClasses(classes);
  return ({ width, height, regions = [] }) => {
    const { known, strangers } = sortOut(
      regions.map((region) => ({ ...region, label: modelClasses[region.classIndex] ?? '' })),
    );
    return {
      detections: known.map(({ object: { runs, pixels }, classIndex }) => ({
        classIndex,
        left: 0,
        top: 0,
        width,
        height,
        score: 1,
        mask: { runs, height, pixels },
      })),
      corners: known.reduce((sum, { object }) => sum + object.runs.length, 0),
      strangers,
    };
  };
}

/** Tells the objects of classes that labels have, each with its place, from those of others. */
function knownClasses(classes: readonly string[]) {
  const places = new Map(classes.map((name, place) => [name, place]));
  return <T extends { readonly label: string }>(objects: readonly T[]) => ({
    known: objects.flatMap((object) => {
      const classIndex = places.get(object.label);
      return classIndex === undefined ? [] : [{ object, classIndex }];
    }),
    strangers: objects.map(({ label }) => label).filter((label) => !places.has(label)),
  });
}

function detectionOf({ confidence, x, y, width, height }: Found, classIndex: number): Detection {
  const [left, top] = [x - width / 2, y - height / 2];
  return { classIndex, left, top, width, height, score: confidence };
}

/** The numbers of an object that are judged beside its box; undefined: there are none. */
function shapeReader(modelTask: EvaluableTask, { classes, keypointNames }: LabelledImages) {
  // What Auto Label keeps of one without an outline is its box, which is judged as that of a label.
  if (isOutlined(modelTask)) return (found: Found) => (found.points ?? cornersOf(found)).flat();
  if (keypointNames === undefined) return undefined;
  return ({ label, keypoints = [] }: Found): readonly number[] => {
    const given = keypoints.map((one) => one.label);
    const wanted = keypointNames[classes.indexOf(label)] ?? [];
    const places = keypointPlaces(wanted, given);
    const numbers = keypoints.flatMap(({ x, y, confidence = 1 }) => [x, y, confidence]);
    if (places !== undefined) return inOrder(numbers, places);
    throw invalidArgument(
      'model',
      `gives the keypoints ${quotedNames(given)}; those of ${quotedName(label)} are ${quotedNames(wanted)}`,
    );
  };
}
