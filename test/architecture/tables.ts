// The architecture as data: which part stands on which floor, and where each package lives.

/** A part is a folder, or a file where the name ends in `.ts`. */
interface Floor {
  readonly floor: number;
  readonly parts: readonly string[];
  /** Whether the parts of this floor may import each other. */
  readonly together?: boolean;
}

/** An import goes down, or stays in its part. */
export const floors: readonly Floor[] = [
  { floor: 8, parts: ['.ci', 'bench', 'scripts', 'test'], together: true },
  { floor: 7, parts: ['src/bin'] },
  { floor: 6, parts: ['tools'] },
  {
    floor: 5,
    parts: ['src/mcp', 'src/platform', 'src/authorization-server', 'src/event-store'],
  },
  {
    floor: 4,
    parts: [
      'src/annotation-formats',
      'src/dataset-versions',
      'src/export-formats',
      'src/model-inference',
      'src/query-language',
      'src/trainers',
    ],
  },
  { floor: 3, parts: ['src/annotations', 'src/evaluation'] },
  {
    floor: 2,
    parts: [
      'src/http-server',
      'src/http-client',
      'src/sign-in',
      'src/storage',
      'src/imaging',
      'src/setup',
      'src/video-frames',
    ],
  },
  { floor: 1, parts: ['src/contract', 'src/vector-search'] },
  {
    floor: 0,
    parts: [
      'src/abort.ts',
      'src/errors.ts',
      'src/durable-folders.ts',
      'src/limits.ts',
      'src/limits',
      'src/clock.ts',
      'src/value-conditions.ts',
      'src/work-watcher.ts',
      'src/current-caller.ts',
      'src/log.ts',
      'src/lru-cache.ts',
      'src/machine.ts',
      'src/config.ts',
      'src/database-url.ts',
      'src/object-storage-settings.ts',
      'src/parsed-setting.ts',
      'src/environment.ts',
      'src/event-store-config.ts',
      'src/secret.ts',
      'src/semaphore.ts',
      'src/serial-queue.ts',
      'src/command-line.ts',
      'src/commands.ts',
      'src/trainer-names.ts',
      'src/task-lanes.ts',
      'src/help-text.ts',
      'src/json-object.ts',
      'src/json-scanner.ts',
      'src/spelling-suggestion.ts',
      'src/lazy-start.ts',
      'src/evenly-spaced.ts',
      'src/quoted-name.ts',
      'src/seeded-random.ts',
      'src/worker-thread.ts',
      'src/platform-page-folder.ts',
      'src/thread-process',
      'src/uuid.ts',
      'src/file-access',
      'src/network',
    ],
    together: true,
  },
];

/** What tools may use of the floors below them; everything else is reached over HTTP. */
export const toolImports = {
  values: [
    'src/contract',
    'src/mcp/tool.ts',
    'src/mcp/long-call.ts',
    'src/mcp/operation-tool.ts',
    'src/json-object.ts',
    'src/mcp/untrusted-text.ts',
    'src/file-access/open-real-file.ts',
    'src/errors.ts',
    'src/limits.ts',
    'src/worker-thread.ts',
    'src/environment.ts',
    'src/video-frames',
    'src/evaluation/masks/class-runs.ts',
    'src/evaluation/masks/compare-outlines.ts',
    'src/imaging/image-thread-pool.ts',
    'src/annotation-formats/class-lists.ts',
    'src/annotation-formats/data-yaml.ts',
    'src/annotation-formats/dataset-file-index.ts',
    'src/annotation-formats/image-file-extensions.ts',
    'src/annotation-formats/image-list.ts',
    'src/annotation-formats/listed-images.ts',
    'src/annotation-formats/match-annotations.ts',
    'src/annotation-formats/path-hints.ts',
    'src/annotation-formats/streaming-json.ts',
    'src/annotation-formats/yaml-splits.ts',
  ],
  types: [
    'src/mcp/tool-profiles.ts',
    'src/mcp/idempotency/idempotency.ts',
    'src/http-client',
    'src/sign-in',
    'src/file-access',
    'src/network',
    'src/setup',
    'src/clock.ts',
    'src/config.ts',
    'src/machine.ts',
  ],
} as const;

/** The parts in which a package may be imported. A package without a line here has no home. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-s3': ['src/storage/s3'],
  '@aws-sdk/s3-request-presigner': ['src/storage/s3'],
  '@fastify/busboy': ['src/http-server'],
  '@huggingface/tokenizers': ['src/model-inference'],
  '@img/sharp-wasm32': ['src/imaging'],
  '@modelcontextprotocol/server': ['src/mcp'],
  '@napi-rs/keyring': ['src/sign-in'],
  ajv: ['src/event-store'],
  'ajv-formats': ['src/event-store'],
  'fast-xml-parser': ['src/annotation-formats'],
  'fastest-levenshtein': ['src/spelling-suggestion.ts'],
  'file-type': ['src/event-store'],
  'find-my-way': ['src/http-server'],
  'ipaddr.js': ['src/network'],
  diff: ['src/setup'],
  'jsonc-parser': ['src/setup'],
  keytar: ['src/sign-in'],
  oauth4webapi: ['src/sign-in'],
  'onnxruntime-node': ['src/model-inference'],
  'onnxruntime-web': ['src/model-inference'],
  'oidc-provider': ['src/authorization-server'],
  'smol-toml': ['src/setup'],
  pg: ['src/storage/postgres'],
  sharp: ['src/imaging'],
  undici: ['src/http-client'],
  yauzl: ['src/platform'],
  yaml: ['src/annotation-formats', 'src/setup'],
  yazl: ['tools'],
  zod: ['src/contract', 'src/mcp', 'tools'],
  'node:perf_hooks': ['src/clock.ts'],
  'node:process': ['src/config.ts'],
  'node:sqlite': ['src/storage'],
};

/** Sources in another language that looks like TypeScript: no rule about syntax holds there. */
export const foreignSources = [
  'src/dataset-versions/kernel/assembly/',
  'src/vector-search/assembly/',
] as const;

export const sizes = { functionLinesMax: 70, fileLinesMax: 500, columnsMax: 100 } as const;
