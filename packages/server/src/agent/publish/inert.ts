/**
 * Makes text that a stranger may have written harmless where forges read it: nobody is mentioned, no issue is closed, no
 * command is given, no address is linked, nothing is markup. It does not judge what the text says.
 */

/** Text for Markdown, over several lines. Lists and short pieces of code keep their form, everything else is text. */
export function inertMarkdown(text: string, mostCharacters: number): string {
  const lines = cleaned(text, mostCharacters).split('\n');
  return lines.map((line) => inertMarkdownLine(line)).join('\n');
}

/** One line of Markdown, also for a cell of a table. */
export function inertMarkdownLine(line: string, mostCharacters = 2000): string {
  const text = cleaned(line, mostCharacters).replaceAll(/\s+/g, ' ');
  const [, mark = '', rest = ''] = /^((?:[-*+]|\d{1,3}[.)]) )?(.*)$/.exec(text) ?? [];
  return mark.replace(/^[*+]/, '-') + atLineStart(withCode(rest));
}

/** Text for a commit message, where Markdown is not read but commands are. */
export function inertPlain(text: string, mostCharacters: number): string {
  const lines = cleaned(text, mostCharacters).split('\n');
  return lines.map((line) => inertPlainLine(line)).join('\n');
}

export function inertPlainLine(line: string): string {
  return (
    line
      .trim()
      // Only the host is left of an address, so that there is nothing to follow.
      .replaceAll(address, (found) => `‹${hostIn(found)}›`)
      .replaceAll(/[<>]/g, (bracket) => (bracket === '<' ? '‹' : '›'))
      .replaceAll(/[@#](?=\S)|!(?=\d)/g, '$& ')
      .replaceAll(shortReference, '$1 ')
      .replaceAll(foreignReference, '$1$2 ')
      .replaceAll(/\[(?:[^[\]]{0,40}\bci\b[^[\]]{0,40}|[^[\]]{0,20}\bactions\b[^[\]]{0,20})\]/gi, '')
      .replaceAll(/\*{2,}/g, '')
      // What is left of it has no scheme, or has come together by what was taken out in between.
      .replaceAll('://', ': //')
      .replace(/^(?=\/)/, '- ')
      .replace(/^([A-Za-z][\w-]*):(?=\s|$)/, '$1 –')
  );
}

/** A piece of code; it may hold anything, since nothing in it is read. */
export function inertCode(text: string, mostCharacters = 200): string {
  const plain = cut(
    cleaned(text, mostCharacters).replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim(),
    mostCharacters,
  );
  return plain === '' ? '' : `\`${plain.replaceAll('|', '\\|')}\``;
}

/** Forges link an address also right after a mark such as an underscore. */
const address = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>`"'“”]{0,2000}|(?<![a-z0-9])www\.[^\s<>`"'“”]{1,2000}/gi;
/** `GH-12` is an issue. */
const shortReference = /(?<![a-z0-9])(GH)-(?=\d)/gi;
/** `fixes ABC-12` closes an issue of another tracker. */
const foreignReference =
  /(?<![a-z0-9])((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?|reopen(?:s|ed|ing)?)\b\W{1,5}(?:issues?\W{1,5})?)([a-z][a-z0-9_]{0,30})-(?=\d)/gi;

function hostIn(found: string): string {
  const host = found
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/^www\./i, '');
  return host.replaceAll(/[^\p{L}\p{N}.-]/gu, '') || 'address';
}

/** Without whatever is not seen, and not without end. */
function cleaned(text: string, mostCharacters: number): string {
  const visible = text
    .slice(0, mostCharacters * 4)
    .normalize('NFC')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return cut(visible, mostCharacters);
}

function cut(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  // Not through the middle of a character that is written as two.
  return `${text.slice(0, mostCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function withCode(text: string): string {
  const parts = text.split(/`([^`]+)`/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return withAddresses(part);
      return isHarmlessCode(part) ? inertCode(part) : `\\\`${withAddresses(part)}\\\``;
    })
    .join('');
}

/** A merged pull request puts its text into a commit, where code is not known and `fixes #1` in it would count. */
function isHarmlessCode(text: string): boolean {
  return (
    text.trim() !== '' &&
    !/[#!]\w|\bGH-\d|\/\/|\[/i.test(text) &&
    text.replaceAll(foreignReference, '') === text
  );
}

function withAddresses(text: string): string {
  let result = '';
  let last = 0;
  for (const found of text.matchAll(address)) {
    const url = found[0].replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '');
    result += escaped(text.slice(last, found.index)) + inertCode(url.replace(/#.*/s, ''), 100);
    last = found.index + url.length;
  }
  return result + escaped(text.slice(last));
}

/** A character that is not seen, written so that people see it in the source. */
const nothing = '&zwnj;';

function escaped(text: string): string {
  return withoutReferences(
    text
      .replaceAll(/[&<>$]/g, (character) => entities[character] ?? '')
      .replaceAll(/[\\`*_{}[\]~|]/g, '\\$&'),
  );
}

/** Markdown in which no user is mentioned and no issue is referenced; headings stay. */
export function withoutReferences(markdown: string): string {
  return markdown
    .replaceAll(/[@#](?=[^\s#])|!(?=\d)/g, `$&${nothing}`)
    .replaceAll(shortReference, `$1${nothing}-`)
    .replaceAll(foreignReference, `$1$2${nothing}-`);
}

/** Markdown without links: their texts and addresses stay as text. */
export function withoutLinks(markdown: string): string {
  return markdown
    .replaceAll(/\](?=[(:[])/g, ']\\')
    .replaceAll('://', `:${nothing}//`)
    .replaceAll(/(?<![a-z0-9])www\.(?=\S)/gi, (found) => `${found.slice(0, 3)}${nothing}.`);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', $: '&dollar;' };

/** What only has a meaning at the start of a line: headings, rules, commands, trailers. */
function atLineStart(line: string): string {
  return line.replace(/^[#=+\-/]/, '\\$&').replace(/^([A-Za-z][\w-]*-by|skip-checks):/i, '$1&colon;');
}
