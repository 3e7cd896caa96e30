import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { manifestBytes } from '@docyard/bundle';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { PreviousBuild } from './previous-build.ts';

const content = Buffer.from('<p>A page.</p>');
const facts = { sizeBytes: content.length, sha256: hash('sha256', content) };

let out: string;
let draft: string;

beforeEach(() => {
  out = temporaryFolder('build');
  draft = temporaryFolder('draft');
  mkdirSync(join(out, 'guides'));
  writeFileSync(join(out, 'guides/page.html'), content);
  const source = { version: null, commit: null, committedAt: null };
  const files = [{ path: 'guides/page.html', ...facts }];
  writeFileSync(
    join(out, 'manifest.json'),
    manifestBytes({ engineVersion: '1.0.0', ...source, pages: 1, files }),
  );
});

test('a file with the same content is linked', () => {
  const target = join(draft, 'page.html');
  expect(new PreviousBuild(out).link('guides/page.html', facts, target)).toBe(true);
  expect(statSync(target).ino).toBe(statSync(join(out, 'guides/page.html')).ino);
});

test('a file that was edited since the build is written again', () => {
  const file = join(out, 'guides/page.html');
  writeFileSync(file, Buffer.alloc(content.length, 'x'));
  const later = Date.now() / 1000 + 10;
  utimesSync(file, later, later);
  expect(new PreviousBuild(out).link('guides/page.html', facts, join(draft, 'page.html'))).toBe(false);
});

test('a folder without a build, or with another manifest, offers no file', () => {
  expect(new PreviousBuild(draft).link('guides/page.html', facts, join(draft, 'page.html'))).toBe(false);
  writeFileSync(join(out, 'manifest.json'), '{"format": 1');
  expect(new PreviousBuild(out).link('guides/page.html', facts, join(draft, 'page.html'))).toBe(false);
  expect(readFileSync(join(out, 'guides/page.html')).equals(content)).toBe(true);
});
