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
  const all = new Map<string, JsonObject>(Object.entries(builtInSchemas));
  if (folder !== undefined) {
    for (const [name, schema] of await readFolder(folder)) {
      if (all.has(name)) throw wrongFile(name, 'is the name of a schema that Fovea brings');
      all.set(name, schema);
    }
  }
  return createEventSchemas(all);
}

/** Throws `invalid_input` naming an invalid schema. */
export function createEventSchemas(all: ReadonlyMap<string, JsonObject>): EventSchemas {
  const compile = createCompiler();
  const validators = new Map([...all].map(([name, schema]) => [name, compile(name, schema)]));
  return {
    all,
    check: (name, eventData) => {
      const validate = validators.get(name);
      if (validate === undefined) throw unknownSchema(name, [...all.keys()]);
      const isKnown = Object.hasOwn(builtInSchemas, name);
      if (!validate(isKnown ? withCamelCaseNames(eventData) : eventData)) {
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

function createCompiler(): (name: string, schema: JsonObject) => ValidateFunction {
  // Verbose: errors then include their parent schema.
  const options = { strict: false, verbose: true } as const;
  const newest = new Ajv2020(options);
  const draft7 = new Ajv(options);
  for (const ajv of [newest, draft7]) addFormats.default(ajv);
  return (name, schema) => {
    try {
      const isDraft7 = String(schema.$schema ?? '').includes('draft-07');
      return (isDraft7 ? draft7 : newest).compile(schema);
    } catch {
      throw wrongFile(name, 'is not a valid JSON Schema');
    }
  };
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
