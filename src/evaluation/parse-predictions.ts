// The JSON of a file of predictions, bounded before it is parsed.

import { type FoveaError, invalidArgument } from '../errors.ts';
import { excessWords, jsonExcess } from '../json-scanner.ts';
import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';

const bounds = {
  elementsMax: limits.predictionValuesMax,
  depthMax: limits.predictionDepthMax,
  membersMax: limits.predictionMembersMax,
};

/** Throws `invalid_input` with the place, and what other form it may have. */
export function parsePredictions(text: string): unknown {
  const excess = jsonExcess(text, bounds);
  if (excess !== undefined) {
    throw invalidArgument('predictions', excessWords(excess, bounds), fewerPredictions);
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (thrown) {
    throw noJson(text, thrown instanceof Error ? thrown.message : '');
  }
}

const fewerPredictions =
  'Leave out predictions of low scores (below 0.05), write masks as compressed runs, or judge parts of the images by queries, each with its file.';

/** `problem`: of the parser, with the place or the text around it. */
function noJson(text: string, problem: string): FoveaError {
  const [, number] = /[[:,]\s*-?(NaN|Infinity)\b/.exec(text) ?? [];
  const what =
    number === undefined
      ? `is no JSON: ${quotedName(problem)}`
      : `has ${number}, which is no number of JSON`;
  return invalidArgument('predictions', what, formOf(text));
}

function formOf(text: string): string {
  const start = text.slice(0, 2_000).trimStart();
  if (start.startsWith('<')) return 'Of VOC files (.xml) give the folder, not one file.';
  if (/^\d+(\s+-?[\d.e-]+){4,}\s*$/m.test(start)) {
    return 'Of YOLO files (.txt) give the folder, not one file.';
  }
  if (/^\{[^\n]*\}\s*\n\s*\{/.test(start)) {
    return 'JSON Lines are not read: put the lines into one list, [ … ], with commas between them.';
  }
  return 'A file is one list of COCO results, [{"image_id": …}, …]; YOLO and VOC have a folder of files.';
}
