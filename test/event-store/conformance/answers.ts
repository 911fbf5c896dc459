// What the service may answer, as the specification shows it. Members beyond these are allowed.

import * as z from 'zod';

const text = z.string().min(1);
const maybeText = z.string().nullable();
const maybeObject = z.looseObject({}).nullable();
const whole = z.int().min(0);

/** ISO 8601 with a date, a time and a zone. */
const time = z.iso.datetime({ offset: true });

const box = {
  class: z.string(),
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  confidence: z.number().min(0).max(1),
};

const image = z.looseObject({
  file_id: maybeText,
  input_file_id: maybeText,
  label: maybeText,
  object_detections: z.array(z.looseObject(box)),
  classifications: z.array(z.looseObject({ class: z.string(), confidence: z.number() })),
  instance_segmentations: z.array(
    z.looseObject({ ...box, points: z.array(z.tuple([z.number(), z.number()])) }),
  ),
  keypoints: z.array(
    z.looseObject({
      ...box,
      keypoints: z.array(z.looseObject({ id: z.int(), x: z.number(), y: z.number() })),
    }),
  ),
  metadata: maybeObject,
});

const file = z.looseObject({
  file_id: text,
  label: maybeText,
  content_type: maybeText,
  size_bytes: whole.nullable(),
});

export const eventAnswer = z.looseObject({
  id: text,
  solution: maybeText,
  workflow_id: maybeText,
  workflow_version: maybeText,
  device_id: maybeText,
  stream_id: maybeText,
  inference_timestamp: text,
  images: z.array(image),
  videos: z.array(file),
  local_only_files: z.array(file),
  display_image_position: z.int().nullable(),
  event_schema: text,
  event_data: z.looseObject({}),
  custom_metadata: maybeObject,
  created_at: time,
  api_version: text,
  original_file_count: whole,
  current_file_count: whole,
  draft: z.boolean(),
  finalized_at: time.nullable(),
  auto_finalized_at: time.nullable(),
});

export type EventAnswer = z.output<typeof eventAnswer>;

export const createdAnswer = z.looseObject({
  id: text,
  image_ids: z.array(text),
  created_at: time,
  draft: z.boolean(),
  message: z.string(),
});

export const pageAnswer = z.looseObject({
  events: z.array(eventAnswer),
  count: whole,
  next_timestamp: text.nullable(),
});

export type PageAnswer = z.output<typeof pageAnswer>;

export const attachmentAnswer = z.looseObject({
  file_id: text,
  event_id: text,
  label: maybeText,
  content_type: text,
  size_bytes: whole,
  message: z.string(),
});

export const countAnswer = z.looseObject({
  total_count: whole,
  filtered_count: whole,
  oldest_timestamp: time.nullable(),
  newest_timestamp: time.nullable(),
});

export const finalizeAnswer = z.looseObject({
  already_finalized: z.boolean(),
  auto_finalized_at: time.nullable(),
});

const problem = z.strictObject({
  loc: z.array(z.union([z.string(), z.int()])).min(1),
  msg: text,
  type: text,
  input: z.unknown().optional(),
  ctx: z.looseObject({}).optional(),
});

const detail = z.strictObject({ detail: text });
const problems = z.strictObject({ detail: z.array(problem).min(1) });
const blocked = z.strictObject({ detail: text, error: z.literal('capacity_blocked') });

/** The body that an error of this status may have; for attachments a 422 may also say a text. */
export function errorAnswer(status: number, isAttachment: boolean): z.ZodType {
  if (status === 529) return blocked;
  if (status !== 422) return detail;
  return isAttachment ? z.union([problems, detail]) : problems;
}
