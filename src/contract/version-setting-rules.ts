// Validation rules over several members of one setting. They also run where other members are
// invalid, so that all problems are reported together.

import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';

export interface MemberProblem {
  readonly path: readonly string[];
  /** What was given and what would be right. */
  readonly message: string;
}

type Rule = z.core.$ZodCheck<JsonObject>;

/**
 * A rule over the members of an object. `problemsOf` must not trust their types; `hasUnknown` says
 * whether there are unknown members. Members that already have a problem are skipped.
 */
export function rule(
  problemsOf: (members: JsonObject, hasUnknown: boolean) => readonly MemberProblem[],
): Rule {
  return z.superRefine<JsonObject>(
    (members, context) => {
      const wrong = new Set(context.issues.map((issue) => issue.path?.[0]));
      for (const { path, message } of problemsOf(members, context.issues.some(isUnknownHere))) {
        const [member] = path;
        if (member !== undefined && wrong.has(member)) continue;
        context.addIssue({ code: 'custom', path: [...path], message, input: members });
      }
    },
    { when: ({ value }) => isJsonObject(value) },
  );
}

/** One member must not be greater than another. The problem stands at the first. */
export function atMost(lesser: string, greater: string): Rule {
  return ordered(lesser, greater, 'at most', (a, b) => a <= b);
}

/** One member must be less than another. The problem stands at the first. */
export function lessThan(lesser: string, greater: string): Rule {
  return ordered(lesser, greater, 'less than', (a, b) => a < b);
}

/** Two sides must not have more pixels together than an image may have. Problem: at the first. */
export function fitsImage(width: string, height: string): Rule {
  return rule((members) => {
    const [a, b] = [members[width], members[height]];
    const most = limits.imagePixelsMax;
    if (typeof a !== 'number' || typeof b !== 'number' || a * b <= most) return [];
    const message = `times ${height} must be at most ${most} pixels, got ${a} x ${b}`;
    return [{ path: [width], message }];
  });
}

/** One of these members must be given. Silent where a misspelt one may have meant it. */
export function someGiven(...names: readonly string[]): Rule {
  return z.superRefine<JsonObject>(
    (members, context) => {
      if (names.some((name) => members[name] !== undefined)) return;
      const message = `needs at least one of ${names.join(', ')}; got none`;
      context.addIssue({ code: 'custom', message, input: members });
    },
    { when: ({ value, issues }) => isJsonObject(value) && !issues.some(isUnknownHere) },
  );
}

/** Replaces the messages of unknown members; undefined: the default message stays. */
export function unknownMembers(explain: (name: string) => string | undefined): Rule {
  return z.superRefine<JsonObject>(
    (members, context) => {
      const { issues } = context;
      for (const [at, issue] of [...issues.entries()].reverse()) {
        if (issue.code !== 'unrecognized_keys' || !isUnknownHere(issue)) continue;
        const kept = issue.keys.filter((name) => explain(name) === undefined);
        issues.splice(at, 1, ...(kept.length > 0 ? [{ ...issue, keys: kept }] : []));
        for (const name of issue.keys) {
          const message = explain(name);
          if (message === undefined) continue;
          context.addIssue({ code: 'custom', path: [name], message, input: members });
        }
      }
    },
    { when: ({ value }) => isJsonObject(value) },
  );
}

function ordered(
  lesser: string,
  greater: string,
  words: string,
  isRight: (a: number, b: number) => boolean,
): Rule {
  return rule((members) => {
    const [a, b] = [members[lesser], members[greater]];
    if (typeof a !== 'number' || typeof b !== 'number' || isRight(a, b)) return [];
    return [{ path: [lesser], message: `must be ${words} ${greater} (${b}), got ${a}` }];
  });
}

/** Whether the issue is about unknown members of this object; issues of members have a path. */
function isUnknownHere({ code, path = [] }: z.core.$ZodRawIssue): boolean {
  return code === 'unrecognized_keys' && path.length === 0;
}
