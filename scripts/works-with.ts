/**
 * `npm run works-with`: writes the tables of tested agents and model servers in the manual from the stored results
 * of `npm run real-agents` and `npm run agent-robustness`. A test compares them.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentResult } from '../test/agent/real-agents/run-agent.ts';
import type { CaseReport, Group } from '../test/robustness/case.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const page = 'docs/agent/coding-agents.mdx';
const agentResults = 'test/agent/results.json';
const serverResults = 'test/robustness/results.json';

interface Place {
  /** The line before the table. */
  begin: string;
  results: string;
  table(results: unknown): string;
}

const end = '{/* to here */}';
const places: readonly Place[] = [
  {
    begin: `{/* from ${agentResults} */}`,
    results: agentResults,
    table: (results) => agentTable(results as AgentResult[]),
  },
  {
    begin: `{/* from ${serverResults} */}`,
    results: serverResults,
    table: (results) => serverTable((results as { cases: CaseReport[] }).cases),
  },
];

export function publishedPage(): { file: string; content: string } {
  const file = join(repository, page);
  return { file, content: places.reduce(filled, readFileSync(file, 'utf8')) };
}

function filled(content: string, { begin, results, table }: Place): string {
  const [before, rest] = split(content, begin);
  const [, after] = split(rest, end);
  const file = join(repository, results);
  const text = existsSync(file)
    ? table(JSON.parse(readFileSync(file, 'utf8')) as unknown)
    : 'Not measured yet.';
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

function split(content: string, mark: string): [string, string] {
  const at = content.indexOf(mark);
  if (at < 0) throw new Error(`${page} lacks the line ${mark}`);
  return [content.slice(0, at), content.slice(at + mark.length)];
}

function agentTable(results: readonly AgentResult[]): string {
  const rows = results.map(({ agent, package: of, version, format, ...passed }) => [
    `[${agent}](#${agent.toLowerCase().replaceAll(' ', '-')})`,
    `\`${of}\` ${version}`,
    format,
    ...[passed.handshake, passed.edit, passed.tools, passed.followUp, passed.pullRequest].map(verdict),
  ]);
  const titles = [
    'Agent',
    'Version',
    'Format',
    'Session',
    'Edit',
    'Docyard tools',
    'Follow-up',
    'Pull request',
  ];
  return markdownTable([titles, ...rows]);
}

function verdict(isPassed: boolean): string {
  return isPassed ? 'passed' : 'failed';
}

const serverColumns: readonly (readonly [Group, string])[] = [
  ['dialects', 'Formats and faults'],
  ['context', 'Context'],
  ['timeouts', 'Silence'],
  ['service', 'Whole service'],
];

function serverTable(cases: readonly CaseReport[]): string {
  const groups: ReadonlySet<Group> = new Set(serverColumns.map(([group]) => group));
  const servers = Map.groupBy(
    cases.filter(({ group }) => groups.has(group)),
    ({ server }) => server,
  );
  const rows = [...servers].map(([server, of]) => [
    server,
    ...serverColumns.map(([group]) => share(of.filter((each) => each.group === group))),
  ]);
  return markdownTable([['Server', ...serverColumns.map(([, title]) => title)], ...rows]);
}

function share(cases: readonly CaseReport[]): string {
  const passed = cases.filter(({ problems }) => problems.length === 0);
  return cases.length === 0 ? '–' : `${passed.length} of ${cases.length}`;
}

function markdownTable([titles = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n');
}

if (import.meta.main) {
  const { file, content } = publishedPage();
  writeFileSync(file, content);
}
