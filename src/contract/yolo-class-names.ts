// Reads the class names of a YOLO dataset from a data.yaml, or from a file with one name per line.
// Loaded with the first such file.

import { parse, YAMLParseError } from 'yaml';
import * as z from 'zod';
import { limits } from '../limits.ts';

const className = z.string().trim().min(1);
const dataYaml = z.object({
  names: z.union([z.array(className), z.record(z.string().regex(/^\d+$/), className)]),
});

/** Names by line. A blank line in the middle keeps its class number. */
export function classNamesOfLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * The `names` of a data.yaml: a list, or a map from numbers to names; empty when there are none.
 * Throws `refusal(problem)` for text that is not YAML; `problem` quotes nothing of the file.
 */
export function classNamesOfDataYaml(
  text: string,
  refusal: (problem: string) => Error,
): readonly string[] | Readonly<Record<string, string>> {
  return dataYaml.safeParse(parseYaml(text, refusal)).data?.names ?? [];
}

/** Parsing time grows with nested brackets; a data.yaml has only a few. */
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
    // Failsafe: `no` and `1` are names, not values. Checking unique keys takes quadratic time
    // (20,000 keys: 20 s); without it the last one counts, as in training tools.
    return parse(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  } catch (thrown) {
    const line = thrown instanceof YAMLParseError ? thrown.linePos?.[0].line : undefined;
    throw refusal(`is not valid YAML${line === undefined ? '' : `; see line ${line}`}`);
  }
}
