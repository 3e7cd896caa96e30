import { beforeAll, describe, expect, it } from 'vitest';
import { loadSite } from '../pipeline/load.ts';
import type { PageTask } from '../model/page.ts';
import { type Rendered, fixture, renderFiles, renderFixture } from '../../test/support/render-fixture.ts';
import { escapeText } from '../text/html.ts';
import { planSite, planTasks } from '../pipeline/site-plan.ts';
import { operationView } from '../openapi/operation.ts';
import type { ContentView, OperationView, SchemaView } from '../openapi/view.ts';
import type { SitePlan } from '../model/site-plan.ts';

let rendered: Rendered;
let plan: SitePlan;
let tasks: PageTask[];

beforeAll(async () => {
  rendered = await renderFixture('sites/api');
  const site = await loadSite({ root: fixture('sites/api') });
  plan = planSite(site, {});
  tasks = planTasks(site, plan, new Map()).filter(({ api }) => api);
});

const page = (route: string): string => rendered.files.get(`${route}.html`) ?? '';

describe('a page about an operation', () => {
  it('shows every parameter, property, status and value that its view holds', () => {
    const seen = new Set<string>();
    for (const task of tasks) {
      const view = viewOf(task);
      if (!view) continue;
      const html = rendered.content(task.output);
      const missing = namesOf(view).filter((name) => !html.includes(`>${escapeText(name)}<`));
      expect({ route: task.route, missing }).toEqual({ route: task.route, missing: [] });
      seen.add(`${view.method} ${view.path}`);
    }
    const operations = Object.values(plan.specs).flatMap((document) => pathsOf(document));
    expect([...seen]).toEqual(expect.arrayContaining(operations));
    expect(operations.length).toBeGreaterThan(7);
  });

  it('has its sections as headings, in the order of a request and its response', () => {
    const ids = [...page('reference/list-vessels').matchAll(/<h2 id="([^"]*)" class="dy-api-heading /g)];
    expect(ids.map(([, id]) => id)).toEqual([
      'authorizations',
      'query-parameters',
      'headers',
      'cookies',
      'response',
    ]);
  });

  it("shows the author's text before the generated content", () => {
    const html = rendered.content('reference/create-shipment.html');
    expect(html.indexOf('A shipment is confirmed')).toBeGreaterThan(0);
    expect(html.indexOf('A shipment is confirmed')).toBeLessThan(html.indexOf('id="authorizations"'));
  });

  it('shows the first paragraph of the description as its lead and the rest below', () => {
    const html = page('reference/list-vessels');
    expect(html).toContain('<p class="dy-lead">Vessels that still have room, the next to leave first.</p>');
    expect(rendered.content('reference/list-vessels.html')).toMatch(/^<p>Results come in pages/);
  });

  it('marks parameters in its path and copies the whole address', () => {
    const html = page('api-reference/shipments/get-a-shipment');
    expect(html).toContain('<span class="dy-api-parameter">{shipmentId}</span>');
    expect(html).toContain('data-copy="https://api.harbour.example/v1/shipments/{shipmentId}"');
  });

  it("keeps the author's examples", () => {
    const html = page('reference/upload-document');
    expect(html).toContain('By hand');
    expect(html.match(/aria-label="Request example"/g)).toHaveLength(1);
    expect(html.match(/aria-label="Response example"/g)).toHaveLength(1);
  });

  it('has unique ids', () => {
    for (const { output } of tasks) {
      const html = rendered.files.get(output) ?? '';
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });

  it('has a method badge in the sidebar, unless it disables it', () => {
    const html = page('index');
    expect(html).toContain('<a href="reference/search.html"><span>Search</span></a>');
    expect(html).toContain('<span class="dy-method dy-nav-method method-nav-pill dy-method-get">GET</span>');
    expect(html).toContain(
      '<span class="dy-method dy-nav-method method-nav-pill dy-method-delete">DEL</span>',
    );
  });
});

describe('an API page', () => {
  it('of a webhook shows its payload, but no form and no security', () => {
    const html = page('reference/shipment-arrived');
    expect(html).toContain('aria-label="Payload example"');
    expect(html).toContain('id="payload"');
    expect(html).not.toMatch(/data-try-it|id="authorizations"|aria-label="Request example"/);
  });

  it('of a schema shows its fields and an example', () => {
    const html = page('reference/shipment');
    expect(html).toContain('id="schema-status"');
    expect(html).toContain('aria-label="Example"');
  });

  it('with an operation in its front matter has samples and a form generated from its fields', () => {
    const html = page('reference/create-token');
    expect(textOf(html)).toContain("--url 'https://api.harbour.example/v1/accounts/acc_1/tokens");
    expect(textOf(html)).toContain('X-Harbour-Key: <api-key>');
    expect(textOf(html)).toMatch(/"limits": \{\s+"perMinute": 60/);
    expect(dataOf(html)).toMatchObject({
      method: 'POST',
      servers: [{ url: 'https://api.harbour.example/v1' }],
      bodies: [{ type: 'application/json' }],
    });
  });

  it('with an operation in its front matter can set the content type and authorization', async () => {
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({
        name: 'S',
        api: { mdx: { server: 'https://api.example.com', auth: { method: 'key', name: 'X-Key' } } },
      }),
      'index.mdx': `---\napi: POST /upload\nauthMethod: bearer\ncontentType: multipart/form-data\n---\n\n${writtenFields}`,
      'form.mdx': `---\napi: POST /form\nauth: none\ncontentType: application/x-www-form-urlencoded\n---\n\n${writtenFields}`,
    });
    const upload = files.get('index.html') ?? '';
    expect(textOf(upload)).toContain('Authorization: Bearer');
    expect(textOf(upload)).not.toContain('X-Key');
    expect(textOf(upload)).toMatch(/--form '?picture=@/);
    expect(dataOf(upload)).toMatchObject({ bodies: [{ type: 'multipart/form-data' }] });
    const form = files.get('form.html') ?? '';
    expect(textOf(form)).not.toMatch(/X-Key|Authorization/);
    expect(textOf(form)).toContain('title=A boat');
  });
});

describe('the form', () => {
  it('and its page are in the language of the page', async () => {
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({
        name: 'S',
        api: { openapi: 'openapi.json' },
        navigation: {
          languages: [
            { language: 'en', pages: ['index'] },
            { language: 'de', pages: ['de/index'] },
          ],
        },
      }),
      'openapi.json': JSON.stringify({
        openapi: '3.1.0',
        servers: [{ url: 'https://api.example.com' }],
        paths: {
          '/a': {
            get: {
              parameters: [{ name: 'q', in: 'query', schema: { type: 'string' } }],
              responses: { 200: { description: 'Done' } },
            },
          },
        },
      }),
      'index.mdx': '---\nopenapi: GET /a\n---\n',
      'de/index.mdx': '---\nopenapi: GET /a\n---\n',
    });
    const german = files.get('de/index.html') ?? '';
    expect(german).toMatch(/<h2 id="query-parameters"[^>]*>Abfrageparameter</);
    expect(german).toMatch(/<h2 id="response"[^>]*>Antwort</);
    expect(german).toContain('data-try-it hidden>Ausprobieren<');
    expect(dataOf(german, 'texts')).toMatchObject({ Send: 'Senden' });
    const english = files.get('index.html') ?? '';
    expect(english).toMatch(/<h2 id="query-parameters"[^>]*>Query parameters</);
    expect(dataOf(english, 'texts')).toBeUndefined();
  });

  it('may send requests to the hosts of its servers only', () => {
    expect(policyOf(page('reference/create-shipment'))).toContain(
      "connect-src 'self' https://api.harbour.example https://eu.sandbox.harbour.example https://us.sandbox.harbour.example;",
    );
    expect(policyOf(page('reference/create-shipment'))).toContain("img-src 'self' data: blob:;");
  });

  it('does not affect pages without one', () => {
    for (const route of ['index', 'reference/search', 'reference/shipment', 'reference/shipment-arrived']) {
      expect(policyOf(page(route))).toContain("connect-src 'self';");
      expect(page(route)).not.toContain('try-it.js');
    }
  });

  it("sends the reader's cookies only when configured", async () => {
    const index = '---\napi: GET https://api.example.com/a\n---\n';
    const asked = { name: 'S', api: { playground: { credentials: true } } };
    const { files } = await renderFiles({ 'docs.json': JSON.stringify(asked), 'index.mdx': index });
    expect(files.get('index.html')).toContain('"credentials":true');
    expect(page('reference/create-shipment')).toContain('"credentials":false');
  });

  it('is absent from an air-gapped export', async () => {
    const { files } = await renderFixture('sites/api', { airGapped: true });
    expect(files.has('_docyard/try-it.js')).toBe(false);
    expect(files.get('reference/create-shipment.html')).not.toContain('data-try-it');
    expect(files.get('reference/create-shipment.html')).toContain('class="dy-api-bar"');
  });

  it('is absent when disabled, and a site without API pages contains none of its files', async () => {
    const simple = await renderFiles({
      'docs.json': JSON.stringify({ name: 'S', api: { playground: { display: 'simple' }, url: 'full' } }),
      'index.mdx': '---\napi: GET https://api.example.com/v1/things\n---\n',
    });
    expect(simple.files.get('index.html')).toContain('class="dy-api-bar"');
    expect(simple.files.get('index.html')).toContain('api.example.com');
    expect(simple.files.has('_docyard/try-it.js')).toBe(false);
    const plain = await renderFiles({ 'index.mdx': 'Text' });
    expect(plain.files.has('_docyard/api.css')).toBe(false);
  });

  it('contains data that cannot end its script element', async () => {
    const { files } = await renderFiles({
      'index.mdx':
        '---\napi: GET https://api.example.com/a\n---\n\n<ParamField query="q" default="</script><script>alert(1)</script>" />\n',
    });
    const html = files.get('index.html') ?? '';
    expect(html).not.toContain('<script>alert');
    expect(dataOf(html)).toMatchObject({ parameters: [{ initial: '</script><script>alert(1)</script>' }] });
  });
});

function viewOf({ api }: PageTask): OperationView | undefined {
  if (api?.kind !== 'operation' && api?.kind !== 'webhook') return undefined;
  return operationView(plan.specs[api.spec] ?? {}, api);
}

function pathsOf(document: SitePlan['specs'][string]): string[] {
  const paths = document['paths'] as Record<string, Record<string, unknown>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete']
      .filter((method) => item[method])
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
}

function namesOf(view: OperationView): string[] {
  return [
    ...view.parameters.flatMap(({ name, schema }) => [name, ...namesIn(schema)]),
    ...(view.body?.contents ?? []).flatMap(contentNames),
    ...view.responses.flatMap(({ status, headers, contents }) => [
      status,
      ...headers.flatMap(({ name, schema }) => [name, ...namesIn(schema)]),
      ...contents.flatMap(contentNames),
    ]),
    ...view.callbacks.flatMap(({ operation }) => namesOf(operation)),
  ];
}

function contentNames({ type, schema }: ContentView): string[] {
  return [type, ...(schema ? namesIn(schema) : [])];
}

function namesIn(schema: SchemaView): string[] {
  return [
    ...schema.enum.map(({ value }) => value.replaceAll(/^"|"$/g, '')),
    ...schema.properties.flatMap(({ name, schema: inner }) => [name, ...namesIn(inner)]),
    ...(schema.items ? namesIn(schema.items) : []),
    ...schema.additional.flatMap(({ schema: inner }) => namesIn(inner)),
    ...(schema.choices?.options ?? []).flatMap(({ title, schema: inner }) => [title, ...namesIn(inner)]),
  ];
}

function policyOf(html: string): string {
  return /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
}

function dataOf(html: string, part: 'request' | 'texts' = 'request'): unknown {
  const json = /<script type="application\/json" data-request>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '{}';
  return (JSON.parse(json) as Record<typeof part, unknown>)[part];
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"');
}

const writtenFields =
  '<ParamField body="title" type="string" required default="A boat" />\n\n<ParamField body="picture" type="file" required />\n';
