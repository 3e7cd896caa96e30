/**
 * The files every exported site shares. A stylesheet or script is written in parts, one subject a file, and shipped as
 * one: the parts are joined in the order of their names.
 */
import { readFile, readdir } from 'node:fs/promises';
import type { PageFeature } from '../page/task.ts';

export interface ThemeFile {
  path: string;
  content: string;
}

const folder = new URL('./files/', import.meta.url);

export const apiStylesheet = '_docyard/api.css';
export const tryItScript = '_docyard/try-it.js';

/** What only API pages load, and of those only the ones with a form. */
export async function apiFiles(features: ReadonlySet<PageFeature>): Promise<ThemeFile[]> {
  return [
    ...(features.has('api') ? [{ path: apiStylesheet, content: await joined('style-api/') }] : []),
    ...(features.has('try-it') ? [{ path: tryItScript, content: await joined('try-it/') }] : []),
  ];
}

export async function themeFiles({ withCopy = true } = {}): Promise<ThemeFile[]> {
  return [
    { path: '_docyard/style.css', content: await joined('style/') },
    { path: '_docyard/app.js', content: await joined('app/') },
    { path: '_docyard/search.js', content: await joined('search/') },
    { path: '_docyard/search-texts.js', content: await single('search-texts.js') },
    { path: '_docyard/theme.js', content: await single('theme.js') },
    ...(withCopy ? [{ path: '_docyard/copy-page.js', content: await single('copy-page.js') }] : []),
  ];
}

async function single(name: string): Promise<string> {
  return slim(await readFile(new URL(name, folder), 'utf8'));
}

async function joined(name: string): Promise<string> {
  const parts = new URL(name, folder);
  const names = (await readdir(parts)).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const texts = await Promise.all(names.map((part) => readFile(new URL(part, parts), 'utf8')));
  return texts.map(slim).join('');
}

/**
 * Leaves out comments that have a line to themselves, indentation and empty lines. Nothing else is touched, and a file
 * with a template literal keeps its lines, since there they may be text.
 */
function slim(text: string): string {
  if (text.includes('`')) return text;
  return text
    .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '')
    .replaceAll(/^[ \t]+|^\n/gm, '')
    .replaceAll(/\n{2,}/g, '\n');
}
