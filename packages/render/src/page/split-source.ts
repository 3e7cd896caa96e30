/**
 * Splits a source file into front matter and body. It reads neither: render processes need only the body, and the
 * YAML library is half of the files they would load.
 */
interface SplitSource {
  /** Raw text between the fences; undefined when the file has none. */
  matter: string | undefined;
  body: string;
  /** How many lines stand before the body, so that positions can be told in lines of the file. */
  linesBefore: number;
}

export function splitFrontMatter(source: string): SplitSource {
  const none = { matter: undefined, body: source, linesBefore: 0 };
  const open = /^(?:[ \t]*\n)*(---|\+\+\+)[ \t]*\n/.exec(source);
  if (!open) return none;
  const fence = open[1] === '---' ? '---' : '\\+\\+\\+';
  const close = new RegExp(`^${fence}[ \\t]*$`, 'm').exec(source.slice(open[0].length));
  if (!close) return none;
  const matter = source.slice(open[0].length, open[0].length + close.index);
  if (!looksLikeMatter(matter)) return none;
  const end = open[0].length + close.index + close[0].length;
  return {
    matter,
    body: source.slice(end).replace(/^\n/, ''),
    linesBefore: source.slice(0, end).split('\n').length - 1 + (source[end] === '\n' ? 1 : 0),
  };
}

const maximumKey = 200;

/** A file may begin with `---` as a rule: then the text up to the next rule is prose, not keys. */
function looksLikeMatter(matter: string): boolean {
  if (matter.trim() === '') return true;
  const line = matter.split('\n').find((text) => text.trim() !== '' && !text.startsWith('#')) ?? '';
  // A key is short, and looking for one in a line of 400,000 spaces took minutes.
  const first = line.slice(0, maximumKey);
  if (/^["']?[\w$][\w :.-]*?["']?\s*[:=](?:\s|$)/.test(first)) return true;
  const isOneLine = matter.trim().split('\n').length === 1;
  return isOneLine && !/^\s*\n/.test(matter) && !/^[#<>*-]/.test(first);
}
