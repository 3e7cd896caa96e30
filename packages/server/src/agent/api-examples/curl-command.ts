/** Reads the curl commands of a shell example. */
import { jsonBody, type ExampleRequest } from './example-message.ts';

export function curlRequests(code: string): ExampleRequest[] {
  return commandsIn(code).flatMap((words) => {
    const start = words.findIndex((word) => word === 'curl' || word.endsWith('/curl'));
    const isCommand = start >= 0 && words.slice(0, start).every((word) => /^(?:\$|sudo|\w+=.*)$/s.test(word));
    const request = isCommand ? requestOf(words.slice(start + 1)) : undefined;
    return request === undefined ? [] : [request];
  });
}

const dataOptions = new Set(['-d', '--data', '--data-raw', '--data-binary', '--data-ascii', '--json']);
/** The body is a form, which is not checked. */
const formOptions = new Set(['-F', '--form', '--data-urlencode', '-T', '--upload-file']);
const isUrl = /^(?:https?:\/\/|\$|\{|localhost\b|\/)/;

function requestOf(words: readonly string[]): ExampleRequest | undefined {
  let method: string | undefined;
  let url: string | undefined;
  let data: string | undefined;
  let isJson = false;
  let isForm = false;
  for (let at = 0; at < words.length; at += 1) {
    const [name, attached] = splitOption(words[at] ?? '');
    const value = () => attached ?? words[(at += 1)] ?? '';
    if (name === '-X' || name === '--request') method = value().toUpperCase();
    else if (name === '-I' || name === '--head') method ??= 'HEAD';
    else if (name === '-G' || name === '--get') method ??= 'GET';
    else if (name === '--url') url = value();
    else if (name === '-H' || name === '--header') isJson ||= /^content-type:.*json/i.test(value());
    else if (dataOptions.has(name)) {
      data = (data === undefined ? '' : `${data}&`) + value();
      isJson ||= name === '--json';
    } else if (formOptions.has(name)) isForm = Boolean(value()) || true;
    else if (!name.startsWith('-') && isUrl.test(name)) url ??= name;
  }
  if (url === undefined) return undefined;
  const isRead = data !== undefined && !isForm && !data.startsWith('@') && method !== 'GET';
  const sends = data !== undefined || isForm;
  return {
    kind: 'request',
    method: method ?? (sends ? 'POST' : 'GET'),
    url,
    body: isRead && data !== undefined ? jsonBody(data, isJson) : undefined,
  };
}

/** `--request=POST` and `-XPOST` have their value attached. */
function splitOption(word: string): [name: string, attached?: string] {
  const [, long, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
  if (long !== undefined && value !== undefined) return [long, value];
  const [, short, rest] = /^(-[XdH])(.+)$/s.exec(word) ?? [];
  return short !== undefined && rest !== undefined ? [short, rest] : [word];
}

/** The words of each command, without quotes. Variables stay as they are. */
function commandsIn(code: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let quote = '';
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    commands.push([]);
  };
  for (let at = 0; at < code.length; at += 1) {
    const letter = code.charAt(at);
    const next = code.charAt(at + 1);
    if (quote !== '') {
      if (letter === quote) quote = '';
      else if (letter === '\\' && quote === '"' && /["\\$`\n]/.test(next)) {
        word += next === '\n' ? '' : next;
        at += 1;
      } else word += letter;
    } else if (letter === '\\') {
      if (next !== '\n') word = (word ?? '') + next;
      at += 1;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= '';
    } else if (letter === '#' && word === undefined) {
      while (at + 1 < code.length && code.charAt(at + 1) !== '\n') at += 1;
    } else if (/[\n;|&]/.test(letter)) endCommand();
    else if (/\s/.test(letter)) endWord();
    else word = (word ?? '') + letter;
  }
  endCommand();
  return commands;
}
