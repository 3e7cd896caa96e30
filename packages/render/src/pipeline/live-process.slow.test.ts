import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withFolder } from '../../test/support/render-fixture.ts';
import { LiveProcess } from './live-process.ts';
import { pageTask } from '../../test/support/page-task.ts';

/** Answers like the real process, but crashes on some files, hangs on others, and counts requests. */
const fragileProcess = `
let asked = 0;
process.on('message', (message) => {
  if (message.type !== 'pages') return;
  for (const { id, file } of message.tasks) {
    asked += 1;
    if (file === 'always') process.abort();
    if (file === 'hang') for (;;);
    if (file === 'fast-only' && message.parser === 'fast') process.abort();
    if (file === 'when-old' && asked > 1) process.abort();
    process.send({ type: 'page', result: { id, html: Buffer.from(file + ' by ' + message.parser), aside: Buffer.alloc(0), markdown: Buffer.alloc(0), diagnostics: [], failed: false } });
  }
});`;

function withFragile<Result>(work: (live: LiveProcess) => Promise<Result>): Promise<Result> {
  return withFolder({ 'fragile.mjs': fragileProcess }, async (root) => {
    const live = new LiveProcess({ processFile: `${root}/fragile.mjs`, pageTimeoutMs: 1000 });
    try {
      return await work(live);
    } finally {
      live.close();
    }
  });
}

describe('the render process of a preview', () => {
  it('every page is rendered, independent of the order of requests', async () => {
    const pages = await withFragile((live) =>
      Promise.all(['a', 'b', 'c'].map((name, id) => live.render(pageTask(id, name)))),
    );
    expect(pages.map(({ html }) => String(html))).toEqual(['a by fast', 'b by fast', 'c by fast']);
  });

  it('a page that crashes the process is rendered with the slow parser', async () => {
    const pages = await withFragile((live) =>
      Promise.all(['fast-only', 'b'].map((name, id) => live.render(pageTask(id, name)))),
    );
    expect(pages.map(({ html }) => String(html))).toEqual(['fast-only by slow', 'b by fast']);
  });

  it('a page is retried in a new process before the slow parser is used', async () => {
    const [, page] = await withFragile((live) =>
      Promise.all(['a', 'when-old'].map((name, id) => live.render(pageTask(id, name)))),
    );
    expect(String(page?.html)).toBe('when-old by fast');
  });

  it('a page that crashes both parsers becomes an error panel, and later pages are rendered', async () => {
    const [broken, next] = await withFragile((live) =>
      Promise.all(['always', 'b'].map((name, id) => live.render(pageTask(id, name)))),
    );
    expect(broken).toMatchObject({ failed: true, diagnostics: [{ code: 'page_crashed', file: 'always' }] });
    expect(String(next?.html)).toBe('b by fast');
  });

  it('a page that never finishes is stopped', async () => {
    const page = await withFragile((live) => live.render(pageTask(0, 'hang')));
    expect(page.failed).toBe(true);
  });

  it('a process that cannot start is not restarted in a loop', async () => {
    await withFolder({ 'dies.mjs': diesAtOnce }, async (root) => {
      const live = new LiveProcess({ processFile: `${root}/dies.mjs` });
      try {
        await expect.poll(() => startsIn(root), { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
        expect(await live.render(pageTask(0, 'a'))).toMatchObject({ failed: true });
        expect(startsIn(root)).toBeLessThan(10);
      } finally {
        live.close();
      }
    });
  });
});

const diesAtOnce = `
import { appendFileSync } from 'node:fs';
appendFileSync(new URL('starts', import.meta.url), 'x');
process.exit(1);`;

function startsIn(root: string): number {
  const file = `${root}/starts`;
  return existsSync(file) ? readFileSync(file).length : 0;
}
