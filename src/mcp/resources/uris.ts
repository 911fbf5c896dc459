// The URIs of resources, and the tool that reads each: a resource is the result of a tool under a
// URI. Constants alone, since every connection lists the templates.

import type { Arguments } from '../tool-profiles.ts';

/** A tool with its arguments. */
export interface ReadingCall {
  readonly tool: string;
  readonly arguments: Arguments;
}

export interface ResourceKind {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** A URI template (RFC 6570, level 1). */
  readonly template: string;
  readonly tool: string;
  /** The arguments of the tool; undefined: invalid values. */
  argumentsOf(values: Readonly<Record<string, string>>): Arguments | undefined;
}

export const resourceKinds: readonly ResourceKind[] = [
  {
    name: 'workspace',
    title: 'Workspace',
    description: 'All projects with type and size.',
    template: 'fovea://workspace',
    tool: 'workspace_get',
    argumentsOf: () => ({}),
  },
  {
    name: 'project',
    title: 'Project',
    description: 'Classes, splits and versions of a project.',
    template: 'fovea://projects/{project}',
    tool: 'projects_get',
    argumentsOf: ({ project }) => ({ project }),
  },
  {
    name: 'version',
    title: 'Version',
    description: 'Images, splits, settings and state of a version.',
    template: 'fovea://projects/{project}/versions/{version}',
    tool: 'versions_get',
    argumentsOf: ({ project, version = '' }) =>
      /^[1-9]\d{0,8}$/.test(version) ? { project, version: Number(version) } : undefined,
  },
  {
    name: 'image',
    title: 'Image',
    description: 'Size, split, tags and boxes of an image, with a preview.',
    template: 'fovea://projects/{project}/images/{image}',
    tool: 'images_get',
    argumentsOf: ({ project, image }) => ({ project, imageId: image }),
  },
  {
    name: 'event',
    title: 'Device event',
    description: 'What was seen on the device, with a preview.',
    template: 'fovea://events/{event}',
    tool: 'events_get',
    argumentsOf: ({ event }) => ({ event_id: event }),
  },
  {
    name: 'task',
    title: 'Task',
    description: 'How far background work is, and its result or error.',
    template: 'fovea://tasks/{task}',
    tool: 'tasks_get',
    argumentsOf: ({ task }) => ({ taskId: task }),
  },
];

/** Whether other addresses than the template itself are of this kind. */
export function isTemplate({ template }: ResourceKind): boolean {
  return template.includes('{');
}

/** The call that reads a resource; undefined: not a URI of ours. */
export function readingCall(uri: string): ReadingCall | undefined {
  for (const kind of resourceKinds) {
    const values = valuesOf(kind.template, uri);
    const args = values && kind.argumentsOf(values);
    if (args !== undefined) return { tool: kind.tool, arguments: args };
  }
  return undefined;
}

/** The tool whose scope a resource needs; undefined: not a URI of ours. */
export function toolOfResource(uri: string): string | undefined {
  return readingCall(uri)?.tool;
}

/** The values of the variables; undefined: the URI does not match. */
function valuesOf(template: string, uri: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [template.split('/'), uri.split('/')];
  if (wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined && part !== value) return undefined;
    if (name === undefined) continue;
    const decoded = decode(value);
    if (decoded === undefined) return undefined;
    values[name] = decoded;
  }
  return values;
}

/** One path segment: not empty, without query, fragment or slash. */
function decode(segment: string): string | undefined {
  if (!/^[^?#]+$/.test(segment)) return undefined;
  try {
    const text = decodeURIComponent(segment);
    return text === '.' || text === '..' || text.includes('/') ? undefined : text;
  } catch {
    return undefined;
  }
}
