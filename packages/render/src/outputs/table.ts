/**
 * Every output, in order of writing: large ones first, so that they are compressed while the others are
 * written. See "Add an output" in docs/internals/recipes.mdx.
 */
import type { Output } from './contract.ts';
import { feeds } from './feeds.ts';
import { folderIndexes, llmsFull, llmsIndex } from './llms.ts';
import { notFoundOutput } from './not-found.ts';
import { printOutput } from './print.ts';
import { redirectOutputs } from './redirects.ts';
import { sharedFiles } from './shared-files.ts';
import { signInOutput } from './sign-in.ts';
import { siteIndex } from './site-index.ts';
import { skill, skillIndex } from './skill.ts';
import { robots, sitemap } from './sitemap.ts';
import { socialImageFiles } from './social-images.ts';
import { specCopies } from './specs.ts';

export const common = {
  needsOrigin: false,
  canOverride: false,
  isProtected: false,
  repeatsPages: false,
  hasPreview: false,
};

export const outputs: readonly Output[] = [
  {
    ...common,
    name: 'print',
    files: ['print.html', 'print/*.html', '_print.html', '_print/*.html', '_docyard/print.css'],
    repeatsPages: true,
    write: printOutput,
  },
  {
    ...common,
    name: 'llms-full',
    files: ['llms-full.txt'],
    canOverride: true,
    repeatsPages: true,
    write: llmsFull,
  },
  {
    ...common,
    name: 'theme',
    files: ['_docyard/*', '_docyard/styles/*', '_docyard/fonts/*'],
    hasPreview: true,
    write: sharedFiles,
  },
  { ...common, name: 'not-found', files: ['404.html'], hasPreview: true, write: notFoundOutput },
  { ...common, name: 'sign-in', files: ['_docyard/sign-in.html'], write: signInOutput },
  {
    ...common,
    name: 'redirects',
    files: ['_redirects', '_headers', '_hosts/*'],
    hasPreview: true,
    write: redirectOutputs,
  },
  {
    ...common,
    name: 'llms',
    files: ['llms.txt', '.well-known/llms.txt'],
    canOverride: true,
    write: llmsIndex,
  },
  { ...common, name: 'llms-folders', files: ['{folder}/llms.txt'], write: folderIndexes },
  {
    ...common,
    name: 'skill',
    files: ['skill.md'],
    canOverride: true,
    isProtected: true,
    write: skill,
  },
  {
    ...common,
    name: 'agent-skills',
    files: ['.well-known/agent-skills/index.json'],
    write: skillIndex,
  },
  { ...common, name: 'site-index', files: ['_docyard/site.json'], write: siteIndex },
  { ...common, name: 'api-descriptions', files: [], write: specCopies },
  {
    ...common,
    name: 'sitemap',
    files: ['sitemap.xml', 'sitemap-*.xml'],
    needsOrigin: true,
    canOverride: true,
    isProtected: true,
    write: sitemap,
  },
  {
    ...common,
    name: 'robots',
    files: ['robots.txt'],
    canOverride: true,
    isProtected: true,
    write: robots,
  },
  { ...common, name: 'feeds', files: ['{page}/rss.xml', 'rss.xml'], needsOrigin: true, write: feeds },
  {
    ...common,
    name: 'social-images',
    files: ['_docyard/social/*.png'],
    needsOrigin: true,
    write: socialImageFiles,
  },
  { ...common, name: 'page-markdown', files: ['{page}.md'] },
  { ...common, name: 'navigation', files: ['_docyard/nav/*'], hasPreview: true },
  { ...common, name: 'search', files: ['_docyard/search/*'], hasPreview: true },
  { ...common, name: 'scripts', files: ['_docyard/islands/*', '_docyard/scripts/*'], hasPreview: true },
  { ...common, name: 'math', files: ['_docyard/katex/*', '_docyard/katex/fonts/*'], hasPreview: true },
  { ...common, name: 'report', files: ['report.html', 'report.json'] },
];
