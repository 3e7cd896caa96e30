/** Builds the OpenAPI 3.1 document from the table of operations. */
import * as z from 'zod';
import { definitionsOf, idOf, inline, reference, type Json } from './json-schema.ts';
import { errorResponses, hasEtag, responsesOf } from './openapi-responses.ts';
import { operation, operationIds, type Operation, type OperationId } from './routes.ts';
import { ErrorBody, ProblemBody } from './schemas.ts';

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
    servers: [
      {
        url: '{address}',
        description: 'Your service.',
        variables: {
          address: { default: 'http://127.0.0.1:4400', description: 'The address of the service.' },
        },
      },
    ],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Bearer docyard_…`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-docyard',
          description:
            'The session of a user of the dashboard. Browsers that reject this name over plain http get the cookie `docyard`. A request that changes something must carry the `Origin` of the server.',
        },
      },
      schemas: componentSchemas(),
      responses: errorResponses(),
    },
  };
}

const tagDescriptions: Record<Operation['tag'], string> = {
  'Static export': 'Start an export, follow it, download its bundle, and compare it with earlier ones.',
  'Agent jobs': 'Let an agent edit the documentation and open a pull request.',
  Projects: 'Connect a domain with the repository that contains its docs.',
  'API keys': 'Create, limit, replace and revoke API keys.',
  Webhooks: 'Manage webhooks for job events, and read their deliveries.',
  'Pull requests': 'See previews of pull requests, approve commits of forks and build again.',
  'Forge events': 'Receive events of a forge, such as pushes, and see what followed from them.',
  Automations: 'Start agent jobs when something happens, as a file of the docs repository describes.',
  Users: 'Set up the service, sign in, and manage users and their roles.',
  Organization: 'Read the caller and its rights, the system status and the audit log.',
  Deployments: 'Read which release a site serves, and roll it back.',
  Health: 'Check whether the service runs and can serve requests. No key is needed.',
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
    ...securityOf(described),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(described.body === undefined ? {} : { requestBody: requestBody(described) }),
    responses: responsesOf(described),
  };
}

/** OpenAPI allows the scopes as role names for these schemes. */
function securityOf({ scope }: Operation): { security?: Json[] } {
  if (scope === 'any') return {};
  return { security: scope === null ? [] : [{ apiKey: [scope] }, { session: [scope] }] };
}

function descriptionOf(described: Operation): { description: string } {
  const { summary, description = `${summary}.` } = described;
  return { description: `${description}\n\n${requirementsOf(described)}` };
}

function requirementsOf({ scope, plan, organizationWide }: Operation): string {
  const scopeText =
    scope === null
      ? 'No key is needed.'
      : scope === 'any'
        ? 'Any valid key or session can call it.'
        : `Requires the scope \`${scope}\`${plan === undefined ? '' : ` and the plan \`${plan}\``}.`;
  return organizationWide ? `${scopeText} A project key is refused.` : scopeText;
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
    add('Idempotency-Key', 'A request with the same key within 24 hours returns the first response.', {
      type: 'string',
      minLength: 1,
      maxLength: 255,
    });
  }
  if (hasEtag(described)) {
    add('If-None-Match', 'The `ETag` of an earlier response. Returns 304 if nothing changed.', {
      type: 'string',
    });
  }
  if (described.method !== 'get') {
    add('If-Match', 'The `ETag` that the record must still have. Otherwise nothing is written.', {
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
