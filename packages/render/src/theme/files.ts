/**
 * The theme files of an exported site. Each stylesheet or script is the concatenation of a folder's parts in
 * name order. Reads are synchronous because the thread pool is busy compressing pages.
 */
import { readFileSync, readdirSync } from 'node:fs';
import type { PageFeature } from '../model/page.ts';
import { inThemeLayer, layerOrder } from '../css/layers.ts';

export interface ThemeFile {
  path: string;
  content: string;
}

const folder = new URL('./files/', import.meta.url);

export const apiStylesheet = '_docyard/api.css';
export const tryItScript = '_docyard/try-it.js';

/** API pages load the stylesheet; those with a request form also load the script. */
export function apiFiles(features: ReadonlySet<PageFeature>): ThemeFile[] {
  return [
    ...(features.has('api') ? [{ path: apiStylesheet, content: inThemeLayer(joined('style-api/')) }] : []),
    ...(features.has('try-it') ? [{ path: tryItScript, content: joined('try-it/') }] : []),
  ];
}

export const feedbackScript = '_docyard/feedback.js';

export function themeFiles({ withCopy = true, withFeedback = true, withAnswers = true } = {}): ThemeFile[] {
  return [
    { path: '_docyard/style.css', content: layerOrder + inThemeLayer(joined('style/')) },
    { path: '_docyard/app.js', content: joined('app/') },
    { path: '_docyard/search.js', content: joined('search/') },
    { path: '_docyard/search-texts.js', content: single('search-texts.js') },
    { path: '_docyard/theme.js', content: single('theme.js') },
    ...(withCopy ? [{ path: '_docyard/copy-page.js', content: single('copy-page.js') }] : []),
    ...(withFeedback
      ? [
          { path: feedbackScript, content: single('feedback.js') },
          { path: '_docyard/feedback.css', content: inThemeLayer(single('feedback.css')) },
        ]
      : []),
    ...(withAnswers
      ? [
          { path: '_docyard/answers.js', content: joined('answers/') },
          { path: '_docyard/answers-texts.js', content: single('answers-texts.js') },
          { path: '_docyard/answers.css', content: inThemeLayer(single('answers.css')) },
        ]
      : []),
  ];
}

function single(name: string): string {
  return slim(readFileSync(new URL(name, folder), 'utf8'));
}

function joined(name: string): string {
  const parts = new URL(name, folder);
  const names = readdirSync(parts).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return names.map((part) => slim(readFileSync(new URL(part, parts), 'utf8'))).join('');
}

/**
 * Removes comments on their own lines, indentation and blank lines. Files with a template literal stay
 * unchanged, because its lines may be text.
 */
function slim(text: string): string {
  if (text.includes('`')) return text;
  return text
    .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '')
    .replaceAll(/^[ \t]+|^\n/gm, '')
    .replaceAll(/\n{2,}/g, '\n');
}
