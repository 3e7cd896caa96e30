/** Exports the manual and compares the rendered reference with the API; asks its search what readers ask. */
import { fileURLToPath } from 'node:url';
import { errorTable, impliedErrors, operation, operationIds, type OperationId } from '@docyard/api';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderFolder, type Rendered } from '../packages/render/test/support/render-fixture.ts';
import { searchIn, type BrowserSearch } from '../packages/render/test/support/memory-search.ts';
import { readerQueries } from './manual-queries.ts';

const docs = fileURLToPath(new URL('../docs', import.meta.url));

let manual: Rendered;
let search: BrowserSearch;
beforeAll(async () => {
  manual = await renderFolder(docs);
  ({ search } = searchIn(manual.files));
}, 120_000);

it('the export of the manual has no finding', () => {
  expect(manual.diagnostics).toEqual([]);
});

describe.each(operationIds)('the page of operation %s', (id) => {
  const described = operation(id);

  it('states method, path, scope and plan', () => {
    const text = textOf(`${routeOf(id)}.html`);
    expect(text).toContain(described.summary);
    expect(text).toContain(`${described.method.toUpperCase()}${described.path}`);
    const needsScope = described.scope !== null && described.scope !== 'any';
    if (needsScope) expect(text).toContain(`Requires the scope ${described.scope}`);
    expect(text.includes('plan enterprise')).toBe(described.plan === 'enterprise');
    expect(text.includes('A project key is refused.')).toBe(described.organizationWide === true);
  });

  it('states every error with its meaning', () => {
    const text = textOf(`${routeOf(id)}.html`);
    const codes = [...described.errors, ...impliedErrors(described)];
    expect(codes.filter((code) => !text.includes(`${code}: ${errorTable[code].title}.`))).toEqual([]);
  });

  it('has every parameter and field with its description', () => {
    const text = textOf(`${routeOf(id)}.html`);
    const response = 'schema' in described.success ? described.success.schema : undefined;
    const fields = [described.params, described.query, described.body, response].flatMap(fieldsOf);
    expect(fields.filter(([, description]) => description === '')).toEqual([]);
    const missing = fields.filter(
      ([name, description]) => !text.includes(name) || !text.includes(plainText(description)),
    );
    // The data of event streams is described in words.
    expect(described.success.kind === 'events' ? [] : missing).toEqual([]);
  });

  it('is linked from the overview of its group, which keeps its former anchor', () => {
    const [, overview = '', name = ''] = /^(.+)\/([^/]+)$/.exec(routeOf(id)) ?? [];
    const html = manual.files.get(`${overview}.html`) ?? '';
    expect(html).toContain(`<span id="${name}">`);
    expect(html).toContain(`${name}.html"`);
    expect(textOf(`${overview}.html`)).toContain(
      `${described.summary} ${described.method.toUpperCase()} ${described.path}`,
    );
  });
});

describe('a search of the manual', () => {
  it.each(readerQueries)('%s: %s is among the first three results', async (query, route) => {
    const { results } = await search.find(query, { scope: 0, limit: 8 });
    expect(results.slice(0, 3).map(({ href }) => href)).toContain(`${route}.html`);
  });

  it('most queries have their page as the first result', async () => {
    const first = await Promise.all(
      readerQueries.map(async ([query, route]) => {
        const { results } = await search.find(query, { scope: 0, limit: 1 });
        return results[0]?.href === `${route}.html`;
      }),
    );
    expect(first.filter(Boolean).length).toBeGreaterThanOrEqual(0.75 * readerQueries.length);
  });
});

function routeOf(id: OperationId): string {
  const { tag, summary } = operation(id);
  const name = (text: string) => text.toLowerCase().replaceAll(',', '').replaceAll(' ', '-');
  return `reference/${name(tag)}/${name(summary)}`;
}

function textOf(path: string): string {
  const html = manual.files.get(path) ?? '';
  return plainText(html.replaceAll(/<\/?(?:a|code|span|wbr)\b[^>]*>/g, '').replaceAll(/<[^>]+>/g, ' '));
}

/** Without Markdown, entities and repeated white space. */
function plainText(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll(/&#39;|’/g, "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('`', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

interface Field {
  description?: string;
  unwrap?: () => Field;
}

function fieldsOf(schema: unknown): [name: string, description: string][] {
  const shape = (schema as { shape?: Record<string, Field> } | undefined)?.shape ?? {};
  return Object.entries(shape).map(([name, field]) => [name, descriptionOf(field)]);
}

function descriptionOf(field: Field): string {
  return field.description ?? (field.unwrap ? descriptionOf(field.unwrap()) : '');
}
