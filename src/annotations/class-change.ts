// Renames, merges and removes classes in an annotation.

import type { Annotation } from './annotation.ts';
import { labelsOf } from './serialized-annotation.ts';

export interface ClassChange {
  /** New names by the old ones. Several old ones with one new name become one class. */
  readonly rename: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** By class, what becomes of it: its new name; undefined: its labels go. */
export type ClassTargets = ReadonlyMap<string, string | undefined>;

export function classTargets({ rename, remove }: ClassChange): ClassTargets {
  return new Map<string, string | undefined>([
    ...Object.entries(rename),
    ...remove.map((name): [string, undefined] => [name, undefined]),
  ]);
}

/** What becomes of classes by changes that follow each other. */
export function composedTargets(changes: readonly ClassChange[]): ClassTargets {
  const composed = new Map<string, string | undefined>();
  for (const change of changes) {
    const targets = classTargets(change);
    for (const [name, to] of composed) {
      if (to !== undefined && targets.has(to)) composed.set(name, targets.get(to));
    }
    // What had such a name before has another one by now.
    for (const [name, to] of targets) if (!composed.has(name)) composed.set(name, to);
  }
  return composed;
}

export interface ChangedAnnotation {
  readonly annotation: Annotation;
  /** How many labels have another class, or are gone; 0: it is as before. */
  readonly changed: number;
}

/** All at once: of `{a: b, b: a}` the two classes change places. */
export function changeClasses(annotation: Annotation, targets: ClassTargets): ChangedAnnotation {
  const changed = labelsOf(annotation).filter((label) => targets.has(label)).length;
  if (annotation.kind === 'detection') {
    const boxes = annotation.boxes.flatMap((box) => {
      const label = targetOf(box.label, targets);
      return label === undefined ? [] : [{ ...box, label }];
    });
    return { annotation: { kind: 'detection', boxes }, changed };
  }
  const labels = annotation.labels.flatMap((label) => targetOf(label, targets) ?? []);
  // Of the whole image a class is said once.
  return { annotation: { kind: 'classification', labels: [...new Set(labels)] }, changed };
}

function targetOf(label: string, targets: ClassTargets): string | undefined {
  return targets.has(label) ? targets.get(label) : label;
}
