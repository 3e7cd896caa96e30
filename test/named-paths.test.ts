import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
});
const files = listed.stdout.split('\n').filter((file) => file !== '');
const folders = new Set(files.flatMap(parentsOf));

const documents = files.filter((file) => /^[A-Z-]+\.md$|^docs\/internals\/.*\.mdx$/.test(file));
const configurations = files.filter(
  (file) =>
    /^(?:package|tsconfig)\.json$|^vitest\.config\.ts$|^\.dockerignore$|^\.ci\/|^\.github\/|^scripts\/[\w-]+\.mjs$|^scripts\/redos\/accepted\.json$/.test(
      file,
    ) || file === 'deploy/Dockerfile',
);

/** Built or downloaded, so not in the repository. */
const generated = /^packages\/server\/dist(?:\/|$)|^packages\/[^/]+\/node_modules(?:\/|$)/;
/** Abbreviations that CONTRIBUTING.md introduces. */
const abbreviations: readonly (readonly [string, string])[] = [
  ['RENDER/', 'packages/render/src/'],
  ['SERVER/', 'packages/server/src/'],
];

test.each(documents)('every path that %s names exists', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const codes = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  const sources = codes.filter((code) => /^[\w./-]+\.(?:ts|tsx|mjs)$/.test(code) && !isPlaceholder(code));
  const missing = [
    ...rootPathsIn(text).filter((path) => !exists(path)),
    ...sources.filter((path) => !exists(path) && !exists(join(dirname(document), path)) && !isEnding(path)),
  ];
  expect(missing).toEqual([]);
});

test.each(configurations)('every path that %s names exists', (configuration) => {
  const text = readFileSync(join(root, configuration), 'utf8');
  expect(rootPathsIn(text).filter((path) => !exists(path))).toEqual([]);
});

test('every workspace path in knip.json exists', () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'knip.json'), 'utf8')) as {
    workspaces: Record<string, { entry?: string[]; project?: string[] }>;
  };
  const missing = Object.entries(workspaces).flatMap(([workspace, { entry = [], project = [] }]) =>
    [...entry, ...project].map((path) => join(workspace, path)).filter((path) => !exists(path)),
  );
  expect(missing).toEqual([]);
});

test('test files carry only known suffixes, in their order', () => {
  const known = /^[\w-]+(?:\.isolated)?(?:\.pg)?(?:\.browser)?(?:\.slow|\.long)?\.test\.ts$/;
  const tests = files.filter((file) => file.endsWith('.test.ts') || file.endsWith('.test.tsx'));
  expect(tests.filter((file) => !known.test(basename(file)))).toEqual([]);
});

/** Paths from the root of the repository, without placeholders such as `NAME`. */
function rootPathsIn(text: string): string[] {
  const full = abbreviations.reduce((known, [short, path]) => known.replaceAll(short, path), text);
  const found = full.matchAll(
    /(?<![\w/.@$-])(?:\.\/)?((?:packages|test|docs|bench|scripts|deploy|\.ci|\.github)\/[\w.{},*/-]*\w[\w*}/]*)/g,
  );
  return [...found].map(([, path = '']) => path).filter((path) => !isPlaceholder(path));
}

function isPlaceholder(path: string): boolean {
  return path
    .split('/')
    .some((part) => /^[A-Z_]{3,}(?:\.[\w.]+)?$/.test(part) && !/^[A-Z-]+\.md$/.test(part));
}

function exists(path: string): boolean {
  const plain = path.replace(/^\.\//, '').replace(/\/$/, '');
  if (generated.test(plain)) return true;
  if (/[*{]/.test(plain)) return globSync(plain, { cwd: root }).length > 0;
  return folders.has(plain) || files.includes(plain);
}

function isEnding(path: string): boolean {
  return files.some((file) => file.endsWith(`/${path}`));
}

function parentsOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
