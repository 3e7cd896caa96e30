import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { renderFiles, renderFixture } from '../../test/support/render-fixture.ts';

const indexPath = '.well-known/agent-skills/index.json';

function skillIn(files: ReadonlyMap<string, string>) {
  const { $schema, skills } = JSON.parse(files.get(indexPath) ?? '') as {
    $schema: string;
    skills: { name: string; description: string; digest: string; url: string; type: string }[];
  };
  expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
  expect(skills).toHaveLength(1);
  const [skill] = skills;
  if (skill === undefined) throw new Error('no skill');
  expect(new URL(skill.url, `https://a.test/docs/${indexPath}`).pathname).toBe('/docs/skill.md');
  expect(skill.type).toBe('skill-md');
  const digest = createHash('sha256')
    .update(files.get('skill.md') ?? '')
    .digest('hex');
  expect(skill.digest).toBe(`sha256:${digest}`);
  return skill;
}

describe('skill.md', () => {
  it('says how to use the documentation, and the index has its digest', async () => {
    const { files } = await renderFixture('outputs', {
      origin: 'https://tides.example.com',
      basePath: '/docs',
    });
    expect(files.get('skill.md')).toMatchInlineSnapshot(`
      "---
      name: tide-tables-docs
      description: "Finds and reads the documentation of Tide tables. Use it for questions and code that involve Tide tables. When the water comes, and when it goes."
      ---

      # Tide tables

      > When the water comes, and when it goes.

      ## How to use this documentation

      1. Read [llms.txt](https://tides.example.com/docs/llms.txt), which lists the pages with a sentence about each. Some folders have an \`llms.txt\` with more pages.
      2. Read a page as Markdown: append \`.md\` to its URL, or send \`Accept: text/markdown\`.
      3. Search in [llms-full.txt](https://tides.example.com/docs/llms-full.txt), the text of all pages, if no title fits.
      4. If your client supports the Model Context Protocol, try the server at https://tides.example.com/docs/mcp. Not every host of this documentation has one.

      ## Instructions

      - Times are in UTC.
      - Heights are in metres.

      ## Topics

      - Start
      - News
      - API
      "
    `);
    expect(skillIn(files)).toMatchObject({ name: 'tide-tables-docs' });
  });

  it.each([
    ['Über – 中文', 'uber-docs'],
    ['中文', 'docs'],
    ['A'.repeat(100), `${'a'.repeat(59)}-docs`],
    ['--x__y--', 'x-y-docs'],
  ])('has a valid name for a site that is called %s', async (name, expected) => {
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({ name, description: 'quoted " text: # and more'.repeat(100) }),
      'index.mdx': 'Text.',
    });
    const skill = skillIn(files);
    expect(skill.name).toBe(expected);
    expect(skill.description.length).toBeLessThanOrEqual(1024);
    expect(files.get('skill.md')).toContain(
      `name: ${expected}\ndescription: ${JSON.stringify(skill.description)}\n`,
    );
  });

  it('of the author is published unchanged, and described in the index', async () => {
    const own = '---\nname: my-skill\ndescription: "Mine: all mine"\n---\n\n# Mine\n';
    const { files } = await renderFiles({ 'skill.md': own, 'index.mdx': 'Text.' });
    expect(files.get('skill.md')).toBe(own);
    expect(skillIn(files)).toMatchObject({ name: 'my-skill', description: 'Mine: all mine' });
  });

  it('of the author without a valid name gets the name of the site', async () => {
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({ name: 'Tides' }),
      'skill.md': '---\nname: ../x\ndescription: 7\n---\n',
      'index.mdx': 'Text.',
    });
    expect(skillIn(files)).toMatchObject({
      name: 'tides-docs',
      description: expect.stringContaining('Tides'),
    });
  });

  it('is omitted if a page has the same path', async () => {
    const { files } = await renderFiles({ 'skill.mdx': '# A page', 'index.mdx': 'Text.' });
    expect(files.get('skill.md')).toContain('A page');
    expect(files.has(indexPath)).toBe(false);
  });
});
