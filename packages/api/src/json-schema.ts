/** Converts zod schemas to JSON Schema as OpenAPI 3.1 uses it. */
import * as z from 'zod';

export type Json = { [key: string]: unknown };

/** The schema and every named schema inside it, by name. */
export function definitionsOf(id: string, schema: z.ZodType): Json {
  const { $schema: _dialect, $defs, id: _id, ...own } = toJson(schema);
  const inner = Object.entries(($defs ?? {}) as Record<string, Json>);
  return Object.fromEntries([[id, own], ...inner.map(([name, { id: _inner, ...rest }]) => [name, rest])]);
}

const standardFormats = ['date-time', 'ipv4', 'ipv6'];

function toJson(schema: z.ZodType): Json {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // zod adds a long pattern to these formats, and the largest exact numbers to every integer.
    override: ({ jsonSchema }) => {
      if (standardFormats.includes(jsonSchema.format ?? '')) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}

export function inline(schema: z.ZodType): Json {
  const { $schema: _dialect, id: _id, ...rest } = toJson(schema);
  return rest;
}

export function reference(schema: z.ZodType): Json {
  const id = idOf(schema);
  return id === undefined ? inline(schema) : { $ref: `#/components/schemas/${id}` };
}

export function idOf(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}
