/**
 * Only documentation may change: below the docs root, inside the job's scope, of a kind that holds text, and none of the
 * files that run code, steer other tools or decide who reviews.
 */
import { protectedOutputFiles } from '@docyard/render/source-rules';
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

const outside = 'The file lies outside of the documentation.';

function whyRefused(path: string, file: DiffFile, settings: PolicySettings): string | undefined {
  if (path.startsWith('../')) return outside;
  if (!isPlainPath(path)) return 'The path is not a plain relative path.';
  const inside = below(settings.docsRoot, path);
  if (inside === undefined) return outside;
  const { scopePaths, protectedPaths, allowedPaths } = settings;
  if (scopePaths.length > 0 && !scopePaths.some((scope) => inside === scope || below(scope, inside)))
    return 'The file lies outside of the paths this job may change.';
  if (protectedPaths.some((pattern) => protects(pattern, inside))) return 'The project protects this file.';
  if (allowedPaths.some((pattern) => matchesPattern(pattern, inside))) return undefined;
  return whyProtected(inside) ?? whyForeignKind(inside, file);
}

/** What every file system, git and we read as the same one place. */
function isPlainPath(path: string): boolean {
  if (path === '' || path.length > 500 || path !== path.normalize('NFC')) return false;
  if (hasHiddenCharacters(path) || /[\p{C}\\:*?"<>|]/u.test(path)) return false;
  return path.split('/').every((part) => {
    if (part === '' || /^\.+$|[. ]$/.test(part)) return false;
    // Windows reads `git~1` as `.git`.
    return !/^(?:\.git|git~\d+)$/i.test(part);
  });
}

/** The rest of a path below a folder; undefined when it is not there. */
function below(folder: string, path: string): string | undefined {
  const root = folder.replaceAll(/^\/+|\/+$/g, '');
  if (root === '' || root === '.') return path;
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
}

const speaksToMachines = 'It speaks for the site to other machines.';
const protectedNames: readonly [names: RegExp, what: string][] = [
  [/^(?:agents|claude|gemini|copilot-instructions|skill)\.md$/, 'It instructs agents.'],
  [/^(?:codeowners|cname|license(?:\..+)?|security\.(?:md|txt))$/, 'It is for the owners of the repository.'],
  [
    /^(?:package|package-lock|npm-shrinkwrap|composer|deno|jsconfig|tsconfig.*|turbo|nx|lerna|renovate|bower)\.json$|^(?:pnpm-.*|bun)\.ya?ml$|\.lock$|^requirements.*\.txt$/,
    'It decides what is installed.',
  ],
  [
    /^(?:makefile|jenkinsfile|procfile|dockerfile.*)$|^(?:azure-pipelines|bitbucket-pipelines|appveyor|cloudbuild|buildspec|action|(?:docker-)?compose.*|mkdocs|book|netlify|render|app|fly)\.ya?ml$|^(?:vercel|firebase|now|serve|staticwebapp\.config|wrangler)\.json$/,
    'It decides how the project is built or served.',
  ],
  [/^(?:ads|app-ads|humans)\.txt$/, speaksToMachines],
];

function whyProtected(path: string): string | undefined {
  const parts = path.toLowerCase().split('/');
  if (parts.some((part) => part.startsWith('.')))
    return 'Files and folders that begin with a dot are protected.';
  if (parts.includes('node_modules')) return 'Installed packages are protected.';
  const name = parts.at(-1) ?? '';
  const isOutput = protectedOutputFiles().includes(name);
  const reason = isOutput ? speaksToMachines : protectedNames.find(([names]) => names.test(name))?.[1];
  return reason && `The file is protected. ${reason}`;
}

const documentation = /\.(?:mdx?|json|ya?ml|svg|txt)$/i;
const picture = /\.(?:png|jpe?g|gif|webp|avif|ico|mp4|webm|pdf)$/i;

function whyForeignKind(path: string, { status }: DiffFile): string | undefined {
  if (documentation.test(path) || (status === 'removed' && picture.test(path))) return undefined;
  return 'Only pages, descriptions, settings and drawings may change; this file is of another kind.';
}

/** The file itself or a folder above it. What opens a file is held to the letter, what protects one is not. */
function protects(pattern: string, path: string): boolean {
  const parts = path.split('/');
  const name = pattern.replace(/^(?:\.?\/+)+/, '').replace(/\/+$/, '');
  return parts.some((_, index) => matchesPattern(name, parts.slice(0, index + 1).join('/')));
}

/** `*` stands for part of a name, `**` for any folders. Segment by segment, so that no pattern takes long. */
export function matchesPattern(pattern: string, path: string): boolean {
  return matchSegments(pattern.replace(/^\/+/, '').split('/').slice(0, 50), path.split('/'));
}

function matchSegments(pattern: readonly string[], parts: readonly string[]): boolean {
  // One row of a table: which beginnings of the pattern match the parts seen so far.
  let reached = pattern.map((_, index) => pattern.slice(0, index).every((part) => part === '**'));
  reached.push(pattern.every((part) => part === '**'));
  for (const part of parts) {
    const next = reached.map(() => false);
    pattern.forEach((segment, index) => {
      if (segment === '**') {
        next[index] ||= reached[index] ?? false;
        next[index + 1] ||= (reached[index] ?? false) || (next[index] ?? false);
      } else if (reached[index] && matchesName(segment, part)) next[index + 1] = true;
    });
    // Folders in the middle may also be none.
    pattern.forEach((segment, index) => {
      if (segment === '**' && next[index]) next[index + 1] = true;
    });
    reached = next;
  }
  return reached.at(-1) ?? false;
}

function matchesName(segment: string, name: string): boolean {
  const [first = '', ...rest] = segment.split('*');
  if (rest.length === 0) return segment === name;
  const last = rest.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}
