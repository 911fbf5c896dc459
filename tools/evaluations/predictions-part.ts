// Predictions as a part of a call: a file as it is, or the YOLO and VOC files of a folder in one.

import { stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { differingLists } from '../../src/annotation-formats/class-lists.ts';
import type { FilePart } from '../../src/contract/operation.ts';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { fileAt, fileSize } from '../format.ts';
import { openPart } from '../local-file.ts';
import { findClassNames } from '../upload/class-names.ts';
import { slashed } from '../upload/dataset-folders.ts';
import { readText } from '../upload/read-text.ts';
import { isClassTable, maskResults, masksAmong } from './mask-predictions.ts';

const argument = 'predictions';

const extensions = ['.txt', '.xml', '.png', '.csv'];

/** Throws `invalid_input` for a folder without such files, and `too_large`. Masks become runs. */
export async function predictionsPart(path: string, context: ToolContext): Promise<FilePart> {
  const { files, signal } = context;
  const real = await files.readable(path, argument);
  const entry = await stat(real);
  if (!entry.isDirectory()) {
    if (entry.size > limits.predictionFilesBytesMax) throw tooLarge(path);
    return openPart(path, argument, context);
  }
  const all = await files.expand([path], argument, { extensions });
  const found = all.filter(
    (file) => /\.(txt|xml)$/i.test(file) && basename(file).toLowerCase() !== 'classes.txt',
  );
  const masks = masksAmong(all, found.length > 0);
  if (masks.length > 0) {
    const tables = all.filter(isClassTable);
    const results = await maskResults({ folder: real, masks, tables }, context, (characters) => {
      if (characters > limits.predictionFilesBytesMax) throw tooLarge(path);
    });
    return { name: basename(real), content: new TextEncoder().encode(results) };
  }
  if (found.length === 0) {
    throw invalidArgument(
      argument,
      `${fileAt(path)} has no YOLO (.txt), no VOC (.xml) and no mask (.png) files`,
    );
  }
  const names = await findClassNames(files, path, argument, signal);
  const labels = found.map(slashed);
  const isClear = differingLists(names.find, labels).length === 0;
  const list = isClear ? labels.map(names.find).find((one) => one !== undefined) : undefined;
  const texts: { readonly name: string; readonly text: string }[] = [];
  let bytes = 0;
  for (const file of found) {
    signal.throwIfAborted();
    const text = await readText(file, argument, limits.annotationXmlBytesMax);
    bytes += text.length;
    if (bytes > limits.predictionFilesBytesMax) throw tooLarge(path);
    texts.push({ name: relative(real, file).replaceAll('\\', '/'), text });
  }
  const document = { files: texts, classes: list?.labelmap };
  const content = new TextEncoder().encode(JSON.stringify(document));
  if (content.length > limits.predictionFilesBytesMax) throw tooLarge(path);
  return { name: basename(real), content };
}

function tooLarge(path: string): FoveaError {
  const most = fileSize(limits.predictionFilesBytesMax);
  return new FoveaError('too_large', `${fileAt(path)} has more than ${most} of predictions.`, {
    hint: 'Leave out predictions of low scores (below 0.05), or judge parts of the images by queries.',
  });
}
