// The scopes that a new or changed key gets: never more than the caller has.

import { scopes as allScopes, type Scope } from '../../contract/scopes.ts';
import { FoveaError, invalidInput } from '../../errors.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';

/** The groups of API 26.1 to 26.15, which stand for their scopes. */
export const scopeSections: Readonly<Record<string, readonly Scope[]>> = {
  identity: ['openid', 'profile', 'email'],
  'workspace-and-project': ['workspace:read', 'project:create', 'project:read', 'project:update'],
  images: ['image:create', 'image:read', 'image:tag', 'image:annotate'],
  models: ['model:infer', 'model:deploy', 'model:manage', 'model-eval:read'],
  workflows: ['workflow:create', 'workflow:read', 'workflow:update'],
  versions: ['version:create', 'version:read', 'version:update'],
  training: ['training-job:create'],
  folders: ['folder:create', 'folder:read', 'folder:update', 'folder:delete'],
  devices: ['device:read', 'device:update'],
  'vision-events': ['vision-events:read', 'vision-events:write', 'vision-events:manage'],
  jobs: [
    ...(['annotation-job:create', 'annotation-job:read'] as const),
    ...(['video-inference-job:create', 'video-inference-job:read'] as const),
  ],
  'integrations-and-credentials': [
    ...(['integration:create', 'integration:delete', 'credentials:create'] as const),
    ...(['credentials:read', 'credentials:update', 'credentials:delete'] as const),
  ],
  'data-staging': ['data-staging:read', 'data-staging:write', 'data-staging:delete'],
  batches: ['batch-processing:read', 'batch-processing:trigger', 'batch:read'],
  statistics: ['workspace-stats:read'],
};

/** Undefined: everything, also what is added later. */
export type Scopes = ReadonlySet<string> | undefined;

/**
 * What a key gets of what was asked for: a list (of scopes and sections), null for everything, or
 * nothing said for what the caller has. Undefined: everything. Throws `invalid_input` for unknown
 * names and `forbidden` for what the caller has not.
 */
export function chooseScopes(
  asked: readonly string[] | null | undefined,
  caller: Scopes,
): readonly string[] | undefined {
  if (asked === undefined) return caller && inOrder(caller);
  if (asked === null) {
    if (caller === undefined) return undefined;
    throw new FoveaError('forbidden', 'Only a credential with full access gives full access.', {
      hint: 'Name scopes, or leave them out for those of the caller.',
    });
  }
  const chosen = inOrder(new Set(expand(asked)));
  const missing = chosen.find((scope) => caller !== undefined && !caller.has(scope));
  if (missing === undefined) return chosen;
  throw new FoveaError('forbidden', `The caller has not the scope ${missing}.`, {
    hint: 'A credential gives only scopes that it has.',
  });
}

/** Whether the one may do no more than the other. */
export function isWithin(scopes: readonly string[] | undefined, caller: Scopes): boolean {
  if (caller === undefined) return true;
  return scopes?.every((scope) => caller.has(scope)) ?? false;
}

/** Sections by their scopes. */
function expand(asked: readonly string[]): readonly string[] {
  const problems = asked.flatMap((name, index) =>
    isKnown(name) ? [] : [{ path: `scopes[${index}]`, message: unknownWords(name) }],
  );
  if (problems.length > 0) throw invalidInput(problems);
  return asked.flatMap((name): readonly string[] =>
    Object.hasOwn(scopeSections, name) ? (scopeSections[name] ?? []) : [name],
  );
}

function isKnown(name: string): boolean {
  return allScopes.some((scope) => scope === name) || Object.hasOwn(scopeSections, name);
}

/** What would be right, and never more than was asked for: `X:read` is answered with readers. */
function unknownWords(name: string): string {
  const [subject = '', action] = name.split(':');
  if (action === undefined) return unknownSection(name);
  const alike = allScopes.filter((scope) => scope.endsWith(`:${action}`));
  const near = suggestSpelling(subject, alike.map(subjectOf));
  if (near !== undefined) return `is no scope; did you mean "${near}:${action}"?`;
  const own = allScopes.filter((scope) => subjectOf(scope) === subject);
  const typo = suggestSpelling(action, own.map(actionOf));
  if (typo !== undefined) return `is no scope; did you mean "${subject}:${typo}"?`;
  if (own.length > 0) return `is no scope; there are ${own.join(', ')}`;
  return alike.length > 0
    ? `is no scope; those with :${action} are ${alike.join(', ')}`
    : `is no scope; there are ${allScopes.join(', ')}`;
}

function unknownSection(name: string): string {
  const sections = Object.keys(scopeSections);
  const near = suggestSpelling(name, sections);
  if (near !== undefined) return `is no scope; did you mean the section "${near}"?`;
  const reading = allScopes.filter((scope) => scope.endsWith(':read'));
  return (
    `is no scope; scopes that only read are ${reading.join(', ')}; ` +
    `sections, with all scopes of a kind, are ${sections.join(', ')}`
  );
}

function subjectOf(scope: string): string {
  return scope.split(':')[0] ?? scope;
}

function actionOf(scope: string): string {
  return scope.split(':')[1] ?? '';
}

/** Those that are known, in the order of the specification. */
function inOrder(scopes: ReadonlySet<string>): readonly string[] {
  return allScopes.filter((scope) => scopes.has(scope));
}
