// Descriptions of the scopes for the consent page.

import type { Scope } from '../../contract/scopes.ts';

export interface Permission {
  readonly scope: Scope;
  readonly words: string;
  /** Deletes data, hands out keys or acts on machines; shown with emphasis. */
  readonly isStrong: boolean;
}

export interface PermissionGroup {
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** The requested scopes by group, in the order of the API; empty groups are left out. */
export function permissionGroups(asked: readonly string[]): readonly PermissionGroup[] {
  return groups
    .map(({ name, scopes }) => ({
      name,
      permissions: scopes
        .filter((scope) => asked.includes(scope))
        .map((scope) => ({ scope, words: words[scope], isStrong: strong.has(scope) })),
    }))
    .filter(({ permissions }) => permissions.length > 0);
}

/** The groups of the table in API 26.1 to 26.15. */
export const groups: readonly { readonly name: string; readonly scopes: readonly Scope[] }[] = [
  { name: 'Who you are', scopes: ['openid', 'profile', 'email'] },
  {
    name: 'Workspace and projects',
    scopes: ['workspace:read', 'project:create', 'project:read', 'project:update'],
  },
  { name: 'Images', scopes: ['image:create', 'image:read', 'image:tag', 'image:annotate'] },
  { name: 'Models', scopes: ['model:infer', 'model:deploy', 'model:manage', 'model-eval:read'] },
  { name: 'Workflows', scopes: ['workflow:create', 'workflow:read', 'workflow:update'] },
  { name: 'Dataset versions', scopes: ['version:create', 'version:read', 'version:update'] },
  { name: 'Training', scopes: ['training-job:create'] },
  {
    name: 'Folders',
    scopes: ['folder:create', 'folder:read', 'folder:update', 'folder:delete'],
  },
  { name: 'Devices', scopes: ['device:read', 'device:update'] },
  {
    name: 'Vision events',
    scopes: ['vision-events:read', 'vision-events:write', 'vision-events:manage'],
  },
  {
    name: 'Jobs',
    scopes: [
      'annotation-job:create',
      'annotation-job:read',
      'video-inference-job:create',
      'video-inference-job:read',
    ],
  },
  {
    name: 'Integrations and credentials',
    scopes: [
      'integration:create',
      'integration:delete',
      'credentials:create',
      'credentials:read',
      'credentials:update',
      'credentials:delete',
    ],
  },
  {
    name: 'Data staging',
    scopes: ['data-staging:read', 'data-staging:write', 'data-staging:delete'],
  },
  {
    name: 'Batches',
    scopes: ['batch-processing:read', 'batch-processing:trigger', 'batch:read'],
  },
  { name: 'Statistics', scopes: ['workspace-stats:read'] },
];

const words: Readonly<Record<Scope, string>> = {
  openid: 'Know which account is yours, by an identifier that stays the same',
  profile: 'See your name and picture',
  email: 'See your email address',
  'workspace:read': 'See the workspace, its running tasks and its trash',
  'project:create': 'Create projects, and copies of public ones',
  'project:read': 'See projects and their models, and search them',
  'project:update':
    'Change projects: settings and splits, delete projects and images, restore from the trash',
  'image:create': 'Upload images',
  'image:read': 'See, search and download images',
  'image:tag': 'Change tags and metadata of images',
  'image:annotate': 'Add and replace annotations of images',
  'model:infer': 'Run models on images, and note data with the results',
  'model:deploy': 'Choose the model that a deployment runs',
  'model:manage': 'Change and remove models',
  'model-eval:read': 'See how well models do',
  'workflow:create': 'Create workflows',
  'workflow:read': 'See workflows',
  'workflow:update': 'Change workflows',
  'version:create': 'Generate dataset versions',
  'version:read': 'See, preview and export dataset versions',
  'version:update': 'Change and delete dataset versions',
  'training-job:create': 'Start, stop, cancel and delete trainings, which may cost credits',
  'folder:create': 'Create folders',
  'folder:read': 'See folders',
  'folder:update': 'Rename folders and move projects between them',
  'folder:delete': 'Delete folders',
  'device:read': 'See devices',
  'device:update': 'Change what devices do',
  'vision-events:read': 'See events of devices',
  'vision-events:write': 'Add events of devices, and change them',
  'vision-events:manage': 'Hold back events, release them, send them anew, and manage use cases',
  'annotation-job:create': 'Give out annotation work, to people and to models',
  'annotation-job:read': 'See annotation work',
  'video-inference-job:create': 'Run models on videos',
  'video-inference-job:read': 'See results of models on videos',
  'integration:create': 'Connect other services to the workspace',
  'integration:delete': 'Disconnect other services from the workspace',
  'credentials:create': 'Create API keys, which work without you',
  'credentials:read': 'See which API keys there are',
  'credentials:update': 'Change API keys',
  'credentials:delete': 'Revoke API keys',
  'data-staging:read': 'See data in the staging area',
  'data-staging:write': 'Put data into the staging area',
  'data-staging:delete': 'Delete data from the staging area',
  'batch-processing:read': 'See batch processing and its results',
  'batch-processing:trigger': 'Start batch processing, which may cost credits',
  'batch:read': 'See batches of uploaded images',
  'workspace-stats:read': 'See statistics of the workspace',
};

const strong: ReadonlySet<Scope> = new Set([
  'project:update',
  'model:deploy',
  'model:manage',
  'version:update',
  'training-job:create',
  'folder:delete',
  'device:update',
  'vision-events:manage',
  'integration:create',
  'integration:delete',
  'credentials:create',
  'credentials:update',
  'credentials:delete',
  'data-staging:delete',
  'batch-processing:trigger',
]);
