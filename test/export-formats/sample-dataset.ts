// Makes datasets and exports for tests.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import type { ProjectType } from '../../src/annotations/annotation.ts';
import type { ExportDataset, ExportImage } from '../../src/export-formats/export-dataset.ts';
import { checkExportFormat } from '../../src/export-formats/export-format.ts';
import { writeExport } from '../../src/export-formats/write-zip.ts';
import type { Box } from '../../src/imaging/box.ts';
import { readZip } from '../fixtures/read-zip.ts';

/** Odd names, a box without an area, one over two edges, one of no whole pixels. */
export const oddBoxes: readonly Box[] = [
  { label: 'salt & "pepper"', x: 60.5, y: 45, width: 101, height: 50 },
  { label: 'RBC', x: 504, y: 337, width: 0, height: 0 },
  { label: 'RBC', x: 650, y: 5, width: 100.2, height: 50.7 },
  { label: '<WBC>', x: 33.333, y: 66.667, width: 0.1, height: 0.3 },
];

export function image(given: Partial<ExportImage> = {}): ExportImage {
  const fileName = given.fileName ?? 'cell.jpg';
  return {
    split: 'train',
    fileName,
    width: 640,
    height: 480,
    boxes: oddBoxes,
    labels: [],
    open: async () => Readable.from([Buffer.from(`pixels of ${fileName}`)]),
    ...given,
  };
}

export function boxOf(x: number, y: number, width: number, height: number, label = 'RBC'): Box {
  return { label, x, y, width, height };
}

export function dataset(
  images: readonly ExportImage[],
  projectType: ProjectType = 'object-detection',
): ExportDataset {
  return {
    projectType,
    classes: projectType.endsWith('classification') ? [] : ['RBC', 'Platelets'],
    info: {
      project: 'Blood cells',
      annotation: 'cells',
      version: 3,
      versionName: 'first try',
      license: 'MIT',
      created: 1_700_000_000_000,
    },
    images: async function* (split) {
      for (const one of images) if (split === undefined || one.split === split) yield one;
    },
  };
}

/** The files of an export, in their order. */
export async function exportBytes(
  format: string,
  given: ExportDataset,
): Promise<ReadonlyMap<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-exports-'));
  try {
    const path = join(folder, 'export.zip');
    const checked = checkExportFormat(format, given.projectType);
    const { bytes, files } = await writeExport(checked, given, path);
    expect((await readFile(path)).length).toBe(bytes);
    const entries = await readZip(path);
    expect(entries.size).toBe(files);
    return entries;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The same as text. */
export async function exported(
  format: string,
  images: readonly ExportImage[],
  projectType?: ProjectType,
): Promise<ReadonlyMap<string, string>> {
  const files = await exportBytes(format, dataset(images, projectType));
  return new Map([...files].map(([path, content]) => [path, content.toString()]));
}
