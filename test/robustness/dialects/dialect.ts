/** A dialect is how one model server answers. The model behind it is always the same and always right. */
import type { EndpointSettings } from '../run-task.ts';
import type { WireRequest, WireResponse } from '../wire-server.ts';

export interface ModelCall {
  id: string;
  name: string;
  input: Readonly<Record<string, unknown>>;
}

/** What the model wants to say. The dialect turns it into bytes. */
export interface ModelTurn {
  calls: readonly ModelCall[];
  /** Number of earlier turns with a result. */
  number: number;
}

export type Answering = (turn: ModelTurn, request: WireRequest) => WireResponse;

export interface Dialect {
  server: string;
  quirk: string;
  provider: 'openai' | 'anthropic';
  answer: Answering;
  settings?: EndpointSettings;
  /** The calls of the first turn; the default is one read_file. */
  firstCalls?: 'two reads' | 'no arguments';
  /** `unreadable`: the run must fail and name the setting of the server. */
  ending?: 'unreadable' | 'done or unreadable';
}

export const page = 'guides/limits.mdx';
/** Non-ASCII characters, so that encodings matter. */
const oldText = 'A key may send 60 requests per minute – “bursts” are smoothed.';
const newText = 'A key may send 100 requests per minute – “bursts” are smoothed.';
export const title = 'Correct the rate limit';
export const instruction =
  'Our keys may now send 100 requests per minute instead of 60. Correct the page about limits.';

export const siteFiles: Readonly<Record<string, string>> = {
  'docs.json': `${JSON.stringify({
    theme: 'mint',
    name: 'Harbour',
    colors: { primary: '#0f766e' },
    navigation: { groups: [{ group: 'Guides', pages: ['index', 'guides/limits'] }] },
  })}\n`,
  'index.mdx': '---\ntitle: Welcome\n---\n\nRead about [limits](/guides/limits) first.\n',
  [page]: `---\ntitle: Limits\n---\n\n## Rate limits\n\n${oldText}\n\nMore is answered with 429.\n`,
};

export const correctedPage = (siteFiles[page] ?? '').replace(oldText, newText);

const read = (path: string) => ({ name: 'read_file', input: { path } });
const firstCalls = {
  'one read': [read(page)],
  'two reads': [read('index.mdx'), read(page)],
  'no arguments': [{ name: 'outline', input: {} }],
};
const edit = {
  name: 'edit_file',
  input: { path: page, old: '60 requests per minute – “bursts”', new: '100 requests per minute – “bursts”' },
};
const finish = {
  name: 'finish',
  input: { title, summary: 'The page named the old limit of 60 – it is 100 now.' },
};

/** Decides from what the tools have answered, as a model does. */
export function nextTurn(results: readonly string[], first: Dialect['firstCalls']): ModelTurn {
  const calls = results.some((text) => text.includes(newText))
    ? [finish]
    : results.some((text) => text.includes(oldText))
      ? [edit]
      : results.length === 0
        ? firstCalls[first ?? 'one read']
        : firstCalls['one read'];
  const number = results.length;
  return { number, calls: calls.map((call, index) => ({ ...call, id: `call_${number}_${index}` })) };
}
