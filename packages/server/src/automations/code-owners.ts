/**
 * Owners of files by a CODEOWNERS file, as GitHub, GitLab, Gitea and Forgejo document it: the last matching line wins, and a line
 * without owners removes them.
 */
import { matchesPattern } from '../path-pattern.ts';

export interface Owners {
  users: string[];
  /** As `organization/team`. */
  teams: string[];
}

/** In the order in which forges look for it. */
export const codeOwnersFiles = [
  '.github/CODEOWNERS',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitlab/CODEOWNERS',
  '.gitea/CODEOWNERS',
  '.forgejo/CODEOWNERS',
] as const;

const maxLines = 3000;
const maxPaths = 200;

interface Rule {
  patterns: string[];
  owners: string[];
}

export function ownersOf(file: string, paths: readonly string[]): Owners {
  const sections = readRules(file);
  const owners = new Set<string>();
  for (const path of paths.slice(0, maxPaths)) {
    for (const rules of sections) {
      const last = rules.findLast(({ patterns }) => patterns.some((each) => matchesPattern(each, path)));
      for (const owner of last?.owners ?? []) owners.add(owner);
    }
  }
  const names = [...owners].flatMap((owner) => {
    const [, name] = /^@([\w.-]+(?:\/[\w.-]+)*)$/.exec(owner) ?? [];
    return name === undefined ? [] : [name];
  });
  return {
    users: names.filter((name) => !name.includes('/')),
    teams: names.filter((name) => name.includes('/')),
  };
}

/** GitLab applies the rules of each section separately. Without sections there is one list. */
function readRules(file: string): Rule[][] {
  const sections: Rule[][] = [[]];
  let defaults: string[] = [];
  for (const line of file.split('\n', maxLines)) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    const section = /^\^?\[[^\]]+\](?:\[\d+\])?(.*)$/.exec(text);
    if (section !== null) {
      sections.push([]);
      defaults = ownersIn(section[1] ?? '');
      continue;
    }
    const [pattern = '', ...rest] = text.replaceAll('\\ ', '\0').split(/\s+/);
    const given = ownersIn(rest.join(' '));
    const owners = given.length > 0 ? given : defaults;
    sections.at(-1)?.push({ patterns: patternsOf(pattern.replaceAll('\0', ' ')), owners });
  }
  return sections;
}

/** Up to a comment. */
function ownersIn(text: string): string[] {
  const names = text.split(/\s+/).filter((each) => each !== '');
  const comment = names.findIndex((each) => each.startsWith('#'));
  return comment === -1 ? names : names.slice(0, comment);
}

/** A pattern without a slash before its end applies in every folder, and a name also stands for all files below it. */
function patternsOf(given: string): string[] {
  if (given === '*') return ['**'];
  const isFolder = given.endsWith('/');
  const name = given.split('/').filter(Boolean).join('/');
  if (name === '') return ['**'];
  const isAnchored = given.startsWith('/') || name.includes('/');
  const base = isAnchored ? name : `**/${name}`;
  if (isFolder) return [`${base}/**`];
  // `docs/*` stands for files directly in the folder.
  return base.endsWith('*') ? [base] : [base, `${base}/**`];
}
