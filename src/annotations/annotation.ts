// What somebody said an image shows: boxes, or classes of the whole image. In absolute pixels.

import type { projectTypes } from '../contract/projects.ts';
import type { Box } from '../imaging/box.ts';

export type ProjectType = (typeof projectTypes)[number];

/** No boxes, or no labels: somebody looked, and there is nothing to label. */
export type Annotation =
  | { readonly kind: 'detection'; readonly boxes: readonly Box[] }
  | { readonly kind: 'classification'; readonly labels: readonly string[] };

export function hasOutlines(projectType: ProjectType): boolean {
  return projectType === 'instance-segmentation' || projectType === 'semantic-segmentation';
}

export function isClassification(projectType: ProjectType): boolean {
  return (
    projectType === 'single-label-classification' || projectType === 'multi-label-classification'
  );
}
