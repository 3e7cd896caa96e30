/**
 * Sanitizes untrusted text for forges: no mentions, no closed issues, no commands, no links, no markup. It does
 * not judge what the text says.
 */

export function sanitizeMarkdown(text: string, maxCharacters: number): string {
  const lines = clean(text, maxCharacters).split('\n');
  return lines.map((line) => sanitizeMarkdownLine(line)).join('\n');
}

export function sanitizeMarkdownLine(line: string, maxCharacters = 2000): string {
  const text = clean(line, maxCharacters).replaceAll(/\s+/g, ' ');
  const [, mark = '', rest = ''] = /^((?:[-*+]|\d{1,3}[.)]) )?(.*)$/.exec(text) ?? [];
  return mark.replace(/^[*+]/, '-') + escapeLineStart(sanitizeSpans(rest));
}

/** For commit messages, where forges read commands but no Markdown. */
export function sanitizePlainText(text: string, maxCharacters: number): string {
  const lines = clean(text, maxCharacters).split('\n');
  return lines.map((line) => sanitizePlainTextLine(line)).join('\n');
}

export function sanitizePlainTextLine(line: string): string {
  return (
    line
      .trim()
      .replaceAll(address, (found) => `‹${hostIn(found)}›`)
      .replaceAll(/[<>]/g, (bracket) => (bracket === '<' ? '‹' : '›'))
      .replaceAll(/[@#](?=\S)|!(?=\d)/g, '$& ')
      .replaceAll(shortReference, '$1 ')
      .replaceAll(trackerReference, '$1$2 ')
      .replaceAll(/\[(?:[^[\]]{0,40}\bci\b[^[\]]{0,40}|[^[\]]{0,20}\bactions\b[^[\]]{0,20})\]/gi, '')
      .replaceAll(/\*{2,}/g, '')
      // The replacements above may have joined a new `://`.
      .replaceAll('://', ': //')
      .replace(/^(?=\/)/, '- ')
      .replace(/^([A-Za-z][\w-]*):(?=\s|$)/, '$1 –')
  );
}

/** A code span; forges interpret nothing in it. */
export function sanitizeCode(text: string, maxCharacters = 200): string {
  const plain = truncate(
    clean(text, maxCharacters).replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim(),
    maxCharacters,
  );
  return plain === '' ? '' : `\`${plain.replaceAll('|', '\\|')}\``;
}

/** Forges also link an address after punctuation such as an underscore. */
const address = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s<>`"'“”]{0,2000}|(?<![a-z0-9])www\.[^\s<>`"'“”]{1,2000}/gi;
/** `GH-12` references an issue. */
const shortReference = /(?<![a-z0-9])(GH)-(?=\d)/gi;
/** `fixes ABC-12` closes an issue of another tracker. */
const trackerReference =
  /(?<![a-z0-9])((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?|reopen(?:s|ed|ing)?)\b\W{1,5}(?:issues?\W{1,5})?)([a-z][a-z0-9_]{0,30})-(?=\d)/gi;

function hostIn(found: string): string {
  const host = found
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/^www\./i, '');
  return host.replaceAll(/[^\p{L}\p{N}.-]/gu, '') || 'address';
}

function clean(text: string, maxCharacters: number): string {
  const visible = text
    .slice(0, maxCharacters * 4)
    .normalize('NFC')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return truncate(visible, maxCharacters);
}

function truncate(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // Never splits a surrogate pair.
  return `${text.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function sanitizeSpans(text: string): string {
  const parts = text.split(/`([^`]+)`/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return sanitizeAddresses(part);
      return isHarmlessCode(part) ? sanitizeCode(part) : `\\\`${sanitizeAddresses(part)}\\\``;
    })
    .join('');
}

/** A merge copies the text into a commit message, where `fixes #1` counts even in a code span. */
function isHarmlessCode(text: string): boolean {
  return (
    text.trim() !== '' &&
    !/[#!]\w|\bGH-\d|\/\/|\[/i.test(text) &&
    text.replaceAll(trackerReference, '') === text
  );
}

function sanitizeAddresses(text: string): string {
  let result = '';
  let last = 0;
  for (const found of text.matchAll(address)) {
    const url = found[0].replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '');
    result += escapeMarkdown(text.slice(last, found.index)) + sanitizeCode(url.replace(/#.*/s, ''), 100);
    last = found.index + url.length;
  }
  return result + escapeMarkdown(text.slice(last));
}

/** Invisible to readers, visible in the source. */
const zeroWidth = '&zwnj;';

function escapeMarkdown(text: string): string {
  return withoutReferences(
    text
      .replaceAll(/[&<>$]/g, (character) => entities[character] ?? '')
      .replaceAll(/[\\`*_{}[\]~|]/g, '\\$&'),
  );
}

export function withoutReferences(markdown: string): string {
  return markdown
    .replaceAll(/[@#](?=[^\s#])|!(?=\d)/g, `$&${zeroWidth}`)
    .replaceAll(shortReference, `$1${zeroWidth}-`)
    .replaceAll(trackerReference, `$1$2${zeroWidth}-`);
}

/** Link texts and addresses stay as text. */
export function withoutLinks(markdown: string): string {
  return markdown
    .replaceAll(/\](?=[(:[])/g, ']\\')
    .replaceAll('://', `:${zeroWidth}//`)
    .replaceAll(/(?<![a-z0-9])www\.(?=\S)/gi, (found) => `${found.slice(0, 3)}${zeroWidth}.`);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', $: '&dollar;' };

/** Escapes headings, rules, commands and trailers, which count only at the start of a line. */
function escapeLineStart(line: string): string {
  return line.replace(/^[#=+\-/]/, '\\$&').replace(/^([A-Za-z][\w-]*-by|skip-checks):/i, '$1&colon;');
}
