// The setting `preprocessing.tile` (API 4.27 to 4.29): one of three shapes.

import * as z from 'zod';
import type { JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { expectation } from './schema-introspection.ts';
import { fitsImage, type MemberProblem, rule } from './version-setting-rules.ts';

/** Like z.int(), whose type error would suppress the problems of other members. */
const side = z.number().multipleOf(1).min(1).max(limits.imageSideMax).meta({ type: 'integer' });

/** docs/spec shows `black` and `width`; the others follow from what resize and crop know. */
const tileEdge = {
  overlap: z.number().min(0).lt(100),
  padding: z.enum(['black', 'white', 'grey', 'reflect']),
};

const grid = z.strictObject({ rows: side, columns: side });
const fixedSize = z.strictObject({
  mode: z.literal('fixed_size'),
  tileWidth: side,
  tileHeight: side,
  ...tileEdge,
});
const fixedAspect = z.strictObject({
  mode: z.literal('fixed_aspect'),
  aspectRatio: z.number().gt(0),
  span: z.enum(['width', 'height']),
  ...tileEdge,
});

const shapes = z.union([grid, fixedSize, fixedAspect]);

/** The members of all shapes, so that misspelt names are compared with all of them. */
const members = z
  .strictObject({
    ...grid.shape,
    ...fixedSize.shape,
    ...fixedAspect.shape,
    mode: z.enum(['fixed_size', 'fixed_aspect']),
  })
  .partial()
  .check(rule(shapeProblems), fitsImage('tileWidth', 'tileHeight'));

/** Unlike a union, it reports errors about the shape that was meant. */
export const tile = shapedAs(members, shapes);

/** Gives a schema the static type of another one that accepts the same values. */
function shapedAs<Shape extends z.ZodType>(
  rules: z.ZodType,
  shape: Shape,
): z.ZodType<z.output<Shape>, z.input<Shape>>;
function shapedAs(rules: z.ZodType): z.ZodType {
  return rules;
}

/** Unexpected or missing members of the intended shape, judged by `mode` or the members. */
function shapeProblems(given: JsonObject, hasUnknown: boolean): readonly MemberProblem[] {
  const names = Object.keys(given);
  if (names.includes('mode')) {
    if (given.mode === 'fixed_size') return misfits(fixedSize, names, 'with mode "fixed_size"');
    if (given.mode === 'fixed_aspect') {
      return misfits(fixedAspect, names, 'with mode "fixed_aspect"');
    }
    return [];
  }
  if (names.includes('rows') || names.includes('columns')) {
    return misfits(grid, names, 'with rows and columns');
  }
  if (names.includes('tileWidth') || names.includes('tileHeight')) {
    return [modeIsMissing('"fixed_size"'), ...misfits(fixedSize, ['mode', ...names], 'beside it')];
  }
  if (names.includes('aspectRatio') || names.includes('span')) {
    return [
      modeIsMissing('"fixed_aspect"'),
      ...misfits(fixedAspect, ['mode', ...names], 'beside it'),
    ];
  }
  if (names.length > 0) return [modeIsMissing('one of fixed_size, fixed_aspect')];
  if (hasUnknown) return [];
  const message = 'needs rows and columns, or mode fixed_size or fixed_aspect; got none of them';
  return [{ path: [], message }];
}

function modeIsMissing(right: string): MemberProblem {
  return { path: ['mode'], message: `is required with these members (${right})` };
}

function misfits(
  shape: z.ZodObject,
  given: readonly string[],
  where: string,
): readonly MemberProblem[] {
  const known = Object.keys(shape.shape);
  return [
    ...known
      .filter((name) => !given.includes(name))
      .map((name) => ({
        path: [name],
        message: `is required ${where} (${expectation(shape.shape[name])}).`,
      })),
    ...given
      .filter((name) => !known.includes(name))
      .map((name) => ({
        path: [name],
        message: `does not go ${where}; what does is ${known.join(', ')}`,
      })),
  ];
}
