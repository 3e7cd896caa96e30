/**
 * Only documentation may change: text files in the docs root and the scope of the job, except files that run
 * code, configure tools or decide who reviews.
 */
import { protectedOutputFiles } from '@docyard/render/source-rules';
import { matchesPattern } from '../../path-pattern.ts';
import type { DiffFile } from '../contract.ts';
import { hasHiddenCharacters } from './hidden-text.ts';
import { type Change, type Objection, type PolicySettings, type Rule, block } from './rule.ts';

export const pathRule: Rule = { name: 'paths', judge: judgePaths };

function judgePaths({ files, settings }: Change): Objection[] {
  return files.flatMap((file) => {
    const paths = file.from === null ? [file.path] : [file.path, file.from];
    const reason = paths.map((path) => whyRefused(path, file, settings)).find((text) => text !== undefined);
    return reason === undefined ? [] : [block(file.path, reason)];
  });
}

const outside = 'The file is outside the documentation.';

function whyRefused(path: string, file: DiffFile, settings: PolicySettings): string | undefined {
  if (path.startsWith('../')) return outside;
  if (!isPlainPath(path)) return 'The path is not a plain relative path.';
  const inside = below(settings.docsRoot, path);
  if (inside === undefined) return outside;
  const { scopePaths, protectedPaths, allowedPaths } = settings;
  if (scopePaths.length > 0 && !scopePaths.some((scope) => inside === scope || below(scope, inside)))
    return 'The file is outside the scope of this job.';
  if (protectedPaths.some((pattern) => protects(pattern, inside))) return 'The project protects this file.';
  if (allowedPaths.some((pattern) => matchesPattern(pattern, inside))) return undefined;
  return whyProtected(inside) ?? whyForeignKind(inside, file);
}

/** Paths that every file system and git read alike. */
function isPlainPath(path: string): boolean {
  if (path === '' || path.length > 500 || path !== path.normalize('NFC')) return false;
  if (hasHiddenCharacters(path) || /[\p{C}\\:*?"<>|]/u.test(path)) return false;
  return path.split('/').every((part) => {
    if (part === '' || /^\.+$|[. ]$/.test(part)) return false;
    // `git~1` is a Windows alias of `.git`.
    return !/^(?:\.git|git~\d+)$/i.test(part);
  });
}

function below(folder: string, path: string): string | undefined {
  const root = folder.replaceAll(/^\/+|\/+$/g, '');
  if (root === '' || root === '.') return path;
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

const speaksForSite = 'Other machines read it as a statement of the site.';
const protectedNames: readonly [names: RegExp, what: string][] = [
  [/^(?:agents|claude|gemini|copilot-instructions|skill)\.md$/, 'It contains instructions for agents.'],
  [
    /^(?:codeowners|cname|license(?:\..+)?|security\.(?:md|txt))$/,
    'It belongs to the owners of the repository.',
  ],
  [
    /^(?:package|package-lock|npm-shrinkwrap|composer|deno|jsconfig|tsconfig.*|turbo|nx|lerna|renovate|bower)\.json$|^(?:pnpm-.*|bun)\.ya?ml$|\.lock$|^requirements.*\.txt$/,
    'It controls which packages are installed.',
  ],
  [
    /^(?:makefile|jenkinsfile|procfile|dockerfile.*)$|^(?:azure-pipelines|bitbucket-pipelines|appveyor|cloudbuild|buildspec|action|(?:docker-)?compose.*|mkdocs|book|netlify|render|app|fly)\.ya?ml$|^(?:vercel|firebase|now|serve|staticwebapp\.config|wrangler)\.json$/,
    'It controls how the project is built or served.',
  ],
  [/^(?:ads|app-ads|humans)\.txt$/, speaksForSite],
];

function whyProtected(path: string): string | undefined {
  const parts = path.toLowerCase().split('/');
  if (parts.some((part) => part.startsWith('.')))
    return 'Files and folders that begin with a dot are protected.';
  if (parts.includes('node_modules')) return 'Installed packages are protected.';
  const name = parts.at(-1) ?? '';
  const isOutput = protectedOutputFiles().includes(name);
  const reason = isOutput ? speaksForSite : protectedNames.find(([names]) => names.test(name))?.[1];
  return reason && `The file is protected. ${reason}`;
}

const documentation = /\.(?:mdx?|json|ya?ml|svg|txt)$/i;
const picture = /\.(?:png|jpe?g|gif|webp|avif|ico|mp4|webm|pdf)$/i;

function whyForeignKind(path: string, { status }: DiffFile): string | undefined {
  if (documentation.test(path) || (status === 'removed' && picture.test(path))) return undefined;
  return 'This file type is not allowed. Only pages, API descriptions, settings and drawings may change.';
}

/**
 * Also matches folders above the file. Patterns that allow a file match exactly, patterns that protect do not.
 */
function protects(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const name = pattern.replace(/^(?:\.?\/+)+/, '').replace(/\/+$/, '');
  return parts.some((_, index) => matchesPattern(name, parts.slice(0, index + 1).join('/')));
}
