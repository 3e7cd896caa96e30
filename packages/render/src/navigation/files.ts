/** Lists a site's files and classifies them. It applies ignore files and never follows symbolic links. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ignore from 'ignore';
import { SiteLoadError } from '../model/diagnostic.ts';
import { readInside } from '../config/read-inside.ts';
import { flatText } from '../text/compact-values.ts';

export interface SiteFiles {
  /** Every readable file, relative to the root with forward slashes, sorted. */
  all: string[];
  /** Markdown files. One that another file imports is a snippet. */
  pages: string[];
  stylesheets: string[];
  scripts: string[];
}

const ignoredFolders = new Set('node_modules coverage tmp temp'.split(' '));
/** Ignored at the root only: nested folders with these names may contain pages. */
const ignoredRootFolders = new Set(['build', 'dist']);
/** Repository notes and tool instructions, which must not be published by accident. */
const repositoryNotes =
  /^(?:readme|license|licence|contributing|contribute|changelog|code_of_conduct|agents|claude|skill)\.md$/i;
const maxFiles = 200_000;
const maxRules = 1_000_000;

export async function listFiles(root: string): Promise<SiteFiles> {
  const isIgnored = await readIgnoreRules(root);
  const all: string[] = [];
  await walk(root, '', isIgnored, all);
  all.sort();
  return {
    all,
    pages: all.filter(isPageFile),
    stylesheets: all.filter((file) => file.endsWith('.css') && !isSnippet(file)),
    scripts: all.filter((file) => file.endsWith('.js') && !isSnippet(file)),
  };
}

type IsIgnored = (path: string) => boolean;

async function readIgnoreRules(root: string): Promise<IsIgnored> {
  const texts: string[] = [];
  for (const name of ['.mintignore', '.mintlifyignore']) {
    texts.push((await readInside(root, join(root, name), maxRules)) ?? '');
  }
  // Fast path: most sites have no ignore rules.
  if (texts.every((text) => text === '')) return () => false;
  const rules = ignore().add(texts.join('\n'));
  return (path) => rules.ignores(path);
}

async function walk(root: string, folder: string, isIgnored: IsIgnored, found: string[]): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw unreadableFolder(folder, error);
  });
  // An output of `docyard build` contains the pages once more.
  if (folder !== '' && entries.some(({ name }) => name === '.docyard-build')) return;
  for (const entry of entries) {
    const path = folder ? flatText(`${folder}/${entry.name}`) : entry.name;
    if (entry.isDirectory()) {
      if (isForeignFolder(path) || isIgnored(`${path}/`)) continue;
      await walk(root, path, isIgnored, found);
    } else if (entry.isFile() && !isHiddenFile(path) && !isIgnored(path)) {
      if (found.length >= maxFiles) return;
      found.push(path);
    }
  }
}

/** Hidden files may contain tool settings and keys; snippet folders are exempt. */
export function isHiddenFile(path: string): boolean {
  return hasHiddenName(path) && !/\.(?:mdx?|jsx|tsx)$/.test(path);
}

function hasHiddenName(path: string): boolean {
  return path.startsWith('.', path.lastIndexOf('/') + 1);
}

/** Skipping an unreadable folder would publish a site with missing pages. */
function unreadableFolder(folder: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EACCES' && code !== 'EPERM') return error;
  return new SiteLoadError({
    severity: 'error',
    code: 'site_unreadable',
    message: `The folder cannot be read: permission denied (${code})`,
    file: folder === '' ? '.' : folder,
    hint: 'Allow reading the folder, or add it to .mintignore.',
  });
}

export function isForeignFolder(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Hidden folders may contain tool settings and keys; `.well-known` is public.
  if (name.startsWith('.')) return name !== '.well-known';
  return ignoredFolders.has(name) || ignoredRootFolders.has(path);
}

function isSnippet(file: string): boolean {
  return /(?:^|\/)_?snippets\//.test(file) || /\.[jt]sx$/.test(file);
}

export function isPageFile(file: string): boolean {
  if (!/\.mdx?$/.test(file) || isSnippet(file) || hasHiddenName(file)) return false;
  return !repositoryNotes.test(file.slice(file.lastIndexOf('/') + 1));
}

/** Includes files of snippet folders that the navigation lists as pages. */
export function pageFiles({ all, pages }: SiteFiles, named: ReadonlySet<string>): string[] {
  const known = new Set(pages);
  return all.filter((file) => known.has(file) || (/\.mdx?$/.test(file) && named.has(routeOfFile(file))));
}

/** Without leading slash and extension. */
export function routeOfFile(file: string): string {
  return file.replace(/\.mdx?$/, '');
}
