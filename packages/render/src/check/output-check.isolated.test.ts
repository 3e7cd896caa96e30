import { describe, expect, it, vi } from 'vitest';
import { type Rendered, renderFiles } from '../../test/support/render-fixture.ts';

/**
 * Pages are rendered in this process; with several processes they would become ready in the opposite order.
 */
vi.mock(import('../pipeline/process-pool.ts'), async () => {
  const { loadApiPages, renderPage, siteTools } = await import('../pipeline/render-page.ts');
  await loadApiPages();
  return {
    async *renderPages(tasks, { plan, concurrency }) {
      const tools = siteTools(plan);
      for (const task of concurrency > 1 ? tasks.toReversed() : tasks) yield renderPage(tools, task, 'fast');
    },
  };
});

function reported({ diagnostics }: Pick<Rendered, 'diagnostics'>, ...codes: string[]): string[] {
  return diagnostics
    .filter(({ code }) => codes.length === 0 || codes.includes(code))
    .map(({ code, file, line, column }) => `${code} ${[file, line, column].filter(Boolean).join(':')}`)
    .toSorted();
}

const config = (more: object = {}): string =>
  JSON.stringify(
    {
      name: 'S',
      colors: { primary: '#0f766e', light: '#5eead4' },
      navigation: { pages: ['index', 'b'] },
      ...more,
    },
    null,
    1,
  );

describe('links', () => {
  const files = {
    'docs.json': config(),
    'index.mdx': '## Here\n\n[a](#here) [b](/b#there) [c](#her)\n\n[d](/b#ther) and [e](b#there)\n',
    'b.mdx': '## There\n\n<div id="own" />\n\n[up](/#here) [own](#own) [top](#top) [none](#)\n',
  };

  it.each(['html', 'directory', 'clean'] as const)(
    'links to missing ids are reported in the %s style',
    async (urlStyle) => {
      const rendered = await renderFiles(files, { urlStyle });
      expect(reported(rendered)).toEqual(['broken_anchor index.mdx:3:26', 'broken_anchor index.mdx:5:1']);
      const [first, second] = rendered.report.diagnostics;
      expect(first).toMatchObject({ severity: 'warning', hint: 'Did you mean "#here"?' });
      expect(second?.message).toBe(
        'The link "/b#ther" names an id that is not on the page "b"; readers arrive at its top',
      );
    },
  );

  it('a link that the renderer reported is not reported again', async () => {
    const rendered = await renderFiles({
      ...files,
      'index.mdx': '[gone](/gone) ![gone](gone.png)\n\n## Here\n',
    });
    expect(reported(rendered)).toEqual(['broken_link index.mdx:1:1', 'image_missing index.mdx:1:15']);
  });

  it('a broken link in a snippet of many pages is reported once, at its source', async () => {
    const rendered = await renderFiles({
      ...files,
      'snippets/s.mdx': 'Text.\n\n[x](/b#nothing)\n',
      'index.mdx': 'import S from "/snippets/s.mdx"\n\n<S />\n',
      'b.mdx': 'import S from "/snippets/s.mdx"\n\n<S />\n',
    });
    expect(reported(rendered, 'broken_anchor')).toEqual([
      'broken_anchor snippets/s.mdx:3:1',
      'broken_anchor snippets/s.mdx:3:1',
    ]);
    expect(new Set(rendered.diagnostics.map(({ message }) => message)).size).toBe(2);
  });

  it('a broken link of the frame is reported once, in the configuration', async () => {
    const rendered = await renderFiles({
      ...files,
      'index.mdx': 'Text.\n',
      'b.mdx': 'Text.\n',
      'docs.json': config({
        navbar: { links: [{ label: 'X', href: '/gone' }] },
        footer: { links: [{ items: [{ label: 'Y', href: '/b#nothing' }] }] },
      }),
    });
    expect(rendered.diagnostics.map(({ code, file, target }) => [code, file, target])).toEqual([
      ['broken_link', 'docs.json', '/gone'],
      ['broken_anchor', 'docs.json', 'b.html#nothing'],
    ]);
    const lines = config({
      navbar: { links: [{ label: 'X', href: '/gone' }] },
      footer: { links: [{ items: [{ label: 'Y', href: '/b#nothing' }] }] },
    }).split('\n');
    for (const { line = 0 } of rendered.diagnostics)
      expect(lines[line - 1]).toMatch(/"href": "\/(?:gone|b#nothing)"/);
  });
});

describe('pages', () => {
  it('orphaned pages are reported unless they are hidden on purpose', async () => {
    const rendered = await renderFiles({
      'docs.json': config({ navigation: { pages: ['index'] } }),
      'index.mdx': '[linked](/linked)\n',
      'linked.mdx': 'Text.\n',
      'alone.mdx': '[itself](/alone)\n',
      'hidden.mdx': '---\nhidden: true\n---\n\nText.\n',
    });
    expect(reported(rendered)).toEqual(['orphan_page alone.mdx']);
    expect(rendered.report.orphans).toEqual(['alone.mdx']);
  });

  it('pages are weighed, and heavy ones are reported', async () => {
    const rendered = await renderFiles({
      'docs.json': config(),
      'index.mdx': 'Text.\n',
      'b.mdx': 'A paragraph of a page that is far too long.\n\n'.repeat(11_000),
    });
    expect(reported(rendered)).toEqual(['page_heavy b.mdx']);
    expect(rendered.report.weights.map(({ path }) => path)).toEqual(['b.html', 'index.html']);
    for (const { path, bytes } of rendered.report.weights)
      expect(bytes).toBe(Buffer.byteLength(rendered.files.get(path) ?? ''));
  });

  it('headings that skip a level are reported with their line', async () => {
    const files = {
      'docs.json': config(),
      'index.mdx': '## One\n\n#### Three\n\n## Two\n\n### Next\n',
      'b.mdx': 'Text.\n',
    };
    expect(reported(await renderFiles(files))).toEqual(['heading_order index.mdx:3:1']);
  });
});

describe('elements', () => {
  it('pictures without a description are reported, decorative ones are not', async () => {
    const rendered = await renderFiles({
      'docs.json': config(),
      'a.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'index.mdx':
        '![](a.svg)\n\n<img src="/a.svg" />\n\n<img src="/a.svg" alt="" />\n\n![A drawing](a.svg)\n',
      'b.mdx': 'Text.\n',
    });
    expect(reported(rendered)).toEqual(['missing_alt index.mdx:1:1', 'missing_alt index.mdx:3:1']);
  });

  it('a duplicate id is reported', async () => {
    const files = {
      'docs.json': config(),
      'index.mdx': '<div id="a" />\n\n<div id="a" />\n',
      'b.mdx': 'Text.\n',
    };
    expect(reported(await renderFiles(files))).toEqual(['duplicate_id index.mdx:3:1']);
  });

  it('secrets are reported with their place and never shown', async () => {
    const secret = ['ghp', 'q7Zt2Lw9Xr4Vb6Nc1Md8Kf3Hj5Gs0Pa2Qe7u'].join('_');
    const rendered = await renderFiles({
      'docs.json': config(),
      'index.mdx': `Run:\n\n\`\`\`bash\nexport TOKEN="${secret}"\n\`\`\`\n`,
      'b.mdx': 'Text.\n',
    });
    expect(reported(rendered)).toEqual(['secret_in_page index.mdx:4:15']);
    expect(rendered.report.errors).toBe(1);
    expect(JSON.stringify([...rendered.reportFiles])).toContain('ghp_q7Zt');
    expect(JSON.stringify([...rendered.reportFiles])).not.toContain(secret.slice(0, 20));
  });
});

it('the report does not depend on the order in which pages become ready', async () => {
  const files = {
    'docs.json': config(),
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`p${n}.mdx`, `[x](#gone) [y](/p${n + 1}#gone)\n`]),
    ),
    'index.mdx': 'Text.\n',
    'b.mdx': 'Text.\n',
  };
  const [one, two] = [
    await renderFiles(files, { concurrency: 1 }),
    await renderFiles(files, { concurrency: 2 }),
  ];
  expect([...two.reportFiles]).toEqual([...one.reportFiles]);
  expect(one.report.byCode['broken_anchor']).toBe(40);
});
