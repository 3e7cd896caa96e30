/** Compares the renderer's link check with an independent crawl, and runs `docyard check`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { disagreements } from '../scripts/measure/agreement.ts';
import { crawl } from '../scripts/measure/crawl.ts';
import { render } from '../scripts/measure/render.ts';
import { temporaryFolder } from './service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const binary = join(root, 'packages/server/bin/docyard.js');

const mistakes = {
  'docs.json': JSON.stringify(
    {
      name: 'Mistakes',
      colors: { primary: '#0f766e', light: '#5eead4' },
      navigation: { groups: [{ group: 'All', pages: ['index', 'deep/er/page'] }] },
      navbar: { links: [{ label: 'Frame', href: '/index#frame' }] },
      redirects: [{ source: '/old', destination: '/deep/er/page' }],
    },
    null,
    2,
  ),
  'index.mdx':
    '## Setup\n\n[fine](#setup) [lost](#stup) [other](/deep/er/page#nope) [moved](/old#nope-either) [gone](/gone)\n',
  'deep/er/page.mdx':
    '## Über uns\n\n[fine](#über-uns) [encoded](#%C3%BCber-uns) [up](../../index#setup) [lost](../../index#Setup-2)\n',
  'alone.mdx': '<a href="/index#by-tag">by tag</a> <Card href="#by-card">by card</Card>\n',
};

function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder('report');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

describe('the checker and a crawl that knows nothing of it', () => {
  test.each(['packages/render/fixtures/sites/everything', 'docs', 'packages/server/sample'])(
    'agree on %s',
    async (source) => {
      const site = await render(join(root, source), join(temporaryFolder('site'), 'out'));
      expect(site.crash).toBeUndefined();
      expect(disagreements(crawl(site.out), site.diagnostics)).toEqual([]);
    },
  );

  test('the check and the crawl agree on a site full of mistakes, each reported with its place', async () => {
    const site = await render(folderWith(mistakes), join(temporaryFolder('site'), 'out'));
    const misses = crawl(site.out);
    expect(misses.length).toBeGreaterThan(6);
    expect(disagreements(misses, site.diagnostics)).toEqual([]);
    const anchors = site.diagnostics.filter(({ code }) => code === 'broken_anchor');
    expect(anchors.map(({ file, line, target }) => `${file}:${line} ${target}`).toSorted()).toEqual([
      'alone.mdx:1 alone.html#by-card',
      'alone.mdx:1 index.html#by-tag',
      'deep/er/page.mdx:3 index.html#Setup-2',
      'docs.json:22 index.html#frame',
      'index.mdx:3 deep/er/page.html#nope',
      'index.mdx:3 deep/er/page.html#nope-either',
      'index.mdx:3 index.html#stup',
    ]);
  });

  test('would notice when they do not', () => {
    const miss = { page: 'a.html', address: '#x', target: 'a.html#x', why: 'no such id' } as const;
    const finding = {
      severity: 'warning',
      code: 'broken_anchor',
      message: '',
      file: 'a.mdx',
      target: 'a.html#y',
    } as const;
    const printed = { ...miss, page: 'print.html', address: '#a:y', target: 'print.html#a:y' };
    expect(disagreements([miss, printed], [finding])).toEqual([
      'a.html: #x (no such id) is not in the report',
      'a.html#y is in the report, and there',
    ]);
  });
});

describe('docyard check', () => {
  let site: string;

  beforeAll(() => {
    site = folderWith(mistakes);
  });

  function check(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [binary, 'check', ...args], {
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  test('shows each finding with its line, and ends with status 0 when nothing counts', () => {
    const { status, stdout, stderr } = check(site);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(
      'index.mdx\n  3:16    warning The link "#stup" names an id that is not on this page; readers stay where they are broken_anchor',
    );
    expect(stdout).toMatch(/ 3 │ \[fine\]\(#setup\) \[lost\].*\n +│ {16}\^\n +Did you mean "#setup"\?/);
    expect(stdout).toContain('0 errors, 8 warnings, 1 note on 3 pages.\n');
    expect(stdout).not.toContain('\u001b');
  });

  test.each([
    [['--strict'], 7],
    [['--fail-on', 'broken_anchor'], 7],
    [['--fail-on', 'missing_alt,error'], 0],
    [['--strict', '--ignore', 'broken_anchor,broken_link'], 0],
    [['--strict', '--only', 'orphan_page'], 0],
    [['--only', 'orphan_page', '--fail-on', 'info'], 7],
  ])('%j ends with status %i', (args, status) => {
    expect(check(site, ...args).status).toBe(status);
  });

  test('compares with an earlier report', () => {
    const folder = temporaryFolder('base');
    const base = join(folder, 'report.json');
    expect(check(site, '--format', 'json', '--output', base)).toMatchObject({ status: 0, stdout: '' });
    expect(check(site, '--base', base, '--strict')).toMatchObject({ status: 0 });
    const grown = folderWith({
      ...mistakes,
      'index.mdx': `Moved down.\n\n${mistakes['index.mdx']}\n[new](#new)\n`,
    });
    const { status, stdout } = check(grown, '--base', base, '--strict', '--format', 'json');
    expect(status).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ warnings: 1, diagnostics: [{ target: 'index.html#new' }] });
  });

  test.each([
    ['sarif', /"version": "2\.1\.0"/],
    ['junit', /<testsuites name="docyard" tests="\d+" failures="0"/],
    ['html', /<title>Quality report/],
  ])('writes %s', (format, expected) => {
    const file = join(temporaryFolder('formats'), 'report');
    expect(check(site, '--format', format, '--output', file)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('8 warnings') as string,
    });
    expect(readFileSync(file, 'utf8')).toMatch(expected);
  });

  test.each([
    [['--format', 'yaml'], '--format must be one of'],
    [['--fail-on', 'broken_lnk'], 'there is no finding "broken_lnk"'],
  ])('%j is a wrong call', (args, message) => {
    const { status, stderr } = check(site, ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  test('text of strangers cannot steer the terminal', () => {
    const hostile = folderWith({ ...mistakes, 'index.mdx': '[x](#a\u001b[31mb) \u001b]0;title\u0007\n' });
    const { stdout } = check(hostile);
    expect(stdout).toContain('broken_anchor');
    // eslint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u001b\u0007]/);
  });
});
