// The export formats, and what goes into one.

import type { SplitName } from '../../contract/fields.ts';
import { FoveaError, invalidArgument } from '../../errors.ts';
import type { Box, ProjectType } from '../annotations/annotation.ts';

export const exportFormats = ['coco', 'yolov8', 'voc'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** One image of a dataset version, with its boxes in pixels (x and y: the centre). */
export interface ExportImage {
  readonly split: SplitName;
  /** Made safe and unique in its split, see export-names.ts. */
  readonly fileName: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
}

/** What stands in README.txt and in the head of the files. */
export interface ExportInfo {
  /** Name of the project. */
  readonly project: string;
  readonly version: number;
  readonly versionName: string;
  readonly license: string | undefined;
  /** When the version was made, in milliseconds since 1970. */
  readonly created: number;
}

export interface ExportDataset<Image extends ExportImage = ExportImage> {
  readonly projectType: ProjectType;
  /** All class names; those of the boxes are added where they are missing. */
  readonly classes: readonly string[];
  readonly info: ExportInfo;
  readonly images: readonly Image[];
}

/** One text file of an export. Its content is made when it is written, piece by piece. */
export interface ExportFile {
  readonly path: string;
  readonly content: () => Iterable<string>;
}

/**
 * The format of that name, for a project of that type. Throws `invalid_input` when the name is
 * unknown or the format cannot hold what the project labels.
 */
export function checkExportFormat(format: string, projectType: ProjectType): ExportFormat {
  const known = exportFormats.find((name) => name === format);
  if (known === undefined) {
    throw invalidArgument('format', `is not an export format here; use ${list(exportFormats)}`);
  }
  const formats = formatsOf(projectType);
  if (formats.length === 0) {
    throw new FoveaError(
      'not_implemented',
      `There is no export of ${projectType} projects yet: coco, yolov8 and voc hold boxes.`,
      { problems: [{ path: 'format', message: `holds boxes, the project is ${projectType}` }] },
    );
  }
  if (!formats.includes(known)) {
    throw invalidArgument('format', `cannot hold ${projectType}; use ${list(formats)}`);
  }
  return known;
}

function formatsOf(projectType: ProjectType): readonly ExportFormat[] {
  switch (projectType) {
    case 'object-detection':
    case 'instance-segmentation':
    case 'semantic-segmentation':
      return exportFormats;
    case 'keypoint-detection':
      return ['coco'];
    default:
      return [];
  }
}

function list(formats: readonly string[]): string {
  return formats.map((name) => `"${name}"`).join(' or ');
}
