// The class names of a YOLO dataset, by number: of a data.yaml, or of a file with one per line.
// Loaded with the first such file.

import { parse, YAMLParseError } from 'yaml';
import * as z from 'zod';
import { limits } from '../limits.ts';

const className = z.string().trim().min(1);
const dataYaml = z.object({
  names: z.union([z.array(className), z.record(z.string().regex(/^\d+$/), className)]),
});

/** The names of a file with one per line. A blank line in the middle keeps its number. */
export function namesOfLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * The `names` of a data.yaml: a list, or a map from numbers to names; empty when there are none.
 * Throws `refusal(problem)` for text that is not YAML; `problem` has no words of the file.
 */
export function namesOfDataYaml(
  text: string,
  refusal: (problem: string) => Error,
): readonly string[] | Readonly<Record<string, string>> {
  return dataYaml.safeParse(parseYaml(text, refusal)).data?.names ?? [];
}

/** Each list in brackets takes the parser long, in each other the longer; a data.yaml has a few. */
function checkBrackets(text: string, refusal: (problem: string) => Error): void {
  let count = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count <= limits.yamlBracketsMax) continue;
      throw refusal(`has more than ${limits.yamlBracketsMax} opening brackets`);
    }
  }
}

function parseYaml(text: string, refusal: (problem: string) => Error): unknown {
  checkBrackets(text, refusal);
  try {
    // Failsafe: `no` and `1` are names, not values. The search for keys that are there twice grows
    // with their square (20,000: 20 s); the last one counts, as where models are trained.
    return parse(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  } catch (thrown) {
    const line = thrown instanceof YAMLParseError ? thrown.linePos?.[0].line : undefined;
    throw refusal(`is not valid YAML${line === undefined ? '' : `; see line ${line}`}`);
  }
}
