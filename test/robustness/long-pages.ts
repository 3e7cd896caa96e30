/** A task on three long pages. The sentence to change is near the end of each, so a page may need several reads. */
import type { ModelTurn } from './dialects/dialect.ts';

const pages = ['guides/alpha.mdx', 'guides/beta.mdx', 'guides/gamma.mdx'];
const pageCharacters = 32_000;
const oldSentence = 'Support answers within five working days.';
const newSentence = 'Support answers within two working days.';

export const longPagesInstruction =
  'Support now answers within two working days instead of five. Correct the pages guides/alpha, guides/beta and guides/gamma.';

export const longPagesSite: Readonly<Record<string, string>> = {
  'docs.json': `${JSON.stringify({
    theme: 'mint',
    name: 'Harbour',
    colors: { primary: '#0f766e' },
    navigation: { groups: [{ group: 'Guides', pages: ['guides/alpha', 'guides/beta', 'guides/gamma'] }] },
  })}\n`,
  ...Object.fromEntries(pages.map((path) => [path, longPage(path)])),
};

function paragraph(path: string, number: number): string {
  const about = `Paragraph ${number} of ${path} explains one more setting of the harbour.`;
  return `${about} It has a default that suits most harbours, so change it only for a reason. A change takes effect at the next start, and the log names the value. If the value is invalid, the start fails with an error that says which values are valid.`;
}

function longPage(path: string): string {
  const lines = ['---', `title: ${path.slice(7, -4)}`, '---', ''];
  let characters = 0;
  for (let number = 1; characters < pageCharacters; number += 1) {
    const line = paragraph(path, number);
    lines.push(line, '');
    characters += line.length + 2;
  }
  return `${lines.toSpliced(-8, 0, oldSentence, '').join('\n')}\n`;
}

function correctedPage(path: string): string {
  return longPage(path).replace(oldSentence, newSentence).trimEnd();
}

export function longPagesProblems(read: (path: string) => string, changed: readonly string[]): string[] {
  return [
    ...pages.flatMap((path) =>
      read(path).trimEnd() === correctedPage(path) ? [] : [`${path} is not corrected`],
    ),
    ...changed.filter((path) => !pages.includes(path)).map((path) => `changed ${path} too`),
  ];
}

/** The model sees only the last results and knows where it is in its work. */
export class LongPagesModel {
  #page = 0;
  #call: ModelTurn['calls'][number] | undefined;
  #turns = 0;

  /** Requests that the server refuses must not reach it. */
  next(results: readonly string[]): ModelTurn {
    const call = this.#nextCall(results.join('\n'));
    this.#call = call;
    this.#turns += 1;
    return { calls: [call], number: this.#turns };
  }

  #nextCall(result: string): ModelTurn['calls'][number] {
    const edited = this.#call?.name === 'edit_file' && result.includes(newSentence);
    if (edited) this.#page += 1;
    const path = pages[this.#page];
    const id = `call_${this.#turns}`;
    if (path === undefined) {
      const input = {
        title: 'Correct the response time',
        summary: 'Three pages named the old response time.',
      };
      return { id, name: 'finish', input };
    }
    if (!edited && result.includes(oldSentence)) {
      return { id, name: 'edit_file', input: { path, old: oldSentence, new: newSentence } };
    }
    const offset = edited ? undefined : nextOffset(result);
    return { id, name: 'read_file', input: { path, ...(offset === undefined ? {} : { offset }) } };
  }
}

/** A partial read names the line at which to continue. */
function nextOffset(result: string): number | undefined {
  const named = result
    .split('offset ')
    .at(-1)
    ?.split(/[^0-9]/, 1)[0];
  return result.includes('offset ') && named !== undefined && named !== '' ? Number(named) : undefined;
}
