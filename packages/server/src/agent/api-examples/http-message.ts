/** Reads the requests and responses of an `http` example. */
import { jsonBody, type ExampleMessage } from './example-message.ts';

const requestLine = /^(GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE) (\S{1,2000})(?: HTTP\/[\d.]{1,5})?\s*$/;
const statusLine = /^HTTP\/[\d.]{1,5} (\d{3})\b/;

export function httpMessages(code: string): ExampleMessage[] {
  const messages: ExampleMessage[] = [];
  let current: { first: string; lines: string[] } | undefined;
  const end = () => {
    const message = current && messageOf(current.first, current.lines);
    if (message !== undefined) messages.push(message);
  };
  for (const line of code.split('\n')) {
    if (requestLine.test(line) || statusLine.test(line)) {
      end();
      current = { first: line, lines: [] };
    } else current?.lines.push(line);
  }
  end();
  return messages;
}

function messageOf(first: string, lines: readonly string[]): ExampleMessage | undefined {
  const gap = lines.findIndex((line) => line.trim() === '');
  const headers = gap < 0 ? lines : lines.slice(0, gap);
  const text =
    gap < 0
      ? ''
      : lines
          .slice(gap + 1)
          .join('\n')
          .trim();
  const isJson = headers.some((header) => /^content-type:.*json/i.test(header));
  const body = text === '' ? undefined : jsonBody(text, isJson);
  const [, status] = statusLine.exec(first) ?? [];
  if (status !== undefined) return { kind: 'response', status, body };
  const [, method, path] = requestLine.exec(first) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const [host = ''] = headers.flatMap((header) => /^host:\s*(\S{1,300})/i.exec(header)?.slice(1) ?? []);
  const url = path.startsWith('/') && host !== '' ? `https://${host}${path}` : path;
  return { kind: 'request', method, url, body };
}
