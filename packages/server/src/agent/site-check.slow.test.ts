import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { SiteCheckError } from './contract.ts';
import { comparedWith, openSiteChecks, type FoundProblem, type SiteCheckOptions } from './site-check.ts';

const never = new AbortController().signal;

function site(pages: Record<string, string>): SiteCheckOptions {
  const folder = temporaryFolder('site-check');
  writeFiles(folder, {
    'docs.json': JSON.stringify({
      name: 'Boats',
      theme: 'mint',
      colors: { primary: '#0f766e' },
      navigation: { pages: ['index', 'guide'] },
    }),
    'index.mdx': '---\ntitle: Home\ndescription: Where to begin.\n---\n\nSee [nothing](/nowhere).\n',
    'guide.mdx': '---\ntitle: Guide\ndescription: How to row.\n---\n\n## Row\n\nPull **hard**.\n',
    ...pages,
  });
  return { folder, renderProcesses: 1, customCode: 'run' };
}

describe('validate', () => {
  test('new findings are distinguished from those before the run', async () => {
    const options = site({});
    const checks = await openSiteChecks(options, never);
    writeFileSync(join(options.folder, 'guide.mdx'), '---\ntitle: Guide\n---\n\n[gone](/no-such-page)\n');
    const links = (await checks.validate(never)).filter(({ code }) => code === 'broken_link');
    expect(links.map(({ file, line, isNew }) => [file, line, isNew])).toEqual([
      ['guide.mdx', 5, true],
      ['index.mdx', 6, false],
    ]);
  });

  test('a site that does not load is a finding, not an exception', async () => {
    const options = site({});
    const checks = await openSiteChecks(options, never);
    writeFileSync(join(options.folder, 'docs.json'), '{ "name": ');
    const [finding] = await checks.validate(never);
    expect(finding).toMatchObject({
      severity: 'error',
      code: 'config_syntax',
      file: 'docs.json',
      isNew: true,
    });
  });

  test('examples that differ from the API description of the site are findings', async () => {
    const call = (boat: string) =>
      `\`\`\`bash\ncurl https://api.example.com/boats -H "Content-Type: application/json" -d '${boat}'\n\`\`\`\n`;
    const wrong = call('{ "length": "long" }');
    const guide = '---\ntitle: Guide\ndescription: How to row.\n---\n\n';
    const schema = { type: 'object', properties: { length: { type: 'number' } } };
    const operation = {
      summary: 'Add a boat',
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '201': { description: 'Added.' } },
    };
    const options = site({
      'docs.json': JSON.stringify({
        name: 'Boats',
        theme: 'mint',
        colors: { primary: '#0f766e' },
        navigation: {
          groups: [
            { group: 'Boats', pages: ['index', 'guide'] },
            { group: 'API', openapi: 'api.json' },
          ],
        },
      }),
      'api.json': JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Boats', version: '1' },
        servers: [{ url: 'https://api.example.com' }],
        paths: { '/boats': { post: operation } },
      }),
      'guide.mdx': `${guide}${wrong}`,
    });
    const checks = await openSiteChecks(options, never);
    writeFileSync(join(options.folder, 'guide.mdx'), `${guide}${wrong}\n${call('{ "size": 1 }')}`);
    const found = (await checks.validate(never)).filter(({ code }) => code === 'api_example');
    expect(found.map(({ line, message, isNew }) => [line, message, isNew])).toEqual([
      [7, expect.stringContaining('length must be number'), false],
      [11, expect.stringContaining('the body has no property "size"'), true],
    ]);
  });

  test('the site is checked again only after a file changed', async () => {
    const options = site({});
    const checks = await openSiteChecks(options, never);
    const first = await checks.validate(never);
    expect(await checks.validate(never)).toBe(first);
    rmSync(join(options.folder, 'guide.mdx'));
    expect(await checks.validate(never)).not.toBe(first);
  });

  test('the check stops when the run is canceled and reports a timeout', async () => {
    const options = site({});
    const checks = await openSiteChecks(options, never);
    await expect(checks.validate(AbortSignal.abort(new Error('canceled')))).rejects.toThrow('canceled');
    const hasty = openSiteChecks({ ...options, maxSeconds: 0.001 }, never);
    await expect(hasty).rejects.toThrow(SiteCheckError);
  });
});

describe('renderPage', () => {
  test('a page is returned as Markdown with its own findings only', async () => {
    const options = site({ 'guide.mdx': '---\ntitle: Guide\n---\n\n<Note>Mind the [gap](/gap).</Note>\n' });
    const checks = await openSiteChecks(options, never);
    const { markdown, findings } = await checks.renderPage('guide.mdx', never);
    expect(markdown).toContain('# Guide');
    expect(markdown).toContain('Mind the');
    expect(findings.map(({ code, file, isNew }) => [code, file, isNew])).toEqual([
      ['broken_link', 'guide.mdx', false],
    ]);
  });

  test('renderPage and validate agree about anchors of pages that were not rendered', async () => {
    const options = site({
      'guide.mdx': '---\ntitle: Guide\n---\n\n[good](/#start) and [bad](/#end)\n',
      'index.mdx': '---\ntitle: Home\n---\n\n## Start\n',
    });
    const checks = await openSiteChecks(options, never);
    const whole = (await checks.validate(never)).filter(({ file }) => file === 'guide.mdx');
    expect(whole.map(({ code }) => code)).toEqual(['broken_anchor']);
    const { findings } = await checks.renderPage('guide.mdx', never);
    expect(findings.filter(({ message }) => message.includes('start'))).toEqual([]);
  });

  test('a file that is not a page is reported', async () => {
    const checks = await openSiteChecks(site({ 'snippets/part.mdx': 'Part.' }), never);
    await expect(checks.renderPage('snippets/part.mdx', never)).rejects.toThrow('is not a page of the site');
  });
});

describe('comparing findings', () => {
  const finding = (file: string, message: string, line = 1): FoundProblem => ({
    severity: 'warning',
    code: 'broken_link',
    message,
    file,
    line,
    hint: null,
  });
  const newOnes = (before: FoundProblem[], after: FoundProblem[], gone: string[] = []) =>
    comparedWith(before, after, (file) => gone.includes(file)).flatMap(({ isNew, file, message }) =>
      isNew ? [`${file} ${message}`] : [],
    );

  test('a moved line is not a new finding, a second occurrence is', () => {
    expect(newOnes([finding('a.mdx', 'x', 3)], [finding('a.mdx', 'x', 9)])).toEqual([]);
    const twice = [finding('a.mdx', 'x'), finding('a.mdx', 'x')];
    expect(newOnes([finding('a.mdx', 'x')], twice)).toEqual(['a.mdx x']);
  });

  test('a finding that moved with its page is not new, one in another page is', () => {
    expect(newOnes([finding('a.mdx', 'x')], [finding('b.mdx', 'x')], ['a.mdx'])).toEqual([]);
    expect(newOnes([finding('a.mdx', 'x')], [finding('b.mdx', 'x')])).toEqual(['b.mdx x']);
    const spread = [finding('b.mdx', 'x'), finding('c.mdx', 'x')];
    expect(newOnes([finding('a.mdx', 'x')], spread, ['a.mdx'])).toEqual(['c.mdx x']);
  });

  test('a broken anchor is not new under the new address of its page, another anchor is', () => {
    const about = (address: string) =>
      finding('a.mdx', `The link "${address}" is not on the page "${address.split('#')[0]}"`);
    expect(newOnes([about('/old#x')], [about('/new#x')])).toEqual([]);
    expect(newOnes([about('/old#x')], [about('/new#y')])).toHaveLength(1);
    expect(newOnes([about('/old#x')], [about('/old#x'), about('/new#x')])).toHaveLength(1);
    const inFile = (file: string, address: string) => ({ ...about(address), file });
    const before = [inFile('b.mdx', '/old#x'), inFile('c.mdx', '/old#x')];
    const after = [inFile('b.mdx', '/new#x'), inFile('d.mdx', '/new#x')];
    expect(newOnes(before, after, ['c.mdx'])).toEqual([]);
  });
});
