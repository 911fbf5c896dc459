// Classes of whole images: a class name as text, or a JSON array of class names.

import type { Annotation, ProjectType } from '../annotations/annotation.ts';
import type { Parsed } from './annotation-file.ts';
import { readLabel, readList, refusal } from './value-checks.ts';

/** One class name, the whole text. */
export function parseClassName(text: string): Parsed {
  return parsedLabels([readLabel(text, 'the class name')]);
}

/** An empty array says that no class fits. */
export function parseClassNames(document: unknown, projectType: ProjectType): Parsed {
  const names = readList(document, '').map((name, index) => readLabel(name, `[${index}]`));
  const labels = [...new Set(names)];
  if (projectType === 'single-label-classification' && labels.length > 1) {
    throw refusal('', `has ${labels.length} class names; this project takes one for each image`);
  }
  return parsedLabels(labels);
}

function parsedLabels(labels: readonly string[]): Parsed {
  const annotation: Annotation = { kind: 'classification', labels };
  return { annotation, warnings: [] };
}
