// An annotation as it is stored: its JSON, and what is counted of it. Made where the annotation is
// read, so that who stores it builds nothing of it.

import type { Annotation } from './annotation.ts';

export interface WrittenAnnotation {
  readonly kind: Annotation['kind'];
  /** The annotation as JSON. */
  readonly json: string;
  /** Each class, and how often it is there. */
  readonly labels: readonly (readonly [label: string, count: number])[];
  /** Boxes, or classes of the whole image. */
  readonly objects: number;
}

export function writeAnnotation(annotation: Annotation): WrittenAnnotation {
  const labels = labelsOf(annotation);
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return {
    kind: annotation.kind,
    json: JSON.stringify(annotation),
    labels: [...counts],
    objects: labels.length,
  };
}

/** One label for each box or class. */
export function labelsOf(annotation: Annotation): readonly string[] {
  return annotation.kind === 'detection'
    ? annotation.boxes.map(({ label }) => label)
    : annotation.labels;
}
