// The content type that the name of a file tells: text has no signature to be known by.

/**
 * The type of a file without a known signature: what its client declares, unless that says nothing
 * in particular and the name says more. A name never gives a type that browsers run.
 */
export function declaredOrNamedType(
  name: string | undefined,
  declaredType: string = unknownType,
): string {
  if (!vagueTypes.has(declaredType)) return declaredType;
  const ending = /\.(\w+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
  return typesOfNames.get(ending) ?? declaredType;
}

const unknownType = 'application/octet-stream';

/** The second one is that of a part which declares none (RFC 7578, section 4.4). */
const vagueTypes: ReadonlySet<string> = new Set([unknownType, 'text/plain']);

/** Not those of pages, scripts and drawings with scripts: such files are kept as what they are. */
const typesOfNames: ReadonlyMap<string, string> = new Map([
  ['txt', 'text/plain'],
  ['log', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['tsv', 'text/tab-separated-values'],
  ['vtt', 'text/vtt'],
  ['json', 'application/json'],
  ['jsonl', 'application/jsonl'],
  ['ndjson', 'application/x-ndjson'],
  ['geojson', 'application/geo+json'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['toml', 'application/toml'],
  ['xml', 'application/xml'],
]);
