// Schemas of fields that several toolsets share.

import * as z from 'zod';
import { limits } from '../limits.ts';

/** A body or answer that allows unknown members and passes them through. */
export const open = z.looseObject;

/** A body that refuses unknown members. */
export const closed = z.strictObject;

/** A text that most services know by one of these names; a service may know others. */
export function usuallyOneOf(names: readonly string[]) {
  return z.string().min(1).meta({ enum: names });
}

export const halfOfCharacter = 'has half of a character (a surrogate without its other one)';

/** A stored text: well-formed Unicode, so that every reader can decode it. */
export const text = z.string().refine((value) => value.isWellFormed(), {
  error: halfOfCharacter,
});

/** The name of a thing, in one line. */
export const displayName = text.min(1).max(200);

/** An object stored as given: its members are the caller's own. Limited in bytes as JSON. */
export function openData(bytesMax: number) {
  return open({}).refine((value) => jsonBytes(value) <= bytesMax, {
    error: (issue) => `has ${jsonBytes(issue.input)} bytes as JSON; at most ${bytesMax} are taken`,
  });
}

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Arguments of `refine`: a map has at most so many members. */
export function hasAtMost(countMax: number) {
  return [
    (members: object) => Object.keys(members).length <= countMax,
    { error: `must have at most ${countMax} members` },
  ] as const;
}

/** A segment of only dots would address the folder above, also when percent-encoded. */
const onlyDots = /(^|\/)\.+(\/|$)/;

/** The id or slug of a thing. */
export const identifier = text.min(1).refine((value) => !onlyDots.test(value), {
  error: 'must not be only dots',
});

const workspace = identifier.describe("Default: the credential's.");
export const project = identifier.describe('Slug of the project.');
export const version = z.int().min(1).describe('Number of the version.');
export const imageId = identifier.describe('Id of the image.');
export const taskId = identifier.describe('Id of the task.');

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

/** The answer that starts a task (API 6.6). */
export const taskStarted = open({ taskId: z.string(), url: z.string() });

/** API 6.1 to 6.5. `result` and `error` are set when the task ends. */
export const waitsFor = z
  .string()
  .describe(
    'What is away or overloaded, e.g. object-store: it goes on by itself once that is over.',
  );

export const Task = open({
  taskId: z.string(),
  status: z.string().describe('created, running, completed or failed.'),
  progress: open({ current: z.number().optional(), total: z.number().optional() })
    .nullable()
    .optional(),
  waitsFor: waitsFor.optional(),
  result: open({}).optional(),
  error: z.string().optional(),
  review: open({
    jobId: z.string(),
    project: z.string(),
    undecided: z.int(),
    approved: z.int().optional(),
    sentBack: z.int().optional(),
    assignedTo: z.string().optional(),
  })
    .optional()
    .describe('What waits for a person, of the embedded platform.'),
});

/** What was decided about an image of an annotation job last. */
export const decisionShape = {
  comment: z.string().optional().describe('Why it was sent back last.'),
  decided_by: z.string().optional().describe('The credential, as in activity_list.'),
  decided_at: z.number().optional().describe('Unix seconds.'),
  labels_changed: z
    .boolean()
    .optional()
    .describe('Its labels were changed since: what was decided stands no more.'),
};

/** Class name to number of boxes, or tag to number of images. */
export const counts = z.record(z.string(), z.int().min(0));

/** A tag of an image. */
export const tagName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
  error: 'must be 1 to 64 letters, digits, hyphens, underscores',
});

/** Tags of an image; the limit holds for all its tags together. */
export const tagNames = z.array(tagName).max(limits.imageTagsMax);

const flatValue = z.union([text.max(limits.metadataValueCharactersMax), z.number(), z.boolean()]);

/** Flat metadata: name to string, number or boolean. */
export const flatMetadata = z
  .record(text.min(1).max(limits.metadataKeyCharactersMax), flatValue)
  .refine(...hasAtMost(limits.metadataKeysMax));

/** An ISO 8601 time, with or without a zone. */
export const isoDateTime = z.iso.datetime({ offset: true, local: true });

const box = {
  class: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  confidence: z.number().min(0).max(1),
};

const point = z.tuple([z.number(), z.number()]);

const keypoint = z.strictObject({
  id: z.int(),
  x: z.number(),
  y: z.number(),
  occluded: z.boolean().optional(),
});

/** What a model detected in an image (Event Store 5.1 to 5.7). */
export const detectionSchemas = {
  detection: z.strictObject(box),
  classification: z.strictObject({ class: z.string(), confidence: box.confidence }),
  instanceSegmentation: z.strictObject({ ...box, points: z.array(point) }),
  keypoints: z.strictObject({ ...box, keypoints: z.array(keypoint) }),
};

/** Of a project: what its classes have been renamed to until then. */
export const classState = z
  .string()
  .min(1)
  .max(limits.foreignIdCharactersMax)
  .describe('State of the classes that were seen: 409 where one was renamed since.');
