/** `docyard report`: whatever an export left behind gives the same report, in the form that was asked for. */
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

describe('what it reads', () => {
  test.each([
    ['a bundle', bundle],
    ['an exported folder', site],
    ['a report', join(site, 'report.json')],
  ])('%s', async (_name, given) => {
    expect(await docyard('report', given)).toBe(0);
    expect(out).toContain('0 errors, 1 warning, 0 notes on 1 page.');
  });

  test('nothing of the kind is said in a sentence', async () => {
    expect(await docyard('report', join(folder, 'nowhere'))).toBe(4);
    expect(err).toContain('is neither a file nor a folder nor the id of a job.');
    mkdirSync(join(folder, 'empty'));
    expect(await docyard('report', join(folder, 'empty'))).toBe(4);
    expect(err).toContain('There is no report of Docyard in');
    writeFileSync(join(folder, 'not.tar.gz'), 'no archive');
    expect(await docyard('report', join(folder, 'not.tar.gz'))).toBe(7);
    expect(err).toMatch(/^docyard: \S/);
  });
});

describe('what it writes', () => {
  test.each([
    ['json', /"warnings": 1/],
    ['sarif', /"version": "2.1.0"/],
    ['junit', /<skipped message="warning: /],
    ['html', /^<!doctype html>/],
    ['markdown', /^\*\*1 page: 0 errors, 1 warning, 0 notes\.\*\*/],
  ])('%s', async (form, expected) => {
    expect(await docyard('report', bundle, '--format', form)).toBe(0);
    expect(out).toMatch(expected);
  });

  test('every form into a folder', async () => {
    const reports = join(folder, 'new', 'reports');
    expect(await docyard('report', bundle, '--folder', reports)).toBe(0);
    expect(out).toBe('');
    const files = ['report.html', 'report.json', 'report.md', 'report.sarif', 'report.xml'];
    expect(readdirSync(reports).toSorted()).toEqual(files);
  });

  test('one form into a file', async () => {
    const file = join(folder, 'findings.xml');
    expect(await docyard('report', bundle, '--format', 'junit', '--output', file)).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('<testsuites');
  });

  test('what counts fails the command, and the case in JUnit', async () => {
    expect(await docyard('report', bundle, '--format', 'junit', '--fail-on', 'broken_link')).toBe(7);
    expect(out).toContain('<failure type="broken_link"');
  });

  test('a form that does not exist is a wrong call', async () => {
    expect(await docyard('report', bundle, '--format', 'pdf')).toBe(2);
  });
});
