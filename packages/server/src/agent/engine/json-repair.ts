/** Reads JSON with the mistakes that models make, if only one reading is possible. */
import { parse, type ParseError } from 'jsonc-parser';

/** Undefined if the text has no single reading, for example because its end is missing. */
export function repairedJson(text: string): unknown {
  const valid = validJson(text);
  if (valid !== undefined) return valid;
  const bare = withoutWrapping(text);
  return parsed(withEscapes(bare)) ?? parsed(withDoubleQuotes(bare));
}

function validJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An open list may have lost items, so only the last brace may be missing, after a complete value. */
function parsed(text: string): unknown {
  const isCut = /["}\]]$/.test(text) && failsToParse(text);
  const errors: ParseError[] = [];
  const value: unknown = parse(isCut ? `${text}}` : text, errors, options);
  return errors.length === 0 ? value : undefined;
}

function failsToParse(text: string): boolean {
  const errors: ParseError[] = [];
  parse(text, errors, options);
  return errors.length > 0;
}

const options = { allowTrailingComma: true, disallowComments: true };

/** Without fences, tags and semicolons around the value. */
function withoutWrapping(text: string): string {
  let rest = text.trim();
  for (;;) {
    const [start = ''] = /^(?:```(?:json)?|<\/?[a-z_|:]{1,40}>)/i.exec(rest) ?? [];
    const inner = rest.slice(start.length, rest.length - endingOf(rest)).trim();
    if (inner === rest || inner === '') return rest;
    rest = inner;
  }
}

function endingOf(text: string): number {
  if (text.endsWith('```')) return 3;
  if (text.endsWith(';')) return 1;
  const tag = text.endsWith('>') ? text.slice(text.lastIndexOf('<')) : '';
  return /^<\/?[a-z_|:]{1,40}>$/i.test(tag) ? tag.length : 0;
}

/** Line breaks inside strings become escapes, and escapes that JSON does not have become their text. */
function withEscapes(text: string): string {
  let result = '';
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '"') isInString = !isInString;
    if (isInString && letter === '\\') {
      const next = text.charAt((at += 1));
      if (next === "'") result += next;
      else result += escaped.includes(next) ? letter + next : `\\\\${next}`;
    } else result += isInString && letter < ' ' ? JSON.stringify(letter).slice(1, -1) : letter;
  }
  return result;
}

const escaped = '"\\/bfnrtu';

/** Python prints text in single quotes. Without double quotes and escapes, they can mean nothing else. */
function withDoubleQuotes(text: string): string {
  return /["\\]/.test(text) ? '' : text.replaceAll("'", '"');
}
