/** `docyard report` prints the same report for a bundle, a folder and a report file, in the requested format. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { docyard as run } from '../../test/support/run-command.ts';

const folder = temporaryFolder('report');
const source = join(folder, 'docs');
const bundle = join(folder, 'bundle.tar.gz');
const site = join(folder, 'site');

let out = '';
let err = '';

async function docyard(...args: string[]): Promise<number> {
  const { status, stdout, stderr } = await run(...args);
  [out, err] = [stdout, stderr];
  return status;
}

beforeAll(async () => {
  writeFiles(source, {
    'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index'] } }),
    'index.mdx': '---\ntitle: Home\n---\n\nSee [nothing](/nowhere).\n',
  });
  expect(await docyard('export', source, '--output', bundle, '--quiet')).toBe(0);
  expect(await docyard('build', source, '--out', site)).toBe(0);
});

afterEach(() => {
  process.exitCode = undefined;
});

describe('the input of docyard report', () => {
  test.each([
    ['a bundle', bundle],
    ['an exported folder', site],
    ['a report', join(site, 'report.json')],
  ])('can be %s', async (_name, given) => {
    expect(await docyard('report', given)).toBe(0);
    expect(out).toContain('0 errors, 1 warning, 0 notes on 1 page.');
  });

  test('is rejected with an error message when it contains no report', async () => {
    expect(await docyard('report', join(folder, 'nowhere'))).toBe(4);
    expect(err).toContain('is not a file, a folder or a job id.');
    mkdirSync(join(folder, 'empty'));
    expect(await docyard('report', join(folder, 'empty'))).toBe(4);
    expect(err).toContain('No Docyard report in');
    writeFileSync(join(folder, 'not.tar.gz'), 'no archive');
    expect(await docyard('report', join(folder, 'not.tar.gz'))).toBe(7);
    expect(err).toMatch(/^docyard: \S/);
  });
});

describe('docyard report', () => {
  test.each([
    ['json', /"warnings": 1/],
    ['sarif', /"version": "2.1.0"/],
    ['junit', /<skipped message="warning: /],
    ['html', /^<!doctype html>/],
    ['markdown', /^\*\*1 page: 0 errors, 1 warning, 0 notes\.\*\*/],
  ])('prints the format %s', async (form, expected) => {
    expect(await docyard('report', bundle, '--format', form)).toBe(0);
    expect(out).toMatch(expected);
  });

  test('writes every format to a folder', async () => {
    const reports = join(folder, 'new', 'reports');
    expect(await docyard('report', bundle, '--folder', reports)).toBe(0);
    expect(out).toBe('');
    const files = ['report.html', 'report.json', 'report.md', 'report.sarif', 'report.xml'];
    expect(readdirSync(reports).toSorted()).toEqual(files);
  });

  test('writes one format to a file', async () => {
    const file = join(folder, 'findings.xml');
    expect(await docyard('report', bundle, '--format', 'junit', '--output', file)).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('<testsuites');
  });

  test('fails for a finding of --fail-on, which is also a JUnit failure', async () => {
    expect(await docyard('report', bundle, '--format', 'junit', '--fail-on', 'broken_link')).toBe(7);
    expect(out).toContain('<failure type="broken_link"');
  });

  test('rejects an unknown format', async () => {
    expect(await docyard('report', bundle, '--format', 'pdf')).toBe(2);
  });
});
