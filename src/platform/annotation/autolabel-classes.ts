// Maps the classes of a model to those of a project.

import { invalidArgument, invalidInput, type Problem } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quotedNames } from '../../quoted-name.ts';
import { suggestSpellingOfFew } from '../../spelling-suggestion.ts';

export interface WantedClasses {
  readonly ontology?: Readonly<Record<string, string>> | undefined;
  readonly confidenceThresholds?: Readonly<Record<string, number>> | undefined;
}

export interface ChosenClasses {
  /** Class of the model to class of the project. */
  readonly ontology: Readonly<Record<string, string>>;
  /** Class of the project to least confidence. */
  readonly confidenceThresholds: Readonly<Record<string, number>>;
}

/**
 * Without an ontology, the classes that project and model both have; all of the model's where the
 * project has none yet. Throws `invalid_input` for names that the model does not have, and where
 * nothing is left.
 */
export function chooseClasses(
  { ontology, confidenceThresholds = {} }: WantedClasses,
  modelClasses: readonly string[],
  projectClasses: readonly string[],
): ChosenClasses {
  const chosen = ontology ?? sharedClasses(modelClasses, projectClasses);
  const goals = [...new Set(Object.values(chosen))];
  const problems = [
    ...unknownClassProblems('ontology', Object.keys(chosen), modelClasses, 'a class of the model'),
    ...Object.entries(chosen).flatMap(([key, label]) => labelProblems(`ontology.${key}`, label)),
    ...unknownClassProblems(
      'confidenceThresholds',
      Object.keys(confidenceThresholds),
      goals,
      'a class that is labelled',
    ),
  ];
  if (problems.length > 0) throw invalidInput(problems.slice(0, limits.problemsShownMax));
  if (goals.length === 0) throw invalidArgument('ontology', 'names no class');
  return { ontology: chosen, confidenceThresholds };
}

/** Classes of the model that are not labelled; some of them where there are many. */
export function leftOutOf(
  modelClasses: readonly string[],
  { ontology }: Pick<ChosenClasses, 'ontology'>,
): readonly string[] {
  return modelClasses
    .filter((name) => !Object.hasOwn(ontology, name))
    .slice(0, limits.problemsShownMax);
}

function sharedClasses(
  modelClasses: readonly string[],
  projectClasses: readonly string[],
): Readonly<Record<string, string>> {
  const shared =
    projectClasses.length === 0
      ? modelClasses
      : modelClasses.filter((name) => projectClasses.includes(name));
  if (shared.length > 0) return Object.fromEntries(shared.map((name) => [name, name]));
  throw invalidArgument(
    'ontology',
    `is needed: the model knows ${quotedNames(modelClasses)}, and the project has ` +
      quotedNames(projectClasses),
    'Give it as {"class of the model": "class of the project"}.',
  );
}

function unknownClassProblems(
  path: string,
  names: readonly string[],
  known: readonly string[],
  what: string,
): readonly Problem[] {
  const nearestTo = suggestSpellingOfFew(known);
  return names
    .filter((name) => !known.includes(name))
    .slice(0, limits.problemsShownMax)
    .map((name) => {
      const near = nearestTo(name);
      const right =
        near === undefined ? `known are ${quotedNames(known)}` : `did you mean "${near}"?`;
      return { path: `${path}.${name}`, message: `is not ${what}; ${right}` };
    });
}

function labelProblems(path: string, label: string): readonly Problem[] {
  const isFit = label.trim() === label && label !== '' && label.length <= limits.labelCharactersMax;
  if (isFit && !/[\p{Cc}\p{Cs}]/u.test(label)) return [];
  return [{ path, message: 'must be a class name: one line, without blanks at its ends' }];
}
