/**
 * Lists a site's folder and says what each file is: a page, a snippet, a stylesheet, a script or a plain file.
 * It follows the format's ignore rules, never follows symbolic links, and reads the content of `.mintignore` and `.mintlifyignore` only.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ignore from 'ignore';
import { SiteLoadError } from '../model/diagnostic.ts';
import { readInside } from '../config/read-inside.ts';
import { flatText } from '../text/kept.ts';

export interface SiteFiles {
  /** Every file that may be read or copied, relative with forward slashes, sorted. */
  all: string[];
  /** Markdown files that are pages unless another file imports them. */
  pages: string[];
  stylesheets: string[];
  scripts: string[];
}

const ignoredFolders = new Set('node_modules coverage tmp temp'.split(' '));
/** Left out at the root only, since a page may well live in a folder called `build` or `dist` further down. */
const ignoredRootFolders = new Set(['build', 'dist']);
/** Repository notes and instructions for tools, not pages: publishing them by accident would surprise their owner. */
const repositoryNotes =
  /^(?:readme|license|licence|contributing|contribute|changelog|code_of_conduct|agents|claude|skill)\.md$/i;
const maximumFiles = 200_000;
const maximumRules = 1_000_000;

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

/** Whether a file, or a folder with a slash at its end, does not belong to the site. */
type IsIgnored = (path: string) => boolean;

async function readIgnoreRules(root: string): Promise<IsIgnored> {
  const texts: string[] = [];
  for (const name of ['.mintignore', '.mintlifyignore']) {
    texts.push((await readInside(root, join(root, name), maximumRules)) ?? '');
  }
  // Most sites have none, and asking about 10,000 files takes 50 ms.
  if (texts.every((text) => text === '')) return () => false;
  const rules = ignore().add(texts.join('\n'));
  return (path) => rules.ignores(path);
}

async function walk(root: string, folder: string, isIgnored: IsIgnored, found: string[]): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    throw unreadableFolder(folder, error);
  });
  for (const entry of entries) {
    const path = folder ? flatText(`${folder}/${entry.name}`) : entry.name;
    if (entry.isDirectory()) {
      if (isForeignFolder(path) || isIgnored(`${path}/`)) continue;
      await walk(root, path, isIgnored, found);
    } else if (entry.isFile() && !isHiddenFile(path) && !isIgnored(path)) {
      if (found.length >= maximumFiles) return;
      found.push(path);
    }
  }
}

/** Tools keep settings and keys in hidden files; snippets may have such a name, wherever they are. */
export function isHiddenFile(path: string): boolean {
  return hasHiddenName(path) && !/\.(?:mdx?|jsx|tsx)$/.test(path);
}

function hasHiddenName(path: string): boolean {
  return path.startsWith('.', path.lastIndexOf('/') + 1);
}

/** Leaving it out would publish a site with pages missing. */
function unreadableFolder(folder: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EACCES' && code !== 'EPERM') return error;
  return new SiteLoadError({
    severity: 'error',
    code: 'site_unreadable',
    message: `The folder cannot be read: permission denied (${code})`,
    file: folder === '' ? '.' : folder,
    hint: 'Allow reading it, or list it in .mintignore.',
  });
}

/** Whether a folder, by its path from the root, belongs to tools and not to the site. */
export function isForeignFolder(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Tools keep settings and keys in hidden folders; the one exception is there to be published.
  if (name.startsWith('.')) return name !== '.well-known';
  return ignoredFolders.has(name) || ignoredRootFolders.has(path);
}

function isSnippet(file: string): boolean {
  return /(?:^|\/)_?snippets\//.test(file) || /\.[jt]sx$/.test(file);
}

/** Whether a file is a page, unless another one imports it. */
export function isPageFile(file: string): boolean {
  if (!/\.mdx?$/.test(file) || isSnippet(file) || hasHiddenName(file)) return false;
  return !repositoryNotes.test(file.slice(file.lastIndexOf('/') + 1));
}

/** Pages, with files in a folder of snippets that the navigation names as pages. */
export function pageFiles({ all, pages }: SiteFiles, named: ReadonlySet<string>): string[] {
  const known = new Set(pages);
  return all.filter((file) => known.has(file) || (/\.mdx?$/.test(file) && named.has(routeOfFile(file))));
}

/** The address of a page, without leading slash or extension. */
export function routeOfFile(file: string): string {
  return file.replace(/\.mdx?$/, '');
}
