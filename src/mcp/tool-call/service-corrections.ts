// What a service says that was meant, as fixes of the arguments. Its words are not to be trusted:
// only what is a few letters from the caller's own word is taken.

import type { Problem, UpstreamError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { Arguments } from '../tool-profiles.ts';
import { memberAt } from './argument-paths.ts';

/**
 * The problems that a service found, each with its fix; none where one of them has no certain end.
 * They are read from `PATH: ... did you mean "NAME"?`, as our own services say it.
 */
export function serviceCorrections(
  { status, message, hint = '' }: UpstreamError,
  args: Arguments,
): readonly Problem[] {
  if (status !== 400 && status !== 422) return [];
  const said = splitProblems(message);
  // With one problem, what was meant may stand in the hint.
  const whole =
    said.length === 1 ? said.map((one) => ({ ...one, words: `${one.words} ${hint}` })) : said;
  const problems = whole.flatMap((one) => mended(one, args) ?? []);
  return problems.length === said.length ? problems : [];
}

interface Said {
  readonly path: string;
  readonly words: string;
}

/** `a: is wrong; b[0].c: is wrong`. */
function splitProblems(message: string): readonly Said[] {
  return message.split(/; (?=[\w.[\]-]{1,120}: )/).flatMap((part) => {
    const [, path, words] = /^([\w.[\]-]{1,120}): (.*)$/s.exec(part) ?? [];
    return path === undefined || words === undefined ? [] : [{ path, words }];
  });
}

function mended({ path, words }: Said, args: Arguments): Problem | undefined {
  const [, meant] = /\bdid you mean "([^"]{1,60})"\?/i.exec(words) ?? [];
  const value = memberAt(args, path);
  if (meant === undefined || value === undefined) return undefined;
  const problem = { path, message: words };
  const name = path.split('.').at(-1) ?? '';
  if (words.startsWith('is not known') && isNear(name, meant)) {
    return { ...problem, fix: { kind: 'rename', to: meant } };
  }
  if (typeof value !== 'string') return undefined;
  const by = meant.endsWith(':')
    ? withField(value, words, meant)
    : isNear(value, meant)
      ? meant
      : undefined;
  return by === undefined ? undefined : { ...problem, fix: { kind: 'replace', by } };
}

/** In a query, the field that is none; undefined where it does not stand there once. */
function withField(query: string, words: string, meant: string): string | undefined {
  const [, wrong] = /^.{0,40}\bthere is no field "([\w-]{1,60})"/.exec(words) ?? [];
  if (wrong === undefined || !/^[\w-]+:$/.test(meant)) return undefined;
  if (!isNear(wrong, meant.slice(0, -1))) return undefined;
  const [before, after, ...more] = query.split(new RegExp(`(?<![\\w"-])${wrong}:`));
  if (before === undefined || after === undefined || more.length > 0) return undefined;
  return `${before}${meant}${after}`;
}

function isNear(given: string, meant: string): boolean {
  return nearest(given, [meant]) === meant;
}
