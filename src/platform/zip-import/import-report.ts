// The report of a zip import: counts, and a CSV table of all files.

import { baseName } from '../../annotation-formats/path-hints.ts';
import { limits } from '../../limits.ts';
import { labelOf } from '../images/upload-image.ts';
import type { SplitCounts } from '../store/projects.ts';
import type { RefusedFile } from '../store/refused-files.ts';
import type { ExactDuplicate, ImportedImage } from './import-image.ts';
import type { RefusedEntry } from './import-source.ts';
import type { PassedOver } from './plan-import.ts';

export interface ZipOutcome {
  /** In the order of the archive. */
  readonly images: readonly ImportedImage[];
  readonly refused: readonly RefusedEntry[];
  readonly passedOver: readonly PassedOver[];
  /** Both as of ImportPlan. */
  readonly classLists: readonly string[];
  readonly unlisted: number;
}

/** One line of the report. */
interface Line {
  readonly file: string;
  readonly outcome: string;
  readonly imageId: string;
  readonly annotation: string;
  readonly boxes: number;
  readonly problem: string;
  readonly duplicate: ExactDuplicate | undefined;
}

/**
 * The result of the task: how many images were added, were there already or failed, what of their
 * annotations was taken, and the first files about which there is something to say.
 */
export function zipResult(outcome: ZipOutcome, batch: string) {
  const { images, refused, classLists, unlisted } = outcome;
  const added = images.filter((image) => image.outcome === 'added');
  const annotated = (what: ImportedImage['annotation']) =>
    images.filter((image) => image.outcome !== 'failed' && image.annotation === what).length;
  const spoken = linesOf(outcome).filter(({ problem }) => problem !== '');
  const shown = spoken.slice(0, limits.zipReportRowsShownMax);
  const copies = images.flatMap(({ path, duplicate }) =>
    duplicate ? [{ file: path, ...duplicate }] : [],
  );
  return {
    images: added.length,
    duplicates: images.filter((image) => image.outcome === 'duplicate').length,
    ...(copies.length > 0 && {
      exactDuplicatesTotal: copies.length,
      exactDuplicates: copies.slice(0, limits.zipReportRowsShownMax),
      conflictingDuplicates: copies.filter(({ labels }) => labels === 'conflicting').length,
    }),
    failed: images.filter((image) => image.outcome === 'failed').length + refused.length,
    annotated: annotated('added'),
    boxes: sum(images.map(({ boxes }) => boxes)),
    alreadyAnnotated: annotated('already_there'),
    unannotated: annotated('none'),
    annotationsRefused: annotated('refused'),
    warnings: sum(images.map(({ warnings }) => warnings)),
    splits: splitsOf(added),
    ...(unlisted > 0 && { inNoSplitList: unlisted }),
    ...(classLists.length > 0 && {
      classNameFiles: classLists.slice(0, limits.zipReportRowsShownMax),
    }),
    batch,
    files: shown.map(({ file, outcome, problem }) => ({ file, outcome, problem })),
    ...(spoken.length > shown.length && {
      truncated: `${shown.length} of ${spoken.length} files are shown; the report has all`,
    }),
  };
}

/** Images that failed, and files that could not be read at all. */
export function refusedFiles(
  { images, refused }: ZipOutcome,
  at: number,
  who: string | undefined,
): readonly RefusedFile[] {
  const failed = images.filter(({ outcome }) => outcome === 'failed');
  const files = [
    ...failed.map(({ path, problems }) => ({ path, reason: problems.join('; ') })),
    ...refused.map(({ shownPath, problem }) => ({ path: shownPath, reason: problem })),
  ];
  return files.map(({ path, reason }) => ({
    file: path,
    name: labelOf(baseName(path)),
    identity: path,
    reason: reason.slice(0, limits.zipProblemCharactersMax),
    at,
    who,
  }));
}

function splitsOf(images: readonly ImportedImage[]): SplitCounts {
  const count = (name: string) => images.filter(({ split }) => split === name).length;
  return { train: count('train'), valid: count('valid'), test: count('test') };
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

/** Files that failed first, then those with something odd, then what was passed over. */
function linesOf({ images, refused, passedOver }: ZipOutcome): readonly Line[] {
  const others = { imageId: '', annotation: '', boxes: 0, duplicate: undefined };
  const lines = [
    ...refused.map(({ shownPath, problem }) => ({
      file: shownPath,
      outcome: 'refused',
      ...others,
      problem,
    })),
    ...images.map(lineOf),
    ...passedOver.map(({ path, problem }) => ({
      file: path,
      outcome: 'passed over',
      ...others,
      problem,
    })),
  ];
  const rank = ({ outcome }: Line) => ['refused', 'failed'].indexOf(outcome);
  return lines
    .map((line) => ({ ...line, problem: line.problem.slice(0, limits.zipProblemCharactersMax) }))
    .toSorted((a, b) => Math.sign(rank(b) + 1) - Math.sign(rank(a) + 1));
}

function lineOf(image: ImportedImage): Line {
  const { path, outcome, imageId = '', annotation, boxes, problems, duplicate } = image;
  return {
    file: path,
    outcome,
    imageId,
    boxes,
    duplicate,
    annotation: outcome === 'failed' ? '' : annotation.replaceAll('_', ' '),
    problem: problems.join('; '),
  };
}

/** All files as CSV (RFC 4180), with a line of headings. */
export function zipReport(outcome: ZipOutcome): string {
  const told = ['file', 'outcome', 'image', 'annotation', 'boxes', 'problem'];
  const headings = [...told, 'duplicate of', 'its labels'];
  const rows = linesOf(outcome).map(
    ({ file, outcome, imageId, annotation, boxes, problem, duplicate }) => [
      ...[file, outcome, imageId, annotation, String(boxes), problem],
      duplicate?.of ?? '',
      duplicate?.labels ?? '',
    ],
  );
  return [headings, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** A cell that a spreadsheet would take for a formula begins with an apostrophe (CWE-1236). */
function cell(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
