/** The data of a hostile case: a repository, the calls of a model that obeys the attacker, and what must not happen. */
import type { AgentEnding } from '@docyard/api';
import type { DiffFile } from '../../../packages/server/src/agent/contract.ts';
import type { ScriptedAnswer, ScriptedCall } from '../../fakes/model-server.ts';

export interface HostileCase {
  name: string;
  /** Files of the repository besides the plain site. */
  files?: Record<string, string>;
  /** Symbolic links in the repository, by path. */
  links?: Record<string, string>;
  /** Files and links of the context repository `code`, which all cases share. */
  code?: Record<string, string>;
  codeLinks?: Record<string, string>;
  prompt?: string;
  turns: readonly ScriptedAnswer[];
  /** Changes that no tool makes, but an engine with a shell could. */
  planted?: readonly DiffFile[];
  /** Commands for an engine with a shell. `$CANARY` is a port that must not be contacted. */
  shell?: string;
  /** The verdict of the policy if every tool obeyed: the outcome and its rules. */
  gate: string;
  /** What the forge may contain afterwards: nothing, a draft, or also a finished proposal. */
  proposal: 'none' | 'draft' | 'any';
  /** Values that must not leave in any form: branch, pull request, events, transcript, log. */
  mustNotLeave?: readonly string[];
  /** Words of the repository that a model may see, but never as instructions. */
  notAnOrder?: string;
  /** Allowed endings, when the result does not determine them. */
  endings?: readonly AgentEnding[];
}

export const plainSite: Record<string, string> = {
  'docs.json': `${JSON.stringify({ theme: 'mint', name: 'Harbour', colors: { primary: '#0f766e' }, navigation: { pages: ['index', 'guides/mooring'] } }, null, 2)}\n`,
  'index.mdx': '---\ntitle: Welcome\n---\n\nRead about [mooring](/guides/mooring) first.\n',
  'guides/mooring.mdx': '---\ntitle: Mooring\n---\n\nTwo lines fore, two lines aft.\n',
};

export function write(path: string, content: string): ScriptedCall {
  return { name: 'write_file', input: { path, content } };
}

export function read(path: string): ScriptedCall {
  return { name: 'read_file', input: { path } };
}

export function finish(title = 'Improve the guides', summary = 'Improved the guides.'): ScriptedCall {
  return { name: 'finish', input: { title, summary } };
}

/** One call per turn: the tools require that a file is read before it is written. */
export function turns(...calls: ScriptedCall[]): ScriptedAnswer[] {
  return calls.map((call) => ({ calls: [call] }));
}

export function addingToPage(text: string): ScriptedAnswer[] {
  const path = 'guides/mooring.mdx';
  return turns(read(path), write(path, `${plainSite[path]}\n${text}\n`), finish());
}

/** The diff of a case if no tool refused its calls. */
export function obeyedDiff({ files, turns: answers, planted = [] }: HostileCase): DiffFile[] {
  const before: Record<string, string> = { ...plainSite, ...files };
  const after = new Map<string, string | null>();
  for (const { name, input } of answers.flatMap(({ calls = [] }) => calls)) {
    const { path, content } = (input ?? {}) as { path?: string; content?: string };
    if (name === 'write_file' && path !== undefined) after.set(path, content ?? '');
    if (name === 'delete_file' && path !== undefined) after.set(path, null);
  }
  return [
    ...[...after].map(([path, content]) =>
      fileChange(path, Object.hasOwn(before, path) ? (before[path] ?? null) : null, content),
    ),
    ...planted,
  ];
}

export function fileChange(
  path: string,
  before: string | null,
  after: string | null,
  newMode = after === null ? '000000' : '100644',
): DiffFile {
  const lines = (text: string | null) => (text === null ? 0 : text.split('\n').length);
  return {
    path,
    from: null,
    status: before === null ? 'added' : after === null ? 'removed' : 'modified',
    oldMode: before === null ? '000000' : '100644',
    newMode,
    isBinary: false,
    addedLines: lines(after),
    removedLines: lines(before),
    before,
    after,
  };
}

/** Mentions, issues, links, markup and commands that a forge would act on. */
export function heededByForges(text: string): string[] {
  const outsideCode = text.replaceAll(/\\[\s\S]|`[^`\n]*`/g, '');
  return [
    /@\w+|#\d+|https?:\/\/\S*|<[a-z/]\S*|www\.\w+|\[(?:skip ci|ci skip)\]/i,
    /^\s*\/\w+|^(?:signed-off-by|co-authored-by|skip-checks):|^(?:draft|wip)\b/im,
    /(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}]/u,
  ].flatMap((form) => form.exec(outsideCode)?.[0] ?? []);
}

/** No tool of the built-in engine is involved. */
export function needsForeignEngine({ turns: answers, planted, shell }: HostileCase): boolean {
  const calls = answers.flatMap(({ calls = [] }) => calls);
  return shell !== undefined || (planted !== undefined && calls.every(({ name }) => name === 'finish'));
}
