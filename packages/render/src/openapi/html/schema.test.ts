/**
 * Each folder of `fixtures/schema-trees` contains a schema and its expected rows. Update with `npx vitest run
 * packages/render/src/openapi/html/schema.test.ts -u` and review the diff.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, fixture, renderFiles } from '../../../test/support/render-fixture.ts';

const root = fixture('schema-trees');
const names = readdirSync(root).toSorted();

let rendered: Rendered;

beforeAll(async () => {
  const files = names.flatMap((name) => [
    [`${name}.yaml`, documentAround(readFileSync(join(root, name, 'schema.yaml'), 'utf8'))],
    [`${name}.mdx`, `---\ntitle: ${name}\nopenapi-schema: ${name}.yaml Subject\n---\n`],
  ]);
  rendered = await renderFiles({
    ...(Object.fromEntries(files) as Record<string, string>),
    'index.mdx': 'Home',
  });
});

describe('a rendered schema', () => {
  it.each(names)('%s', async (name) => {
    const html = readable(rendered.content(`${name}.html`));
    await expect(html).toMatchFileSnapshot(join(root, name, 'expected.html'));
  });

  it('gives every field a unique id', () => {
    for (const name of names) {
      const html = rendered.files.get(`${name}.html`) ?? '';
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });

  it('contains nothing executable from a description', () => {
    for (const name of names) {
      const html = rendered.content(`${name}.html`);
      expect(html).not.toMatch(/<script|<img|javascript:|<[^>]*\son\w+=/i);
    }
  });
});

function documentAround(schema: string): string {
  const indented = schema.replaceAll(/^(?=.)/gm, '      ');
  return `openapi: 3.1.0\ninfo: { title: Case, version: '1' }\npaths: {}\ncomponents:\n  schemas:\n    Subject:\n${indented}`;
}

function readable(html: string): string {
  const lines = html
    .replaceAll(/ ?<a class="dy-anchor"[^>]*>#<\/a>/g, '')
    .replaceAll(/(<\/(?:div|p|section|details|ul|li|button|summary)>)(?=<)/g, '$1\n')
    .replaceAll(
      /(<div class="dy-field-(?:head|body)">|<div class="dy-expandable-body">|<\/summary>)(?=.)/g,
      '$1\n',
    );
  return `${lines.trim()}\n`;
}
