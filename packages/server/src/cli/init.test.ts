import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { docyard } from '../../test/support/run-command.ts';
import { temporaryFolder } from '../../test/support/test-context.ts';

describe('docyard init', () => {
  test('creates a site without findings and prints the next command', async () => {
    const folder = join(temporaryFolder(), 'new', 'docs');
    const { status, stdout } = await docyard('init', folder);
    expect(status).toBe(0);
    expect(stdout).toContain(`Preview it: docyard dev ${folder}\n`);
    const checked = await docyard('check', folder, '--offline', '--fail-on', 'info', '--quiet');
    expect(checked).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('0 errors, 0 warnings, 0 notes on 3 pages.') as string,
    });
  });

  test('keeps the other files of a folder', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'README.md'), 'Notes\n');
    expect(await docyard('init', folder, '--json')).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('Notes\n');
    expect(readdirSync(folder)).toContain('docs.json');
  });

  test('never overwrites a file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'index.mdx'), 'Mine\n');
    expect(await docyard('init', folder)).toEqual({
      status: 8,
      stdout: '',
      stderr: `docyard: ${folder} already contains index.mdx. Choose another folder.\n`,
    });
    expect(readdirSync(folder)).toEqual(['index.mdx']);
  });

  test('suggests the preview in a folder with a site', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'guides'));
    writeFileSync(join(folder, 'mint.json'), '{}');
    const { status, stderr } = await docyard('init', folder);
    expect({ status, stderr }).toEqual({
      status: 8,
      stderr: `docyard: ${folder} already contains a site. Preview it with docyard dev ${folder}.\n`,
    });
  });
});

describe('docyard build', () => {
  test('does not read an earlier output inside the documentation folder', async () => {
    const folder = temporaryFolder();
    await docyard('init', folder);
    const build = () => docyard('build', folder, '--out', join(folder, 'site'), '--offline', '--json');
    const first = JSON.parse((await build()).stdout) as { pages: number };
    const second = JSON.parse((await build()).stdout) as { pages: number };
    expect(second.pages).toBe(first.pages);
  });

  test('never replaces a folder that contains the documentation', async () => {
    const folder = join(temporaryFolder(), 'docs');
    await docyard('init', folder);
    for (const out of [folder, join(folder, '..')]) {
      const { status, stderr } = await docyard('build', folder, '--out', out, '--force');
      expect({ status, stderr }).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('contains the documentation folder. Choose another --out.') as string,
      });
    }
    expect(readdirSync(folder)).toContain('docs.json');
  });
});
