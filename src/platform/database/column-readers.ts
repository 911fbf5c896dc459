// Converts columns of rows to domain values.

import type { Annotation, ProjectType } from '../../annotations/annotation.ts';
import { type SplitName, splitName } from '../../contract/fields.ts';
import { projectTypes } from '../../contract/projects.ts';
import { FoveaError } from '../../errors.ts';
import { type ImageFormat, imageContentTypes } from '../../imaging/image-format.ts';
import type { Row } from '../../storage/database.ts';
import type { Metadata } from '../store/images.ts';
import type { LabelCounts, SplitCounts } from '../store/projects.ts';

export function readSplit(row: Pick<Row, 'text'>): SplitName {
  return oneOf(splitName.options, row.text('split'));
}

export function readProjectType(row: Row): ProjectType {
  return oneOf(projectTypes, row.text('type'));
}

export function readFormat(row: Row): ImageFormat {
  const format = row.text('format');
  if (isImageFormat(format)) return format;
  throw damaged('format');
}

/** Undefined: the image has no annotation. */
export function readAnnotation(row: Pick<Row, 'optionalText'>): Annotation | undefined {
  const text = row.optionalText('annotation');
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (isAnnotation(value)) return value;
  throw damaged('annotation');
}

export function readMetadata(row: Row): Metadata {
  const value = row.json('metadata');
  if (isRecordOf(value, isScalar)) return value;
  throw damaged('metadata');
}

export function readSplits(row: Row): SplitCounts {
  return splitCountsOf(readCounts(row, 'splits'));
}

export function readCounts(row: Row, column: string): LabelCounts {
  const value = row.json(column);
  if (isRecordOf(value, isNumber)) return value;
  throw damaged(column);
}

/** Counts with a place for each split. */
export function splitCountsOf(counts: LabelCounts): SplitCounts {
  return { train: counts.train ?? 0, valid: counts.valid ?? 0, test: counts.test ?? 0 };
}

export function readTexts(row: Row, column: string): readonly string[] {
  const value = row.json(column);
  if (Array.isArray(value) && value.every((member) => typeof member === 'string')) return value;
  throw damaged(column);
}

export function oneOf<Name extends string>(names: readonly Name[], value: string): Name {
  const found = names.find((name) => name === value);
  if (found === undefined) throw damaged(value);
  return found;
}

function isImageFormat(value: string): value is ImageFormat {
  return value in imageContentTypes;
}

function isAnnotation(value: unknown): value is Annotation {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  return value.kind === 'detection' ? 'boxes' in value : 'labels' in value;
}

function isRecordOf<Value>(
  value: unknown,
  isMember: (member: unknown) => member is Value,
): value is Record<string, Value> {
  return typeof value === 'object' && value !== null && Object.values(value).every(isMember);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function damaged(what: string): FoveaError {
  return new FoveaError('internal', `The platform's database holds an unreadable ${what}.`);
}
