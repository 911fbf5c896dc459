// What conditions ask for word by word, where they look as if more was meant: `line:>=3` asks for
// the text ">=3", which is right in the grammar and found nowhere.

import type { events } from '../../src/contract/events.ts';
import type { Input } from '../../src/contract/operation.ts';
import { asGiven } from '../format.ts';

type Filters = Input<typeof events.events_count>;

/** For filters that found nothing. */
export function meaningNotes(filters: Filters): readonly string[] {
  const { metadata_filter = [], event_data_filter = [], detection_filter = [] } = filters;
  return [
    ...[...metadata_filter, ...event_data_filter].flatMap((text) => {
      return note(text, 'value', valueIn(text), memberGrammar);
    }),
    ...detection_filter.flatMap((text) => note(text, 'class', classIn(text), detectionGrammar)),
  ];
}

/** The class that a condition on detections asks for; undefined: it names none. */
export function classIn(condition: string): string | undefined {
  return classTerm.exec(condition)?.[1];
}

const memberGrammar =
  'the operators are eq, ne, gt, lt, gte, lte, as in key:gte:5, and each condition is a text of its own';

const detectionGrammar =
  'terms are written class:person,confidence:gte:0.5,count:gte:3, and each class is a filter of its own';

function note(
  text: string,
  what: string,
  asked: string | undefined,
  grammar: string,
): readonly string[] {
  if (asked === undefined || !looksLikeMore.test(asked)) return [];
  return [`${asGiven(text)} asks for the ${what} ${asGiven(asked)}, word by word: ${grammar}.`];
}

/** Signs, quotes, wildcards, lists and words that join conditions. */
const looksLikeMore = /[:<>=!~,;&|"'*%]|^\s|\s$|\b(?:and|or)\b/i;

function valueIn(condition: string): string | undefined {
  return /^[^:]+:(?:(?:eq|ne|gt|lt|gte|lte):)?(.*)$/s.exec(condition)?.[1];
}

const classTerm =
  /(?:^|,)\s*class\s*(?::|=+)\s*(?:eq:\s*)?((?:(?!,\s*(?:class|confidence|count)\s*[:<>=!]).)*)/s;
