// The detections of an event image, as boxes to draw and as text.

import { detectionSchemas } from '../../contract/fields.ts';
import type { DrawnBox } from '../../imaging/draw-boxes.ts';
import { limits } from '../../limits.ts';
import type { EventImage } from '../store/store.ts';

export interface Detections {
  /** Boxes to draw: those with the highest confidence. */
  readonly boxes: readonly DrawnBox[];
  /** Number of all boxes and outlines. */
  readonly count: number;
  /** Counts of boxes, outlines and classifications by class. */
  readonly classes: ReadonlyMap<string, number>;
  /** Classifications of the whole image: `defect 0.98`. */
  readonly words: readonly string[];
}

/** Ignores entries that do not fit the contract; earlier releases may have stored some. */
export function readDetections(image: EventImage): Detections {
  const found = [
    ...image.object_detections.flatMap(boxOfDetection),
    ...image.instance_segmentations.flatMap(boxOfOutline),
    ...image.keypoints.flatMap(boxOfKeypoints),
  ];
  const classified = image.classifications.flatMap((value) => {
    const { data } = detectionSchemas.classification.safeParse(value);
    return data ? [{ ...data, label: data.class }] : [];
  });
  const classes = new Map<string, number>();
  for (const { label } of [...found.map(({ box }) => box), ...classified]) {
    classes.set(label, (classes.get(label) ?? 0) + 1);
  }
  const surest = found.length > limits.eventPreviewBoxesMax ? bySurety(found) : found;
  return {
    boxes: surest.slice(0, limits.eventPreviewBoxesMax).map(({ box }) => box),
    count: found.length,
    classes,
    words: bySurety(classified).map((one) => `${one.label} ${share(one.confidence)}`),
  };
}

interface Found {
  readonly confidence: number;
  readonly box: DrawnBox;
}

type Detection = NonNullable<ReturnType<typeof detectionSchemas.detection.safeParse>['data']>;

function boxOfDetection(value: unknown): readonly Found[] {
  const { data } = detectionSchemas.detection.safeParse(value);
  return data ? [toFound(data, {})] : [];
}

function boxOfOutline(value: unknown): readonly Found[] {
  const { data } = detectionSchemas.instanceSegmentation.safeParse(value);
  return data ? [toFound(data, { points: data.points })] : [];
}

function boxOfKeypoints(value: unknown): readonly Found[] {
  const { data } = detectionSchemas.keypoints.safeParse(value);
  if (!data) return [];
  const keypoints = data.keypoints.map(({ id, x, y, occluded = false }) => {
    return { label: String(id), x, y, visibility: occluded ? 1 : 2 } as const;
  });
  return [toFound(data, { keypoints })];
}

function toFound(detection: Detection, shape: Pick<DrawnBox, 'points' | 'keypoints'>): Found {
  const { class: label, x, y, width, height, confidence } = detection;
  const tag = `${label} ${share(confidence)}`;
  return { confidence, box: { label, tag, x, y, width, height, ...shape } };
}

function bySurety<One extends { readonly confidence: number }>(all: readonly One[]): One[] {
  return all.toSorted((a, b) => b.confidence - a.confidence);
}

function share(confidence: number): string {
  return confidence.toFixed(2);
}
