import { readApiSettings } from '../config/api.ts';
import { describe, expect, it } from 'vitest';
import { pageTask } from '../../test/support/page-task.ts';
import { withFolder } from '../../test/support/render-fixture.ts';
import { renderPages } from './process-pool.ts';
import type { PageResult } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';

const plan: SitePlan = {
  groups: undefined,
  root: '',
  files: [],
  routes: [],
  rendered: [],
  withheld: [],
  urlStyle: 'html',
  origin: '',
  basePath: '',
  redirects: [],
  generatedFiles: [],
  renamedRoutes: [],
  renamedFiles: [],
  variables: {},
  math: 'auto',
  iconLibrary: 'fontawesome',
  specs: {},
  maxSchemaNodes: 9000,
  specInMarkdown: true,
  customCode: 'run',
  clockMs: 0,
  api: readApiSettings(undefined),
  airGapped: false,
  pictures: new Map(),
  asksForPictures: false,
  banner: '',
};

/** Answers like the real process, but crashes on some files and hangs on others. */
const fragileProcess = `
process.send({ type: 'ready' });
process.on('message', (message) => {
  if (message.type !== 'pages') return;
  for (const { id, file } of message.tasks) {
    if (file === 'always') process.abort();
    if (file === 'fast-only' && message.parser === 'fast') process.abort();
    if (file === 'hang') for (;;);
    const html = file + ' by ' + message.parser;
    process.send({ type: 'page', result: { id, html: Buffer.from(html), aside: Buffer.alloc(0), markdown: Buffer.alloc(0), description: '', banner: '', headings: [], styles: [], assets: [], diagnostics: [], failed: false } });
  }
});`;

async function render(names: string[], concurrency = 2): Promise<Map<string, PageResult>> {
  return withFolder({ 'fragile.mjs': fragileProcess }, async (root) => {
    const results = new Map<string, PageResult>();
    const tasks = names.map((name, id) => pageTask(id, name));
    const options = { plan, concurrency, pageTimeoutMs: 1000, processFile: `${root}/fragile.mjs` };
    for await (const result of renderPages(tasks, options)) results.set(names[result.id] ?? '', result);
    return results;
  });
}

function htmlOf(result: PageResult | undefined): string {
  return Buffer.from(result?.html ?? []).toString();
}

describe('the render processes', () => {
  it('every page is finished although some crash their process', async () => {
    const names = [...Array.from({ length: 40 }, (_, index) => `page-${index}`), 'always', 'fast-only'];
    const results = await render(names);
    expect(results.size).toBe(42);
    expect(htmlOf(results.get('page-39'))).toBe('page-39 by fast');
    expect(htmlOf(results.get('fast-only'))).toBe('fast-only by slow');
    expect(results.get('always')?.failed).toBe(true);
    expect(htmlOf(results.get('always'))).toContain('data-code="page_crashed"');
    expect(results.get('always')?.diagnostics[0]).toMatchObject({
      severity: 'error',
      code: 'page_crashed',
      file: 'always',
    });
  });

  it('a page that never finishes is stopped', async () => {
    const results = await render(['one', 'hang', 'two'], 1);
    expect(results.get('hang')).toMatchObject({ failed: true, diagnostics: [{ code: 'page_timeout' }] });
    expect(htmlOf(results.get('two'))).toBe('two by fast');
  });

  it('processes that cannot start are not restarted in a loop', async () => {
    const started = withFolder({ 'broken.mjs': 'process.exit(9);' }, async (root) => {
      const options = { plan, concurrency: 2, processFile: `${root}/broken.mjs` };
      const tasks = Array.from({ length: 200 }, (_, id) => pageTask(id, `${id}`));
      for await (const _ of renderPages(tasks, options)) throw new Error('a page came');
    });
    await expect(started).rejects.toThrow('Cannot start a render process (code 9).');
  });

  it('a process can be reused for other pages', async () => {
    const pids: string[] = [];
    const source = fragileProcess.replace("file + ' by ' + message.parser", 'String(process.pid)');
    await withFolder({ 'pid.mjs': source }, async (root) => {
      const options = { plan, concurrency: 1, processFile: `${root}/pid.mjs` };
      const pidOf = async (more: object): Promise<void> => {
        for await (const page of renderPages([pageTask(0, 'x')], { ...options, ...more }))
          pids.push(htmlOf(page));
      };
      await pidOf({ keepsProcess: () => true });
      await pidOf({ processFile: undefined });
      await pidOf({});
    });
    expect(pids[1]).toBe(pids[0]);
    expect(pids[2]).not.toBe(pids[0]);
  });

  it('other pages are rendered while the realm of one starts', async () => {
    const code = '[Plain](/plain), {[...new Set("aab")].join("-")}.';
    const files = { 'code.mdx': code, 'plain.mdx': 'Nothing to run.', 'again.mdx': code };
    const names = Object.keys(files);
    const pages = await withFolder(files, async (root) => {
      const found: PageResult[] = [];
      const routes = ['code', 'plain', 'again'];
      const ofSite = { ...plan, root, files: names, routes, rendered: routes };
      const tasks = names.map((name, id) => pageTask(id, name));
      for await (const page of renderPages(tasks, { plan: ofSite, concurrency: 1 })) found.push(page);
      return found;
    });
    expect(pages.map(({ id }) => names[id])).toEqual(['plain.mdx', 'code.mdx', 'again.mdx']);
    expect(htmlOf(pages[1])).toContain('a-b.</p>');
    expect(htmlOf(pages[2])).toBe(htmlOf(pages[1]));
  });

  it('one process renders all pages with diagrams', async () => {
    const source = fragileProcess.replace("file + ' by ' + message.parser", 'String(process.pid)');
    const pages = Array.from({ length: 90 }, (_, id) => ({
      ...pageTask(id, `${id}`),
      hasDiagram: id % 3 === 0,
    }));
    const drawers = await withFolder({ 'pid.mjs': source }, async (root) => {
      const found = new Set<string>();
      const options = { plan, concurrency: 3, processFile: `${root}/pid.mjs` };
      for await (const page of renderPages(pages, options)) if (page.id % 3 === 0) found.add(htmlOf(page));
      return found;
    });
    expect(drawers.size).toBe(1);
  });

  it('a process gets only the path, the time zone and the memory settings of the environment', async () => {
    const source = fragileProcess.replace(
      "file + ' by ' + message.parser",
      'Object.keys(process.env).join()',
    );
    const html = await withFolder({ 'env.mjs': source }, async (root) => {
      for await (const result of renderPages([pageTask(0, 'x')], {
        plan,
        concurrency: 1,
        processFile: `${root}/env.mjs`,
      }))
        return htmlOf(result);
      return '';
    });
    expect(html.split(',').filter((name) => !/^NODE_CHANNEL|^(?:MI)?MALLOC_/.test(name))).toEqual([
      'PATH',
      'TZ',
    ]);
  });
});
