// Queries that people try: understood, or refused with the right form. None is taken for words that
// no image has.

import { expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { conditionText } from '../../src/query-language/condition-text.ts';
import { parseQuery } from '../../src/query-language/parse-query.ts';

const projects = new Map([['cells', 'p1']]);
const parse = (text: string) => parseQuery(text, (slug) => projects.get(slug));

test.each([
  ['metadata.camera=trail', 'metadata:camera=trail'],
  ['metadata.camera:trail', 'metadata:camera=trail'],
  ['metadata:camera:trail', 'metadata:camera=trail'],
  ['metadata:camera=trail', 'metadata:camera=trail'],
  ['split:training', 'split:train'],
  ['split:val', 'split:valid'],
  ['annotated:false', 'annotated:false'],
])('%s is understood as %s', (query, understood) => {
  expect(conditionText(parse(query).query)).toBe(understood);
});

test.each([
  [
    'user_metadata:camera=trail',
    'at character 1: there is no field "user_metadata"; write metadata:KEY=VALUE',
  ],
  ['camera=trail', 'at character 1: "camera=trail" is no condition; write metadata:camera=trail'],
  [
    'camera:trail',
    'at character 1: there is no field "camera"; metadata is written metadata:camera=VALUE',
  ],
  ['camera=="trail"', 'at character 1: "camera==" is no condition; write metadata:camera=VALUE'],
  [
    'metadata:temperature>5',
    'at character 10: metadata is compared with "=" alone, as in metadata:camera=7 and -metadata:camera=7',
  ],
  ['split=train', 'at character 1: "split=train" is no condition; write split:train'],
  ['tag=night', 'at character 1: "tag=night" is no condition; write tag:night'],
  ['tags:night', 'at character 1: there is no field "tags"; did you mean "tag:"?'],
  ['tag!=night', 'at character 1: "tag!=night" is no condition; write -tag:night'],
  ['-tag=night', 'at character 2: "tag=night" is no condition; write tag:night'],
  [
    'tag:night && class:car',
    'at character 11: write AND, or nothing: conditions next to each other must all hold',
  ],
  ['tag:night | class:car', 'at character 11: write OR'],
  ['class=car', 'at character 1: "class=car" is no condition; write class:car'],
  ['car>=3', 'at character 1: "car>=3" is no condition; write class:car>=3 where "car" is a class'],
  ['label:car', 'at character 1: there is no field "label"; write class:NAME'],
  ['classes:car', 'at character 1: there is no field "classes"; did you mean "class:"?'],
  ['class:car AND', 'at character 14: a condition is missing here'],
  ['width>640', 'at character 1: "width>640" is no condition; write min-width:641'],
  ['height<480', 'at character 1: "height<480" is no condition; write max-height:479'],
  [
    'annotations=0',
    'at character 1: "annotations=0" is no condition; write min-annotations:0 max-annotations:0',
  ],
  ['annotated=false', 'at character 1: "annotated=false" is no condition; write annotated:false'],
  ['annotated:no', 'at character 11: must be true or false, but is "no"'],
  [
    'has:annotations',
    'at character 1: there is no field "has"; write annotated:true or annotated:false',
  ],
  [
    'is:unannotated',
    'at character 1: there is no field "is"; write annotated:true or annotated:false',
  ],
  // A field that says the opposite is not what is meant.
  [
    'unannotated:true',
    'at character 1: there is no field "unannotated"; write annotated:true or annotated:false',
  ],
  [
    'non-predicted:true',
    'at character 1: there is no field "non-predicted"; write -predicted:VALUE for images without it',
  ],
  [
    'noclass:WBC',
    'at character 1: there is no field "noclass"; write -class:VALUE for images without it',
  ],
  [
    'filename=IMG_1.jpg',
    'at character 1: "filename=IMG_1.jpg" is no condition; write filename:IMG_1.jpg',
  ],
  ['name:IMG*', 'at character 1: there is no field "name"; write filename:IMG_*.jpg'],
  ['project=cells', 'at character 1: "project=cells" is no condition; write project:cells'],
  ['project:none', 'at character 9: there is no project "none"'],
  ['project:local/cells', 'at character 9: there is no project "local/cells"'],
  [
    'created>2026-01-01',
    'at character 1: "created>2026-01-01" is no condition; images are not searched by date; sort:created-desc has the newest first',
  ],
  [
    'date:2026-01-01',
    'at character 1: there is no field "date"; images are not searched by date; sort:created-desc has the newest first',
  ],
  [
    'confidence>0.5',
    'at character 1: "confidence>0.5" is no condition; numbers of labels and sizes in pixels alone can be compared',
  ],
  ['min-width=640', 'at character 1: "min-width=640" is no condition; write min-width:640'],
  ['12:30', 'at character 1: "12:30" is no condition; write metadata:12=30'],
  ['boxes>15', 'at character 1: "boxes>15" is no condition; write min-annotations:16'],
  ['class:RBC > 12', 'at character 11: write conditions without spaces, as in class:car>=3'],
  ['split:all', 'at character 7: there is no split "all"; use train, valid or test'],
  [
    'metadata.camera!=7',
    'at character 10: metadata is compared with "=" alone, as in metadata:camera=7 and -metadata:camera=7',
  ],
  [
    'metadata:camera==7',
    'at character 17: metadata is compared with "=" alone, as in metadata:camera=7 and -metadata:camera=7',
  ],
  ['metadata.camera', 'at character 1: write metadata:KEY or metadata:KEY=VALUE'],
  ['metadata.camera>7', 'at character 1: write metadata:KEY or metadata:KEY=VALUE'],
  ['tags=t1', 'at character 1: "tags=t1" is no condition; write tag:NAME'],
  ['annotated=False', 'at character 1: "annotated=False" is no condition; write annotated:false'],
])('%s is refused: %s', (query, message) => {
  let refusal: unknown;
  try {
    parse(query);
  } catch (thrown) {
    refusal = thrown;
  }
  if (!(refusal instanceof FoveaError)) throw new Error('it was understood');
  expect(refusal.problems?.map((problem) => problem.message)).toEqual([message]);
});
