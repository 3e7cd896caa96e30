/**
 * Builds the conversation that a model sees from the opening and the journal. Pure, so a resumed run sends the
 * same request.
 */
import type { Compaction, Message, ModelAnswer, Step, ToolCall, ToolResult } from '../contract.ts';

/** Older results are shortened from this message on. */
export const truncationNote =
  'The conversation became too long, so older tool results were truncated. Call a tool again if you need its result.';

const shortCharacters = 400;
/** Journals of older versions name no compaction. */
const defaultKeptResults = 4;

export function conversationOf(
  opening: readonly Message[],
  steps: readonly Step[],
  compaction = compactionOf(steps),
): Message[] {
  return [...opening, ...steps.flatMap((_, index) => messagesAt(steps, index, compaction))];
}

export function compactionOf(steps: readonly Step[]): Compaction {
  const index = steps.findLastIndex(
    (step) =>
      step.kind === 'message' && (step.compaction !== undefined || step.message.text === truncationNote),
  );
  const step = steps[index];
  if (step?.kind !== 'message') return { results: 0, answers: 0 };
  const before = [...steps.keys()].filter((at) => at < index && steps[at]?.kind === 'result');
  return step.compaction ?? { results: before.at(-defaultKeptResults) ?? 0, answers: 0 };
}

/**
 * Shortens the oldest results first, then the oldest answers, until `sizeWith` reaches the target; as far as
 * possible if it cannot. The last answer stays, and so does the last result unless `isUrgent`.
 */
export function planCompaction(
  steps: readonly Step[],
  { maxTokens, isUrgent }: { maxTokens: number; isUrgent: boolean },
  sizeWith: (compaction: Compaction) => number,
): Compaction | undefined {
  const current = compactionOf(steps);
  const places = (kind: Step['kind']) => [...steps.keys()].filter((at) => steps[at]?.kind === kind);
  const ofResults = places('result').filter((at) => at > current.results);
  const results = ofResults.at(-1) ?? current.results;
  const candidates = [
    ...ofResults.map((at) => ({ results: at, answers: current.answers })),
    ...places('answer')
      .filter((at) => at > current.answers)
      .map((answers) => ({ results, answers })),
    ...(isUrgent ? [{ results: steps.length, answers: places('answer').at(-1) ?? 0 }] : []),
  ];
  return candidates.find((candidate) => sizeWith(candidate) <= maxTokens) ?? candidates.at(-1);
}

function messagesAt(steps: readonly Step[], index: number, compaction: Compaction): Message[] {
  const step = steps[index];
  if (step?.kind === 'message') return step.message.role === 'system' ? [] : [step.message];
  if (step?.kind !== 'answer') return [];
  const isShort = index < compaction.answers;
  const { text, reasoning, calls } = isShort ? shortAnswer(step.answer) : step.answer;
  const results = resultsAfter(steps, index);
  const toolMessages = calls.map(({ id: callId, name }, place): Message => {
    const { result, at } = results[place] ?? { result: notRun, at: index };
    const shown = at < compaction.results ? shortResult(name, result) : result.text;
    return { role: 'tool', callId, name, text: shown, isError: result.isError ?? false };
  });
  return [
    { role: 'assistant', text, calls, ...(reasoning === undefined ? {} : { reasoning }) },
    ...toolMessages,
  ];
}

/** Matched to the calls by position, because some endpoints repeat call ids. */
function resultsAfter(steps: readonly Step[], answer: number): { result: ToolResult; at: number }[] {
  const found: { result: ToolResult; at: number }[] = [];
  for (let at = answer + 1; at < steps.length; at++) {
    const step = steps[at];
    if (step?.kind === 'answer') break;
    if (step?.kind === 'result') found.push({ result: step.result, at });
  }
  return found;
}

/** Endpoints reject a conversation in which a call has no result. */
const notRun: ToolResult = {
  text: 'This call was not run because the work had already ended.',
  isError: true,
};

/** The first line of read_file names the file and the lines. */
function shortResult(name: string, { text, isError = false }: ToolResult): string {
  if (text.length <= 2 * shortCharacters) return text;
  if (name !== 'read_file' || isError) return `${text.slice(0, shortCharacters)}\n[Truncated.]`;
  const [line = ''] = text.split('\n', 1);
  return `${line.slice(0, shortCharacters)}\n[Shown earlier. Call read_file to see these lines again.]`;
}

function shortAnswer({ text, calls }: ModelAnswer): { text: string; reasoning?: string; calls: ToolCall[] } {
  return {
    text: shortText(text),
    calls: calls.map((call) => ({ ...call, input: shortInput(call.input) })),
  };
}

/** Texts in arguments are contents of files that were written. */
function shortInput(input: unknown): unknown {
  if (typeof input === 'string') return shortText(input);
  if (Array.isArray(input)) return input.map(shortInput);
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, shortInput(value)]));
}

function shortText(text: string): string {
  const left = text.length - shortCharacters;
  return left <= shortCharacters ? text : `${text.slice(0, shortCharacters)} [${left} characters omitted]`;
}
