// Event schemas: validates event_data by JSON Schema (Event Store 3.9).

import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { FoveaError, invalidArgument } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import { builtInSchemas } from './built-in-schemas.ts';
import { camelCase } from './member-names.ts';

export interface EventSchemas {
  /**
   * Throws `bad_request` naming the invalid member of event_data and the expected value, or for an
   * unknown schema.
   */
  check(name: string, eventData: JsonObject): void;
  /** All schemas as JSON Schema, by name. */
  readonly all: ReadonlyMap<string, JsonObject>;
}

/**
 * The built-in schemas and those of a folder: one JSON Schema per file (2020-12, or draft-07 where
 * `$schema` says so), named after the file. Throws `invalid_input` naming an invalid file.
 */
export async function loadEventSchemas(folder: string | undefined): Promise<EventSchemas> {
  const ofFolder = folder === undefined ? [] : await readFolder(folder);
  for (const [name] of ofFolder) {
    if (isBuiltIn(name)) throw wrongFile(name, 'is the name of a schema that Fovea brings');
  }
  return createEventSchemas(new Map([...Object.entries(builtInSchemas), ...ofFolder]));
}

/** Throws `invalid_input` naming an invalid schema. */
export function createEventSchemas(all: ReadonlyMap<string, JsonObject>): EventSchemas {
  const validatorOf = createValidators(all);
  for (const name of all.keys()) {
    if (!isBuiltIn(name)) validatorOf(name);
  }
  return {
    all,
    check: (name, eventData) => {
      const validate = validatorOf(name);
      if (validate === undefined) throw unknownSchema(name, [...all.keys()]);
      if (!validate(isBuiltIn(name) ? withCamelCaseNames(eventData) : eventData)) {
        throw refusal(name, validate.errors ?? []);
      }
    },
  };
}

/** Members of event_data in camelCase, as the cloud expects them. */
export function withCamelCaseNames(eventData: JsonObject): JsonObject {
  if (!Object.keys(eventData).some((name) => name.includes('_'))) return eventData;
  return Object.fromEntries(
    Object.entries(eventData).map(([name, value]) => [camelCase(name), value]),
  );
}

async function readFolder(folder: string): Promise<[string, JsonObject][]> {
  const files = (await filesOf(folder)).filter((file) => file.endsWith('.json'));
  return Promise.all(
    files.sort().map(async (file): Promise<[string, JsonObject]> => {
      const name = basename(file, '.json');
      if (!/^[\w-]{1,64}$/.test(name)) {
        throw wrongFile(name, 'must be 1 to 64 letters, digits, hyphens and underscores');
      }
      const schema = parse(await textOf(join(folder, file), name));
      if (schema === undefined) throw wrongFile(name, 'must hold a JSON object');
      // Asynchronous validation is not supported.
      if (schema.$async !== undefined) throw wrongFile(name, 'must not be "$async"');
      return [name, schema];
    }),
  );
}

async function textOf(path: string, name: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch {
    throw wrongFile(name, 'must be a file that can be read');
  }
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    throw invalidArgument('EVENT_SCHEMAS_FOLDER', 'must be a folder that can be read');
  }
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBuiltIn(name: string): boolean {
  return Object.hasOwn(builtInSchemas, name);
}

/** Compiles each schema when it is first asked for. Throws `invalid_input` for an invalid one. */
function createValidators(
  all: ReadonlyMap<string, JsonObject>,
): (name: string) => ValidateFunction | undefined {
  const compiled = new Map<string, ValidateFunction>();
  const compilers = new Map<Dialect, Ajv>();
  const compilerFor = (dialect: Dialect) => {
    const compiler = compilers.get(dialect) ?? createCompiler(dialect);
    compilers.set(dialect, compiler);
    return compiler;
  };
  return (name) => {
    const schema = all.get(name);
    if (schema === undefined) return undefined;
    try {
      const validate = compiled.get(name) ?? compilerFor(dialectOf(name, schema)).compile(schema);
      compiled.set(name, validate);
      return validate;
    } catch {
      throw wrongFile(name, 'is not a valid JSON Schema');
    }
  };
}

type Dialect = 'built-in' | 'draft-07' | '2020-12';

function dialectOf(name: string, { $schema }: JsonObject): Dialect {
  if (isBuiltIn(name)) return 'built-in';
  return String($schema ?? '').includes('draft-07') ? 'draft-07' : '2020-12';
}

function createCompiler(dialect: Dialect): Ajv {
  const options = {
    strict: false,
    // Errors then include their parent schema.
    verbose: true,
    // To compile the schema of schemas takes most of the time; a test checks the built-in ones.
    validateSchema: dialect !== 'built-in',
  } as const;
  const compiler = dialect === 'draft-07' ? new Ajv(options) : new Ajv2020(options);
  addFormats.default(compiler);
  return compiler;
}

function wrongFile(name: string, wrong: string) {
  const hint = 'The folder EVENT_SCHEMAS_FOLDER holds one JSON Schema a file.';
  return invalidArgument(`EVENT_SCHEMAS_FOLDER/${name}.json`, wrong, hint);
}

function unknownSchema(name: string, known: readonly string[]): FoveaError {
  const near = suggestSpelling(name, known);
  const advice = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${near}"?`;
  return new FoveaError('bad_request', 'event_schema: there is no such event schema.', {
    hint: advice,
  });
}

function refusal(name: string, [first]: readonly ErrorObject[]): FoveaError {
  const steps = (first?.instancePath ?? '').split('/').filter(Boolean);
  const at = ['event_data', ...steps].join('.').slice(0, limits.foreignTextMax);
  return new FoveaError('bad_request', `${at}: ${first ? explain(first) : 'does not fit'}.`, {
    hint: `event_data must conform to the event schema "${name}".`,
  });
}

/** Names members of the schema only; unknown names from the request are not repeated. */
function explain({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  if (keyword === 'additionalProperties') {
    const known = Object.keys(parentSchema?.properties ?? {});
    const near = suggestSpelling(String(params.additionalProperty), known);
    const advice = near === undefined ? '' : `; did you mean "${near}"?`;
    return `has an unknown member, the known ones are ${known.join(', ')}${advice}`;
  }
  return message ?? 'does not fit';
}
