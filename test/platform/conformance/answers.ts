// What the platform may answer, as the specification shows it. Members beyond these are allowed.

import * as z from 'zod';

const text = z.string().min(1);
const count = z.int().min(0);

/** Whatever is an object. */
export const anObject = z.looseObject({});

/** API 27.1 to 27.7. */
export const errorAnswer = z.looseObject({
  error: z.union([
    z.string(),
    z.looseObject({
      message: z.string().optional(),
      type: z.string().optional(),
      hint: z.string().optional(),
    }),
  ]),
});

/** API 6.1 to 6.6. */
export const taskStarted = z.looseObject({ taskId: text, url: z.url() });

export const task = z
  .looseObject({
    taskId: text,
    status: text,
    progress: z.looseObject({ current: z.number(), total: z.number() }).nullable().optional(),
    result: z.looseObject({}).optional(),
    error: z.string().optional(),
  })
  .refine(({ status, result }) => (result !== undefined) === (status === 'completed'), {
    error: 'result is there only when completed',
  })
  .refine(({ status, error }) => (error !== undefined) === (status === 'failed'), {
    error: 'error is there only when failed',
  });

export type TaskAnswer = z.output<typeof task>;

/** API 5.1 to 5.6. */
export const health = z.looseObject({
  health: z.boolean(),
  stats: z.looseObject({
    numImages: count,
    numAnnotations: count,
    avgImageSize: z.tuple([z.number(), z.number()]),
    medianImageRatio: z.number(),
    missingAnnotations: count,
    nullAnnotations: count,
    classDistribution: z.record(z.string(), count),
  }),
});

export const whoami = z.looseObject({
  welcome: text,
  instructions: text,
  docs: text,
  workspace: text,
});

export const workspace = z.looseObject({
  workspace: z.looseObject({
    name: text,
    url: text,
    projects: z.array(z.looseObject({ id: text, name: text, type: text })),
  }),
});

/** Of an image that was uploaded. */
export const uploaded = z.looseObject({ id: text });
