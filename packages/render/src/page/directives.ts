/**
 * Callouts in the way other tools write them, `:::note Title` … `:::`, turned into elements before parsing. Lines keep
 * their numbers; a page on which the marks do not pair up is left as it is.
 */
import { rewriteProse } from './prose.ts';

const elements: Record<string, string> = {
  note: 'Note',
  info: 'Info',
  tip: 'Tip',
  hint: 'Tip',
  success: 'Check',
  check: 'Check',
  important: 'Info',
  warning: 'Warning',
  caution: 'Warning',
  danger: 'Danger',
  error: 'Danger',
  details: 'Accordion',
};

const opening =
  /^([ \t]*(?:>[ \t]*)*):{3,}[ \t]*([a-z]+)(?:\[([^\]\n]*)\]|[ \t]+([^\n{]*?))?[ \t]*(?:\{[^}\n]*\})?[ \t]*$/i;
const closing = /^([ \t]*(?:>[ \t]*)*):{3,}[ \t]*$/;

export function directivesToElements(source: string): string {
  if (!source.includes(':::')) return source;
  const open: string[] = [];
  let paired = true;
  const result = rewriteProse(source, (prose) =>
    prose
      .split('\n')
      .map((line) => {
        const begin = opening.exec(line);
        const name = elements[begin?.[2]?.toLowerCase() ?? ''];
        if (begin && name) {
          open.push(name);
          const title = (begin[3] ?? begin[4] ?? '').trim().replaceAll('"', '&quot;');
          return `${begin[1]}<${name}${title ? ` title="${title}"` : ''}>`;
        }
        const end = closing.exec(line);
        if (!end || open.length === 0) {
          if (begin || end) paired = false;
          return line;
        }
        return `${end[1]}</${open.pop()}>`;
      })
      .join('\n'),
  );
  return paired && open.length === 0 ? result : source;
}
