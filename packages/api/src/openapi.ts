/** Builds the OpenAPI 3.1 document from the table of operations. */
import * as z from 'zod';
import { errorTable, type ErrorCode } from './errors.ts';
import { impliedErrors, operation, operationIds, type Operation, type OperationId } from './routes.ts';
import { ErrorBody, ProblemBody } from './schemas.ts';

type Json = { [key: string]: unknown };

export function buildOpenApi(): Json {
  const paths: Record<string, Json> = {};
  for (const id of operationIds) {
    const described = operation(id);
    (paths[described.path] ??= {})[described.method] = describeOperation(id, described);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Docyard administrative API',
      version: '2.0.0',
      description:
        'Static export of documentation sites, agent jobs, projects, keys, webhooks, deployments and users.',
      contact: { name: 'Docyard' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    security: [{ adminKey: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        adminKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key. It begins with `docyard_`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-docyard',
          description:
            'The session of a user of the dashboard. Without https the cookie is named `docyard`. Requests that change something need the `Origin` of the server.',
        },
      },
      schemas: componentSchemas(),
    },
  };
}

const tagDescriptions: Record<Operation['tag'], string> = {
  'Static export': 'Export a documentation site as a signed bundle.',
  'Agent jobs': 'Let an agent edit the documentation and open a pull request.',
  Projects: 'The documentation sites of an organization.',
  'API keys': 'Create, limit and revoke keys.',
  Webhooks: 'Get notified about jobs.',
  Users: 'Users, roles and sessions.',
  Organization: 'Settings, limits and the audit log of an organization.',
  Deployments: 'Sites that report the release they serve.',
  Health: 'Liveness and readiness of the service.',
};

function describeOperation(id: OperationId, described: Operation): Json {
  const parameters = [
    ...parametersOf(described.params, 'path'),
    ...parametersOf(described.query, 'query'),
    ...headerParameters(described),
  ];
  return {
    operationId: id,
    tags: [described.tag],
    summary: described.summary,
    ...descriptionOf(described),
    ...(described.scope === null ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(described.body === undefined ? {} : { requestBody: requestBody(described) }),
    responses: responsesOf(described),
  };
}

function descriptionOf({ summary, description, organizationWide }: Operation): { description: string } {
  const refusal = organizationWide ? 'A key that is limited to one project is refused.' : undefined;
  const sentences = [description ?? `${summary}.`, refusal].filter((text) => text !== undefined);
  return { description: sentences.join(' ') };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, part]) => {
    const { description, ...rest } = inline(part as z.ZodType);
    return {
      name,
      in: place,
      required: place === 'path' || !z.safeParse(part as z.ZodType, undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function headerParameters(described: Operation): Json[] {
  const headers: Json[] = [];
  const add = (name: string, description: string, schema: Json) =>
    headers.push({ name, in: 'header', required: false, description, schema });
  if (described.method === 'post' && !described.keepsNoAnswer) {
    add('Idempotency-Key', 'A request with the same key within 24 hours returns the stored response.', {
      type: 'string',
      minLength: 1,
      maxLength: 255,
    });
  }
  if (hasEtag(described)) {
    add('If-None-Match', 'The `ETag` of an earlier response. Returns 304 when nothing changed.', {
      type: 'string',
    });
  }
  if (described.waitable) {
    add('Prefer', '`wait=N`: hold the response for up to N seconds (at most 55) until the record changes.', {
      type: 'string',
      examples: ['wait=30'],
    });
  }
  if (described.success.kind === 'events') {
    add('Last-Event-ID', 'Resume after this event.', { type: 'string' });
  }
  return headers;
}

function requestBody(described: Operation): Json {
  return {
    required: described.bodyOptional !== true,
    content: { 'application/json': { schema: reference(described.body as z.ZodType) } },
  };
}

function responsesOf(described: Operation): Json {
  const responses: Json = { [described.success.status]: successResponse(described) };
  if (hasEtag(described)) {
    responses['304'] = { description: 'Nothing changed since the response with this `ETag`.' };
  }
  if (described.alsoStatus !== undefined) {
    responses[described.alsoStatus] = {
      ...successResponse(described),
      description: described.description,
      headers: retryAfter,
    };
  }
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of [...described.errors, ...impliedErrors(described)]) {
    const { status } = errorTable[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  for (const [status, codes] of [...byStatus].toSorted(([a], [b]) => a - b)) {
    responses[status] = errorResponse(status, [...codes]);
  }
  return responses;
}

function successResponse(described: Operation): Json {
  const { success } = described;
  switch (success.kind) {
    case 'empty':
      return { description: 'Done.' };
    case 'redirect':
      return {
        description: 'The download link.',
        headers: { Location: { schema: { type: 'string', format: 'uri' } } },
      };
    case 'events':
      return {
        description: 'Events named `job`, each with the complete record as JSON.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      };
    case 'file':
      return {
        description: described.summary,
        content: Object.fromEntries(
          success.types.map((type) => [
            type,
            {
              schema:
                type === 'application/json'
                  ? { type: 'array', items: reference(success.schema) }
                  : { type: 'string' },
            },
          ]),
        ),
      };
    case 'json':
      return {
        description: described.summary,
        ...successHeaders(described),
        content: {
          'application/json': { schema: reference(success.schema) },
          ...Object.fromEntries((success.alsoTypes ?? []).map((type) => [type, { schema: formOf(type) }])),
        },
      };
  }
}

function formOf(type: string): Json {
  return { type: type.endsWith('json') ? 'object' : 'string' };
}

function successHeaders(described: Operation): Json {
  const headers: Json = {};
  const add = (name: string, description: string, type: 'string' | 'integer') => {
    headers[name] = { description, schema: { type } };
  };
  if (described.success.status !== 200) add('Location', 'The address of the record.', 'string');
  if (hasEtag(described)) add('ETag', 'For `If-None-Match`.', 'string');
  if (described.waitable)
    add('Retry-After', 'Seconds until the next request. Only while the job is unfinished.', 'integer');
  if (described.waitable) add('Preference-Applied', 'Present when `Prefer: wait` was applied.', 'string');
  if (described.method === 'post' && !described.keepsNoAnswer) {
    add('Idempotency-Replayed', '`true` when this is the stored response to an earlier request.', 'string');
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function hasEtag(described: Operation): boolean {
  return described.method === 'get' && described.success.kind === 'json';
}

const retryAfter = { 'Retry-After': { schema: { type: 'integer' } } };

function errorResponse(status: number, codes: ErrorCode[]): Json {
  const wait = status === 429 || status === 503;
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].title}.`).join(' '),
    ...(wait ? { headers: retryAfter } : {}),
    content: {
      'application/json': { schema: reference(ErrorBody) },
      'application/problem+json': { schema: reference(ProblemBody) },
    },
  };
}

function componentSchemas(): Json {
  const named = new Map<string, z.ZodType>();
  const add = (schema: z.ZodType | undefined) => {
    const id = schema === undefined ? undefined : idOf(schema);
    if (schema !== undefined && id !== undefined) named.set(id, schema);
  };
  add(ErrorBody);
  add(ProblemBody);
  for (const id of operationIds) {
    const described = operation(id);
    add(described.body);
    if ('schema' in described.success) add(described.success.schema);
  }
  const components: Json = {};
  for (const [id, schema] of named) Object.assign(components, definitionsOf(id, schema));
  return Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The schema and every named schema inside it, by name. */
function definitionsOf(id: string, schema: z.ZodType): Json {
  const { $schema: _dialect, $defs, id: _id, ...own } = toJson(schema);
  const inner = Object.entries(($defs ?? {}) as Record<string, Json>);
  return Object.fromEntries([[id, own], ...inner.map(([name, { id: _inner, ...rest }]) => [name, rest])]);
}

const standardFormats = ['date-time', 'ipv4', 'ipv6'];

function toJson(schema: z.ZodType): Json {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    // zod adds a long pattern to these formats.
    override: ({ jsonSchema }) => {
      if (standardFormats.includes(jsonSchema.format ?? '')) delete jsonSchema.pattern;
    },
  });
  return JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}

function inline(schema: z.ZodType): Json {
  const { $schema: _dialect, id: _id, ...rest } = toJson(schema);
  return rest;
}

function reference(schema: z.ZodType): Json {
  const id = idOf(schema);
  return id === undefined ? inline(schema) : { $ref: `#/components/schemas/${id}` };
}

function idOf(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}
