/** Finds mentions where a reader sees them as such: not in code, quotes or hidden text. */

/** Works with every project, also where the account of the forge has another name. */
export const mentionName = 'docyard';

export function mentions(body: string, names: readonly string[]): boolean {
  const text = visibleText(body).toLowerCase();
  return names.some((name) => hasMention(text, name.toLowerCase()));
}

/** Whether a mention of any account is possible, which only the forge can judge. */
export function hasAnyMention(body: string): boolean {
  return visibleText(body).includes('@');
}

function hasMention(text: string, name: string): boolean {
  const mention = `@${name}`;
  for (let at = text.indexOf(mention); at !== -1; at = text.indexOf(mention, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + mention.length] ?? ' ';
    if (!/[\w@./-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

function visibleText(body: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of withoutHiddenText(body).split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    const isQuote = /^\s{0,3}>/.test(line);
    const isCode = /^(?: {4}|\t)/.test(line);
    if (!isQuote && !isCode) lines.push(line);
  }
  return withoutCodeSpans(lines.join('\n'));
}

function withoutHiddenText(body: string): string {
  let text = body;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--')) {
    const end = text.indexOf('-->', start);
    text = text.slice(0, start) + (end === -1 ? '' : text.slice(end + 3));
  }
  return text;
}

/** A span ends at the next run of as many backticks as it began with. */
function withoutCodeSpans(text: string): string {
  const parts = text.split(/(`+)/);
  let visible = '';
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? '';
    const end = part.startsWith('`') ? parts.indexOf(part, index + 1) : -1;
    if (end === -1) visible += part;
    else index = end;
  }
  return visible;
}
