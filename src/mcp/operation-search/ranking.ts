// Ranks operations by the words that they share with a query.

import { suggestSpelling } from '../../spelling-suggestion.ts';
import type { ListedTool } from '../tool-list.ts';
import { missingOperations, operationSynonyms } from './synonyms.ts';
import { looking, stem, type WordWithSynonyms, withSynonyms } from './word-synonyms.ts';

/** Operations with their words, and in how many of them each word stands. */
export interface Index {
  readonly entries: readonly Entry[];
  readonly frequency: ReadonlyMap<string, number>;
  readonly byName: ReadonlyMap<string, ListedTool>;
}

interface Entry {
  readonly tool: ListedTool;
  readonly words: Readonly<Record<Place, ReadonlySet<string>>>;
  /** Phrases count more than their single words. */
  readonly phrases: readonly (readonly string[])[];
}

/** Where a word was found decides how much it counts. */
const weights = { name: 6, wishes: 5, title: 4, description: 2, parameters: 1 } as const;

type Place = keyof typeof weights;

const places: readonly Place[] = ['name', 'wishes', 'title', 'description', 'parameters'];

/** A phrase is meant; a single word may be there by chance. */
const phraseWeight = 4;

/** A synonym counts a little less than the word itself. */
const synonymWeight = 0.7;

/** Weak words, such as "show", only decide between equal matches. */
const weakWeight = 0.25;

/** Shorter words are too similar to each other to be corrected. */
const correctedLettersMin = 5;

export function indexed(tools: readonly ListedTool[]): Index {
  const entries = tools.map(entryOf);
  const frequency = new Map<string, number>();
  for (const { words } of entries) {
    for (const word of new Set(places.flatMap((place) => [...words[place]]))) {
      frequency.set(word, (frequency.get(word) ?? 0) + 1);
    }
  }
  return { entries, frequency, byName: new Map(tools.map((tool) => [tool.name, tool])) };
}

/** An operation, and whether it has most of the words that were asked for. */
export interface Match {
  readonly tool: ListedTool;
  readonly fits: boolean;
}

/** The operations that match any word, the best first, and the words that no operation has. */
export function ranked(
  wish: string,
  index: Index,
): { readonly matches: readonly Match[]; readonly unknown: readonly string[] } {
  const asked = askedOf(wish, index);
  const words = writtenIn(wish, index);
  const unknown = words.filter((options) => !options.some((word) => index.frequency.has(word)));
  // Two unknown words in a few: the wish is about something else.
  const isForeign = unknown.length > 1 && unknown.length * 3 > words.length;
  const written = isForeign ? [] : words;
  const scored = index.entries.map((entry) => ({
    entry,
    score: wordScore(entry, asked, index) + phraseScore(entry, asked, index),
  }));
  const matches = scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => ({
      tool: entry.tool,
      fits: hasEnough(wordsHad(entry, written), written.length),
    }));
  return { matches, unknown: unknown.map(([word]) => word) };
}

/** What to say to a wish for what no operation does; undefined: it is none of those known. */
export function missingOperation(wish: string): string | undefined {
  const words = wordsOf(wish);
  const isWished = (phrase: string) => {
    const asked = [...wordsOf(phrase)];
    // Another thing in the wish, such as a folder, may be what is meant.
    return asked.length === words.size && asked.every((word) => words.has(word));
  };
  return missingOperations.find(({ phrases }) => phrases.split(',').some(isWished))?.instead;
}

/** Fewer matching words are a coincidence; a long wish may need several operations. */
function hasEnough(had: number, words: number): boolean {
  return words > 0 && had >= Math.min(words * fittingShare, fittingWords);
}

const fittingShare = 0.5;
const fittingWords = 3;

/** A word of a description or a parameter may be there by chance. */
const chanceWeight = 0.5;

/**
 * The words of a wish as they were written, each with its synonyms: figures and names in capitals
 * do not count, and weak words only where there are no others.
 */
function writtenIn(wish: string, { frequency }: Index): readonly WordWithSynonyms[] {
  const plain = wish.replaceAll(/\b[A-Z]{2,}\b/g, (name) => (isKnown(name, frequency) ? name : ''));
  const words = [...wordsOf(plain)].filter((word) => !/^\d+$/.test(word));
  const strong = words.filter((word) => !weakWords.has(word));
  return (strong.length > 0 ? strong : words).map(withSynonyms);
}

/** How many of these words an operation has. */
function wordsHad({ words }: Entry, written: readonly WordWithSynonyms[]): number {
  return written.reduce((sum, options) => {
    const place = places.find((place) => options.some((option) => words[place].has(option)));
    if (place === undefined) return sum;
    return sum + (weights[place] > weights.description ? 1 : chanceWeight);
  }, 0);
}

function isKnown(name: string, frequency: Index['frequency']): boolean {
  return [...wordsOf(name)].some((word) => frequency.has(word));
}

function entryOf(tool: ListedTool): Entry {
  const { name, title, description, inputSchema } = tool;
  const phrases = (operationSynonyms[name] ?? '').split(',').map((phrase) => [...wordsOf(phrase)]);
  const words = {
    name: wordsOf(name),
    wishes: new Set(phrases.flat()),
    title: wordsOf(title),
    description: wordsOf(description),
    parameters: wordsOf(Object.keys(inputSchema.properties).join(' ')),
  };
  return { tool, words, phrases: phrases.filter(({ length }) => length > 0) };
}

function askedOf(wish: string, { frequency }: Index): readonly WordWithSynonyms[] {
  return [...wordsOf(wish)].map((word): WordWithSynonyms => {
    const options = withSynonyms(word);
    if (options.some((option) => frequency.has(option))) return options;
    const isLong = word.length >= correctedLettersMin;
    return [(isLong ? suggestSpelling(word, [...frequency.keys()]) : undefined) ?? word];
  });
}

function wordScore({ words }: Entry, asked: readonly WordWithSynonyms[], index: Index): number {
  const sum = asked.reduce((sum, options) => {
    const scores = options.map((word, at) => {
      const place = places.find((place) => words[place].has(word));
      if (place === undefined) return 0;
      return weights[place] * rarity(word, index) * (at === 0 ? 1 : synonymWeight);
    });
    return sum + Math.max(0, ...scores);
  }, 0);
  return sum;
}

/** The best of the phrases that the wish has in full. */
function phraseScore({ phrases }: Entry, asked: readonly WordWithSynonyms[], index: Index): number {
  const had = phrases.filter((phrase) =>
    phrase.every((word) => asked.some((options) => options.includes(word))),
  );
  const scores = had.map((phrase) =>
    phrase.reduce((sum, word) => {
      const isSame = asked.some(([first]) => first === word);
      return sum + phraseWeight * inFew(word, index) * (isSame ? 1 : synonymWeight);
    }, 0),
  );
  return Math.max(0, ...scores);
}

function rarity(word: string, index: Index): number {
  return weakWords.has(word) ? weakWeight * inFew(word, index) : inFew(word, index);
}

/** Rare words count more than words of many operations. */
function inFew(word: string, { entries, frequency }: Index): number {
  return Math.log(1 + entries.length / (frequency.get(word) ?? entries.length));
}

const weakWords = new Set(
  [...looking, 'find', 'one', 'all', 'have', 'use', 'like', 'why'].map(stem),
);

/** Words that are in every wish. */
const fillers = new Set(
  (
    'a an and are at be can could do does did for from has i if in into is it its let me my of ' +
    'on or our please s that the their them there these this to us want was we were will with would ' +
    'you your how where when need should must just really whether whom given'
  ).split(' '),
);

function wordsOf(text: string): ReadonlySet<string> {
  const words = joined(text.toLowerCase()).match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !fillers.has(word)).map(stem));
}

/** Words whose meaning depends on the words beside them. */
function joined(text: string): string {
  const whole = text
    .replace(/(?<![a-z])(?:log|sign)(?:g?ed|g?ing)?[\s_-]?(?:me )?(?:in|on)\b/g, 'signin')
    .replace(/(?<![a-z])(?:log|sign)(?:g?ed|g?ing)?[\s_-]?(?:me )?(?:out|off)\b/g, 'signout')
    .replace(/\bhow (?:many|much)\b/g, 'howmany')
    .replace(/\b(?:turn|switch) on\b/g, 'enable')
    .replace(/\b(?:turn|switch) off\b/g, 'disable')
    .replace(/\bpre[\s-](?=label|annot)/g, 'pre');
  // Beside other splits, "train" means the split, not a training.
  const isSplit = /\b(?:val|valid|validation|test)\b/.test(whole);
  return isSplit ? whole.replace(/\btrain\b/g, 'trainsplit') : whole;
}
