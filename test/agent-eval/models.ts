/**
 * Scripted models. The oracle knows the right edits, but searches for the pages with words of the change and edits only what
 * the tools have shown. The others are baselines, which the measures must tell apart.
 */
import type { Message } from '../../packages/server/src/agent/contract.ts';
import type { Asked, Script, ScriptedAnswer, ScriptedCall } from '../fakes/model-server.ts';
import { codeName, numberOf } from './instruction.ts';
import type { Edit, Pair } from './pair.ts';

export const scriptedModels = ['oracle', 'careless', 'always', 'never'] as const;
export type ScriptedModel = (typeof scriptedModels)[number];

/** Stateless: the conversation identifies the pair and the next turn. */
export function scriptOf(model: ScriptedModel, pairs: readonly Pair[]): Script {
  return ({ messages }: Asked): ScriptedAnswer => {
    const task = messages.find(({ role }) => role === 'user');
    const said = task !== undefined && 'text' in task ? task.text : '';
    const pair = pairs.find(({ name }) => said.includes(`#${numberOf(name)} `));
    if (pair === undefined) return { text: 'This is none of the pairs.' };
    // Without usage, the gateway counts the tokens.
    return { calls: plans[model](pair, new Conversation(messages)), usage: null };
  };
}

type Plan = (pair: Pair, conversation: Conversation) => ScriptedCall[];

const plans: Readonly<Record<ScriptedModel, Plan>> = {
  oracle: (pair, conversation) => searchAndEdit(pair, pair.edits, conversation),
  careless: (pair, conversation) => searchAndEdit(pair, carelessEdits(pair), conversation),
  always: alwaysEdit,
  never: () => [finish('Leave the pages', 'Nothing needs to change.')],
};

class Conversation {
  /** Number of earlier answers. */
  readonly turn: number;
  readonly #results: readonly string[];

  constructor(messages: readonly Message[]) {
    this.turn = messages.filter(({ role }) => role === 'assistant').length;
    this.#results = messages.flatMap((message) => (message.role === 'tool' ? message.text : []));
  }

  /** Whether one of the first results names the file. */
  hasShown(path: string, results: number): boolean {
    return this.#results.slice(0, results).some((text) => text.split(/[\s:]+/).includes(path));
  }

  get results(): readonly string[] {
    return this.#results;
  }
}

function searchAndEdit(pair: Pair, edits: readonly Edit[], conversation: Conversation): ScriptedCall[] {
  const { title } = pair.pullRequest;
  const searches = [
    { name: 'code_diff', input: {} },
    ...pair.find.map((pattern) => ({ name: 'search', input: { pattern, mode: 'files' } })),
    { name: 'find_pages', input: { query: title } },
  ];
  const found = edits.filter(
    ({ page, content }) =>
      content !== undefined || isConfiguration(page) || conversation.hasShown(page, searches.length),
  );
  const changes = found.filter(({ content }) => content === undefined);
  const turns = [
    searches,
    changes.map(({ page, old = '' }) => lineSearch(page, old)),
    changes.map(({ page, old = '' }) => readAround(conversation, page, old)),
    editCalls(found),
    found.length === 0 ? [] : [{ name: 'validate', input: {} }],
    found.length === 0
      ? [finish('Leave the pages', 'The change has no effect on what the pages say.')]
      : [finish(title, `The pages follow the pull request: ${title}`, { evidence: evidenceOf(pair, found) })],
  ].filter((calls) => calls.length > 0);
  return turns[conversation.turn] ?? [];
}

function isConfiguration(page: string): boolean {
  return page === 'docs.json' || page === 'mint.json';
}

function lineSearch(page: string, old: string): ScriptedCall {
  return { name: 'search', input: { pattern: firstLine(old), path: page } };
}

function firstLine(old: string): string {
  return old.split('\n').find((line) => line.trim() !== '') ?? old;
}

const linesBefore = 5;
const readLines = 60;

/** The search for the line has shown `page` and, below it, the number of the line. */
function readAround({ results }: Conversation, page: string, old: string): ScriptedCall {
  const wanted = firstLine(old).trim();
  const shown = results
    .filter((text) => text.split('\n').includes(page))
    .flatMap((text) => text.split('\n'))
    .find((line) => /^ *\d+\t/.test(line) && line.includes(wanted));
  const line = Number(/^ *(\d+)/.exec(shown ?? '')?.[1] ?? 1);
  return {
    name: 'read_file',
    input: { path: page, offset: Math.max(1, line - linesBefore), limit: readLines },
  };
}

function editCalls(edits: readonly Edit[]): ScriptedCall[] {
  return [...Map.groupBy(edits, ({ page }) => page)].map(([path, of]) => {
    const content = of.find((edit) => edit.content !== undefined)?.content;
    if (content !== undefined) return { name: 'write_file', input: { path, content } };
    const replacements = of.map(({ old = '', new: text = '', everywhere = false }) => ({
      old,
      new: text,
      replace_all: everywhere,
    }));
    return { name: 'multi_edit', input: { path, edits: replacements } };
  });
}

/** Only the first page, and the old statement stays. */
function carelessEdits({ edits }: Pair): Edit[] {
  return edits.slice(0, 1).map((edit) => ({ ...edit, new: `${edit.old ?? ''}${edit.new ?? ''}` }));
}

/** Adds a sentence to the first page that a search finds. */
function alwaysEdit({ pullRequest, find }: Pair, { turn, results }: Conversation): ScriptedCall[] {
  const found = /^(\S+\.mdx?)(?::\d+)?/m.exec(results.slice(0, 2).join('\n'))?.[1];
  const [words = ''] = find;
  if (turn === 0) {
    return [
      { name: 'search', input: { pattern: words, mode: 'files', glob: '*.mdx' } },
      { name: 'find_pages', input: { query: pullRequest.title } },
    ];
  }
  if (found === undefined || turn > 2)
    return [
      finish(pullRequest.title, 'Mentioned the change.', { leave_problems: 'It has to be like this.' }),
    ];
  if (turn === 1) return [{ name: 'read_file', input: { path: found } }];
  const title = /\t(title: .*)$/m.exec(results.at(-1) ?? '')?.[1] ?? '';
  const edit = { path: found, old: title, new: `${title}\n# ${pullRequest.title.replaceAll('"', '')}` };
  return [{ name: 'edit_file', input: edit }];
}

/** A quote of what each page says anew, and the first line of code that has changed. Other files need no evidence. */
function evidenceOf({ files, expected }: Pair, edits: readonly Edit[]): object[] {
  const [file] = files;
  if (file === undefined) return [];
  const before = linesOf(file.before);
  const line = linesOf(file.after).findIndex((text) => !before.includes(text));
  const sources = [`${codeName}/${file.path}#L${Math.max(line, 0) + 1}`];
  return [...Map.groupBy(edits, ({ page }) => page)].flatMap(([page, of]) => {
    const states = expected.filter((each) => each.page === page).flatMap((each) => each.states.flat());
    const lines = of.flatMap(newLinesOf).toSorted((a, b) => b.length - a.length);
    const statement = lines.find((line) => states.some((text) => line.includes(text))) ?? lines[0];
    return statement === undefined || !/\.mdx?$/.test(page) ? [] : [{ page, statement, sources }];
  });
}

const minQuoteCharacters = 5;

/** Empty if the edit only removes text. */
function newLinesOf({ old = '', new: replacement = '', content }: Edit): string[] {
  return linesOf(content ?? replacement).filter(
    (line) => line.trim().length >= minQuoteCharacters && !old.includes(line),
  );
}

function linesOf(text = ''): string[] {
  return text.split('\n');
}

function finish(title: string, summary: string, more: object = {}): ScriptedCall {
  return { name: 'finish', input: { title: title.slice(0, 100), summary, ...more } };
}
