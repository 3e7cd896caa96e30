import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { buildOpenApi } from './openapi.ts';
import { errorTable } from './errors.ts';
import { impliedErrors, operation, operationIds } from './routes.ts';

interface Described {
  operationId: string;
  tags: string[];
  description: string;
  security?: unknown[];
  requestBody?: { required: boolean };
  responses: Record<string, DescribedResponse>;
}

interface DescribedResponse {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, object>;
}

interface Document {
  openapi: string;
  info: { version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Described>>;
}

const document = buildOpenApi() as unknown as Document;
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const find = (id: string) => described.find(({ operationId }) => operationId === id);

describe('buildOpenApi', () => {
  it('the document is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(buildOpenApi())).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('the document has the version of the specification', () => {
    expect(document.info.version).toBe('2.0.0');
  });

  it('every operation has a description and a tag that the document declares', () => {
    const declared = document.tags.map(({ name }) => name);
    expect(described.filter(({ tags: [tag = ''] }) => !declared.includes(tag))).toEqual([]);
    expect(described.filter(({ description }) => description === '')).toEqual([]);
    expect([...new Set(described.flatMap(({ tags }) => tags))].toSorted()).toEqual(declared.toSorted());
  });

  it('the document has every operation once', () => {
    expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(operationIds.toSorted());
  });

  it('every reference resolves within the document', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(
      ([, target]) => target ?? '',
    );
    expect(references.length).toBeGreaterThan(50);
    expect([...new Set(references)].filter((target) => resolve(target) === undefined)).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('every parameter, header and field has a description', () => {
    expect(undescribedIn('', document)).toEqual([]);
  });

  it('every operation states its scope, its plan and that it refuses project keys', () => {
    for (const id of operationIds) {
      const { scope, plan, organizationWide } = operation(id);
      const { description, security } = find(id) as Described;
      if (scope !== null && scope !== 'any') {
        expect(description).toContain(`scope \`${scope}\``);
        expect(security).toEqual([{ apiKey: [scope] }, { session: [scope] }]);
      }
      expect(description.includes('plan `enterprise`'), id).toBe(plan === 'enterprise');
      expect(description.includes('A project key is refused.'), id).toBe(organizationWide === true);
    }
  });

  it('every error of an operation is described and has an example', () => {
    for (const id of operationIds) {
      const { responses } = find(id) as Described;
      for (const code of [...operation(id).errors, ...impliedErrors(operation(id))]) {
        const { status, title } = errorTable[code];
        const { description, content } = responseOf(responses, String(status));
        expect(description, `${id} ${code}`).toContain(`\`${code}\`: ${title}.`);
        expect(content?.['application/json'], `${id} ${code}`).toHaveProperty(['examples', code]);
      }
    }
  });

  it('every example is valid', () => {
    const ofSchema = (schema: z.ZodType) =>
      (z.globalRegistry.get(schema)?.['examples'] as unknown[] | undefined) ?? [];
    const examples = operationIds.flatMap((id) => {
      const { body, success } = operation(id);
      const response = 'schema' in success ? success.schema : undefined;
      const given = response && 'example' in success ? [{ schema: response, value: success.example }] : [];
      const schemas = [body, response].filter((schema) => schema !== undefined);
      return [...given, ...schemas.flatMap((schema) => ofSchema(schema).map((value) => ({ schema, value })))];
    });
    expect(examples.length).toBeGreaterThan(10);
    expect(examples.filter(({ schema, value }) => !schema.safeParse(value).success)).toEqual([]);
  });

  it('every response has a description', () => {
    for (const { operationId, responses } of described) {
      for (const status of Object.keys(responses)) {
        const { description } = responseOf(responses, status);
        expect(description, `${operationId} ${status}`).toMatch(/\w/);
      }
    }
  });

  it('only health, setup and sign-in operations need no key', () => {
    const open = described.filter(({ security }) => security?.length === 0);
    expect(open.map(({ operationId }) => operationId)).toEqual([
      'readSetup',
      'setUp',
      'signIn',
      'acceptInvitation',
      'readHealth',
      'readReadiness',
    ]);
  });

  it('the body of createBundle is optional and that of startExport is required', () => {
    expect(find('createBundle')?.requestBody?.required).toBe(false);
    expect(find('startExport')?.requestBody?.required).toBe(true);
  });

  it('polling headers are documented', () => {
    const { responses } = find('readExport') as Described;
    expect(Object.keys(responses['200']?.headers ?? {})).toEqual([
      'ETag',
      'Retry-After',
      'Preference-Applied',
    ]);
    expect(responses).toHaveProperty('304');
    expect(Object.keys(responseOf(responses, '429').headers ?? {})).toEqual(['Retry-After']);
  });

  it('200 and 503 of the readiness check have the same body', () => {
    const { responses } = find('readReadiness') as Described;
    expect(responses['503']?.content).toEqual(responses['200']?.content);
  });

  it('no response schema forbids additional fields', () => {
    for (const name of ['ExportJob', 'AgentJob', 'Bundle', 'Project', 'ApiKey', 'Error']) {
      expect(resolve(`#/components/schemas/${name}`), name).not.toHaveProperty('additionalProperties');
    }
    expect(resolve('#/components/schemas/StartExport')).toHaveProperty('additionalProperties', false);
  });
});

describe('docs/openapi.json', () => {
  it('the committed docs/openapi.json is current', async () => {
    const committed = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8');
    const current = `${JSON.stringify(document, null, 2)}\n`;
    expect(
      committed === current,
      'docs/openapi.json is stale. Run `npm run openapi` and commit the result.',
    ).toBe(true);
  });
});

/** Pointers to members of `properties`, `headers` and `parameters` that neither have a description nor refer to one. */
function undescribedIn(place: string, value: unknown, isNames = false): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const named = !isNames && (key === 'parameters' || key === 'properties' || key === 'headers');
    const members = named ? Object.entries(inner as Record<string, object>) : [];
    const isNarrowed = 'allOf' in value;
    const bare = members.filter(([, member]) => !('description' in member || '$ref' in member || isNarrowed));
    return [
      ...bare.map(([name]) => `${place}/${key}/${name}`),
      ...undescribedIn(`${place}/${key}`, inner, named),
    ];
  });
}

function responseOf(responses: Described['responses'], status: string): DescribedResponse {
  const response = responses[status] ?? {};
  return response.$ref === undefined ? response : (resolve(response.$ref) as DescribedResponse);
}

function resolve(target: string): unknown {
  const steps = target.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
}
