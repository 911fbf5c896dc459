// The event schemas that public clients of such stores use, as JSON Schema. Unknown members are
// refused, as these clients expect.

const identity = { type: 'string', maxLength: 1_000 } as const;
const longText = { type: 'string', maxLength: 10_000 } as const;

export const builtInSchemas = {
  quality_check: {
    type: 'object',
    properties: { result: { enum: ['pass', 'fail'] }, externalId: identity },
    required: ['result'],
    additionalProperties: false,
  },
  inventory_count: {
    type: 'object',
    properties: {
      location: identity,
      itemCount: { type: 'integer' },
      itemType: identity,
      externalId: identity,
    },
    additionalProperties: false,
  },
  safety_alert: {
    type: 'object',
    properties: {
      alertType: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,1000}$' },
      severity: { enum: ['low', 'medium', 'high'] },
      description: longText,
      externalId: identity,
    },
    additionalProperties: false,
  },
  custom: {
    type: 'object',
    properties: { value: longText, externalId: identity },
    additionalProperties: false,
  },
  operator_feedback: {
    type: 'object',
    properties: {
      relatedEventId: { type: 'string', minLength: 1, maxLength: 1_000 },
      feedback: { enum: ['correct', 'incorrect', 'inconclusive'] },
    },
    required: ['relatedEventId'],
    additionalProperties: false,
  },
} as const;
