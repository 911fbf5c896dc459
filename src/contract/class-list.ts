// The class names of a YOLO dataset, by number: of a data.yaml, or of a file with one per line.
// Loaded with the first such file.

import { parse, YAMLParseError } from 'yaml';
import * as z from 'zod';

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

function parseYaml(text: string, refusal: (problem: string) => Error): unknown {
  try {
    // Failsafe: `no` and `1` are names, not values. The search for keys that are there twice grows
    // with their square (20,000: 20 s); the last one counts, as where models are trained.
    return parse(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  } catch (thrown) {
    const line = thrown instanceof YAMLParseError ? thrown.linePos?.[0].line : undefined;
    throw refusal(`is not valid YAML${line === undefined ? '' : `; see line ${line}`}`);
  }
}
