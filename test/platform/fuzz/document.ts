// The OpenAPI document of a running platform, as far as requests are made from it and judged by it.

import * as z from 'zod';

/** A JSON Schema, as far as the document uses it. */
export interface Schema {
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: Schema | boolean | undefined;
  readonly propertyNames?: Schema | undefined;
  readonly items?: Schema | boolean | undefined;
  readonly prefixItems?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly oneOf?: readonly Schema[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly contentMediaType?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

export const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
    propertyNames: Schema.optional(),
    items: z.union([z.boolean(), Schema]).optional(),
    prefixItems: z.array(Schema).optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    enum: z.array(z.unknown()).optional(),
    pattern: z.string().optional(),
    format: z.string().optional(),
    contentMediaType: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
  }),
);

const Content = z.record(z.string(), z.looseObject({ schema: Schema }));

const Item = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: Schema,
      }),
    )
    .default([]),
  requestBody: z.looseObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Content.optional() })),
});

const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Item)),
});

export type Parameter = z.output<typeof Item>['parameters'][number];

/** One operation of the document. */
export type Described = z.output<typeof Item> & { readonly path: string; readonly method: string };

/** What the service at `url` says of itself: all that anybody can know of it. */
export async function fetchDocument(url: string): Promise<readonly Described[]> {
  const answer = await fetch(`${url}/openapi.json`);
  const { paths } = Document.parse(await answer.json());
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, item]) => ({
      ...item,
      path,
      method: method.toUpperCase(),
    })),
  );
}
