/**
 * Reads tool calls that a model wrote into the text of its answer, because its server does not know the model's
 * format of calls.
 */
import {
  formats,
  maxCalls,
  readJsonCalls,
  startsLine,
  wrappers,
  type OfferedTool,
  type TextCall,
} from './text-call-formats.ts';
import { fencesIn, outsideFences, skipSpace } from './text-scan.ts';

export interface TextCalls {
  /** Without the calls. */
  text: string;
  calls: TextCall[];
  /** The format of a call that could not be read. */
  unreadCall?: string;
}

/** Stops the search in texts that are no answers of a model. */
const maxTextCharacters = 1_000_000;

export function readTextCalls(text: string, tools: readonly OfferedTool[]): TextCalls {
  if (text.length > maxTextCharacters) return { text, calls: [] };
  const marked = readMarked(text, tools);
  if (marked.calls.length > 0 || marked.unreadCall !== undefined) return marked;
  return readBareJson(text, tools) ?? readFenced(text, tools) ?? { text, calls: [] };
}

export function toolCallAdvice(): string {
  return (
    'Turn on tool calls in the model server: --enable-auto-tool-choice --tool-call-parser NAME for vLLM, ' +
    '--tool-call-parser NAME for SGLang, --jinja for llama.cpp, and a model with tool support for Ollama, ' +
    'LM Studio and TGI.'
  );
}

function readMarked(text: string, tools: readonly OfferedTool[]): TextCalls {
  let isTopLevel = outsideFences(text);
  const next = formats.map((format) => ({ format, at: text.indexOf(format.marker) }));
  const calls: TextCall[] = [];
  let unreadCall: string | undefined;
  let kept = '';
  let position = 0;
  for (let count = 0; count < maxCalls; count++) {
    for (const entry of next) {
      if (entry.at !== -1 && entry.at < position) entry.at = text.indexOf(entry.format.marker, position);
    }
    const [first] = next.filter(({ at }) => at !== -1).toSorted((a, b) => a.at - b.at);
    if (!first) break;
    const { format, at } = first;
    const start = at + format.marker.length;
    const found = isTopLevel(at) && text[at - 1] !== '`' ? format.read(text, start, tools) : undefined;
    if (found) {
      calls.push(...found.calls);
      kept += text.slice(position, at);
    } else {
      const isCall = format.isToken ?? (format.marker.startsWith('<') && startsLine(text, at));
      if (isCall && isTopLevel(at) && text[at - 1] !== '`') unreadCall ??= format.name;
      kept += text.slice(position, start);
    }
    position = found?.end ?? start;
    // Blocks inside of a call do not count.
    if (found) isTopLevel = outsideFences(text, position);
  }
  kept += text.slice(position);
  if (calls.length === 0) return { text, calls, ...(unreadCall === undefined ? {} : { unreadCall }) };
  return { text: wrappers.reduce((rest, wrapper) => rest.replaceAll(wrapper, ''), kept).trim(), calls };
}

/** An answer that ends with one JSON value at the start of a line. */
function readBareJson(text: string, tools: readonly OfferedTool[]): TextCalls | undefined {
  const trimmed = text.trimEnd();
  const isTopLevel = outsideFences(text);
  let at = skipSpace(text, 0);
  for (let count = 0; count < maxCalls && at < trimmed.length; count++) {
    if ((text[at] === '{' || text[at] === '[') && isTopLevel(at)) {
      const found = readJsonCalls(text, at, tools);
      if (found && found.end === trimmed.length) {
        return { text: text.slice(0, at).trim(), calls: found.calls };
      }
    }
    const lines = ['\n{', '\n[{'].map((start) => text.indexOf(start, at)).filter((found) => found !== -1);
    if (lines.length === 0) return undefined;
    at = Math.min(...lines) + 1;
  }
  return undefined;
}

const callLanguages = new Set(['', 'json', 'tool_call', 'tool_code', 'tool_calls']);

/** Blocks of code whose whole content is a call. */
function readFenced(text: string, tools: readonly OfferedTool[]): TextCalls | undefined {
  const calls: TextCall[] = [];
  let unreadCall: string | undefined;
  let kept = '';
  let position = 0;
  for (const { start, end, language, content } of fencesIn(text).slice(0, maxCalls)) {
    const inner = callLanguages.has(language) ? content.trim() : '';
    const marked = inner.startsWith('<') ? readMarked(inner, tools) : undefined;
    const found = marked?.text === '' ? marked.calls : wholeJson(inner, tools);
    if (found) {
      calls.push(...found);
      kept += text.slice(position, start);
      position = end;
    } else if (language === 'tool_code' || language === 'tool_call') unreadCall ??= language;
  }
  if (calls.length > 0) return { text: (kept + text.slice(position)).trim(), calls };
  return unreadCall === undefined ? undefined : { text, calls, unreadCall };
}

function wholeJson(text: string, tools: readonly OfferedTool[]): TextCall[] | undefined {
  const found = readJsonCalls(text, 0, tools);
  return found?.end === text.length ? found.calls : undefined;
}
