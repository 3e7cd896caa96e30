/** Runs the task of the dialects against a server that speaks one of them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { wires } from '../../fakes/model-wire.ts';
import type { CaseResult, RobustnessCase } from '../case.ts';
import { runTask, type TaskRun } from '../run-task.ts';
import { startWireServer, type Json, type WireRequest, type WireServer } from '../wire-server.ts';
import { correctedPage, instruction, nextTurn, page, siteFiles, title, type Dialect } from './dialect.ts';
import { dialects } from './table.ts';

export const dialectCases: readonly RobustnessCase[] = dialects.map((dialect) => ({
  group: 'dialects',
  server: dialect.server,
  name: `${dialect.provider === 'anthropic' ? 'messages: ' : ''}${dialect.quirk}`,
  run: () => runDialect(dialect),
}));

export function startDialectServer(dialect: Dialect): Promise<WireServer> {
  return startWireServer((request) =>
    dialect.answer(nextTurn(resultsIn(request), dialect.firstCalls), request),
  );
}

async function runDialect(dialect: Dialect): Promise<CaseResult> {
  const folder = mkdtempSync(join(tmpdir(), 'docyard-dialect-'));
  const server = await startDialectServer(dialect);
  try {
    writeSite(folder, siteFiles);
    const { provider, settings } = dialect;
    const run = await runTask({ folder, instruction, provider, url: server.url, settings, minutes: 5 });
    const problems =
      dialect.ending === undefined
        ? doneProblems(folder, run)
        : dialect.ending === 'unreadable' || run.end.reason !== 'done'
          ? unreadableProblems(run)
          : doneProblems(folder, run);
    const { steps: turns, inputTokens, outputTokens } = run.usage;
    return { problems: [...problems, ...requestProblems(server.requests)], turns, inputTokens, outputTokens };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function writeSite(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export function resultsIn({ path, body }: WireRequest): string[] {
  const wire = wires.find((each) => path.endsWith(each.path));
  if (wire === undefined) throw new Error(`No format has the path ${path}.`);
  const { messages } = wire.conversation(body);
  return messages.flatMap((message) => (message.role === 'tool' ? message.text : []));
}

function doneProblems(folder: string, { end, changed }: TaskRun): string[] {
  const others = [...changed.keys()].filter((path) => path !== page);
  return [
    ...(end.reason === 'done' ? [] : [`ended as ${end.reason}: ${end.problem ?? end.summary}`]),
    ...(readFileSync(join(folder, page), 'utf8') === correctedPage ? [] : ['the page is not corrected']),
    ...(end.title === title ? [] : ['the call of finish was not read']),
    ...others.map((path) => `changed ${path} too`),
  ];
}

/** One of these is in every useful message: they are the settings that servers have for tool calls. */
const serverSettings = [
  '--enable-auto-tool-choice',
  '--tool-call-parser',
  '--jinja',
  'tool support',
  'support tool',
  'supports tool',
];

function unreadableProblems({ end }: TaskRun): string[] {
  const text = end.problem ?? '';
  return [
    ...(['done', 'no_change', 'needs_input', 'partial'].includes(end.reason)
      ? [`ended as ${end.reason} although no call was read`]
      : []),
    ...(serverSettings.some((setting) => text.includes(setting))
      ? []
      : [`the failure names no setting of the server: ${text || '(no text)'}`]),
  ];
}

/** What strict servers refuse: results without a call, calls without a result, ids that are empty or repeated. */
function requestProblems(requests: readonly WireRequest[]): string[] {
  const problems = requests.flatMap(({ body }) => {
    const messages = body['messages'] as Json[];
    return messages.flatMap((message, index) => {
      const ids = callIds(message);
      if (ids.length === 0) return [];
      const answered = answeredIds(messages.slice(index + 1));
      const isValid =
        ids.every((id) => typeof id === 'string' && id !== '') && new Set(ids).size === ids.length;
      return isValid && JSON.stringify(ids) === JSON.stringify(answered)
        ? []
        : [`sent the call ids ${JSON.stringify(ids)} with results for ${JSON.stringify(answered)}`];
    });
  });
  return [...new Set(problems)];
}

function callIds({ role, content, tool_calls: calls }: Json): unknown[] {
  if (role !== 'assistant') return [];
  const blocks = Array.isArray(content) ? (content as Json[]).filter(({ type }) => type === 'tool_use') : [];
  return [...((calls ?? []) as Json[]), ...blocks].map(({ id }) => id);
}

function answeredIds(later: readonly Json[]): unknown[] {
  const end = later.findIndex(({ role }) => role === 'assistant');
  return (end === -1 ? later : later.slice(0, end)).flatMap(({ role, content, tool_call_id: id }) =>
    role === 'tool'
      ? [id]
      : Array.isArray(content)
        ? (content as Json[])
            .filter(({ type }) => type === 'tool_result')
            .map((block) => block['tool_use_id'])
        : [],
  );
}
