/** A quick part of the suite: a dozen dialects, two contexts, and one seed of the clumsy model on a smaller site. */
import { expect, test } from 'vitest';
import { runCase } from './case.ts';
import { clumsyCase } from './clumsy/clumsy-case.ts';
import { createLargeSite } from './clumsy/large-site.ts';
import { clumsyTasks } from './clumsy/tasks.ts';
import { contextCases } from './context-ladder.ts';
import { dialectCases } from './dialects/dialect-case.ts';
import { jsonOf, tableOf } from './report.ts';
import { allCases, nameOf } from './suite.ts';

const quickDialects = [
  'dialects: OpenAI: sends two calls in one answer',
  'dialects: Ollama: sends arguments as an object',
  'dialects: LM Studio: sends numbers as ids',
  'dialects: TGI: sends tool_calls as an object',
  'dialects: any gateway: leaves out the finish reason',
  'dialects: any gateway: ignores stream and answers with JSON',
  'dialects: llama.cpp: refuses tools with stream',
  'dialects: Mistral: refuses stream_options with 422',
  'dialects: vLLM: Hermes: two calls',
  'dialects: SGLang: Qwen3-Coder: <function=…> with parameters',
  'dialects: vLLM: runs without a tool parser',
  'dialects: any server: breaks the connection inside the arguments',
  'dialects: any gateway: messages: leaves out message_stop',
  'dialects: Vertex AI: messages: sends vertex_event and its ids',
];
const quickContexts = ['context: vLLM: 16k, contextTokens not set', 'context: Ollama: 8k, contextTokens set'];
const quickCases = [...dialectCases, ...contextCases].filter((each) =>
  [...quickDialects, ...quickContexts].includes(nameOf(each)),
);

test('every name of the quick part belongs to a case', () => {
  expect(quickCases.map(nameOf).toSorted()).toEqual([...quickDialects, ...quickContexts].toSorted());
});

test.each(quickCases.map((each) => ({ name: nameOf(each), each })))('$name', async ({ each }) => {
  expect((await runCase(each)).problems).toEqual([]);
});

test('the clumsy model corrects pages that the task does not name', async () => {
  const site = createLargeSite(600);
  const report = await runCase(clumsyCase(1, () => site, clumsyTasks.slice(0, 4)));
  expect(report).toMatchObject({ problems: [], tasks: { passed: 4, total: 4 } });
});

test('the suite has at least 84 dialects of model servers, and every case has another name', () => {
  const names = allCases([1, 2]).map(nameOf);
  expect(dialectCases.length).toBeGreaterThanOrEqual(84);
  expect(new Set(names).size).toBe(names.length);
});

test('the table and the JSON file count passed cases by group, and tasks of the clumsy model', () => {
  const cost = { turns: 3, inputTokens: 200, outputTokens: 10, seconds: 1 };
  const reports = [
    { group: 'dialects' as const, server: 'vLLM', name: 'a', problems: [], ...cost },
    { group: 'dialects' as const, server: 'vLLM', name: 'b', problems: ['ended as stalled'], ...cost },
    {
      group: 'clumsy' as const,
      server: 'clumsy model',
      name: 'seed 7',
      problems: ['x'],
      tasks: { passed: 9, total: 10 },
      ...cost,
    },
  ];
  expect(tableOf(reports)).toBe(
    [
      'group     passed   rate  turns  tokens in  tokens out',
      'dialects  1 of 2   50 %  6      400        20',
      'clumsy    9 of 10  90 %  3      200        10',
      '',
    ].join('\n'),
  );
  expect(JSON.parse(jsonOf(reports, [7]))).toMatchObject({
    seeds: [7],
    servers: [
      { server: 'vLLM', passed: 1, total: 2 },
      { server: 'clumsy model', passed: 0, total: 1 },
    ],
    cases: reports,
  });
});
