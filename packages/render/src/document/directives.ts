/**
 * Converts callout directives, `:::note Title` … `:::`, to elements before parsing. Line numbers stay; a page
 * with unbalanced directives is unchanged.
 */
import { rewriteOutsideFences } from '../text/prose.ts';

const elements: Record<string, string> = {
  note: 'Note',
  info: 'Info',
  tip: 'Tip',
  hint: 'Tip',
  success: 'Check',
  check: 'Check',
  important: 'Info',
  warning: 'Warning',
  attention: 'Warning',
  caution: 'Warning',
  danger: 'Danger',
  error: 'Danger',
  details: 'Accordion',
};

const opening =
  /^([ \t]*(?:>[ \t]*)*):{3,}[ \t]*([a-z]+)(?:\[([^\]\n]*)\]|[ \t]+([^\n{]*?))?[ \t]*(?:\{([^}\n]*)\})?[ \t]*$/i;
const closing = /^([ \t]*(?:>[ \t]*)*):{3,}[ \t]*$/;
const titleAttribute = /(?:^|\s)title=(?:"([^"]*)"|'([^']*)')/;

export function directivesToElements(source: string): string {
  if (!source.includes(':::')) return source;
  /** Undefined for directives that are not callouts, which keep their lines. */
  const open: (string | undefined)[] = [];
  let paired = true;
  const rewriteLine = (line: string): string => {
    if (!line.includes(':::')) return line;
    const spaced = line.replaceAll(/&nbsp;|\u{a0}/gu, ' ');
    const begin = opening.exec(spaced);
    if (begin) {
      const name = elements[begin[2]?.toLowerCase() ?? ''];
      open.push(name);
      return name === undefined ? line : `${begin[1]}<${name}${titleOf(begin)}>`;
    }
    const end = closing.exec(spaced);
    if (!end) return line;
    if (open.length === 0) paired = false;
    const name = open.pop();
    return name === undefined ? line : `${end[1]}</${name}>`;
  };
  const result = rewriteOutsideFences(source, (prose) => prose.split('\n').map(rewriteLine).join('\n'));
  return paired && open.length === 0 ? result : source;
}

/** The title is Markdown, so its decoded entities must not become markup. */
function titleOf(begin: RegExpExecArray): string {
  const attribute = titleAttribute.exec(begin[5] ?? '');
  const title = (begin[3] ?? (begin[4] || undefined) ?? attribute?.[1] ?? attribute?.[2] ?? '').trim();
  return title ? ` title="${title.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"` : '';
}
