// Fields that several families share.

import * as z from 'zod';

/** A body or an answer that the document leaves open: members beyond ours pass through. */
export const open = z.looseObject;

/** A body that the document shows in full: other members are refused. */
export const closed = z.strictObject;

export const workspace = z.string().min(1).describe('Workspace slug.');
export const project = z.string().min(1).describe('Project slug.');
export const version = z.int().min(1).max(1_000_000_000).describe('Version number.');
export const imageId = z.string().min(1).describe('Image id.');
export const taskId = z.string().min(1).describe('Task id.');

export const inWorkspace = z.strictObject({ workspace });
export const inProject = z.strictObject({ workspace, project });
export const inVersion = z.strictObject({ workspace, project, version });

export const splitName = z.enum(['train', 'valid', 'test']);
export type SplitName = z.output<typeof splitName>;

/** Image counts per split. */
export const splitCounts = open({
  train: z.int().min(0),
  valid: z.int().min(0),
  test: z.int().min(0),
});

/** The answer that starts work in the background (first document, Async task). */
export const taskStarted = open({ taskId: z.string(), url: z.string() });

/** Class name to number of boxes, or tag to number of images. */
export const counts = z.record(z.string(), z.int().min(0));
