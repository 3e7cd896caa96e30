/** Lexes shell commands with prompts, here-documents and placeholders. */
import { char, endOf, indexOfEnd, isDigit, isSpace, lineEnd, Words } from './characters.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

const words = new Words([
  ['case do done elif else esac fi for function if in select then until while', color.keyword],
  ['true false', color.number],
  [
    'alias bind break builtin cd command continue declare echo eval exec exit export getopts hash help let local logout printf pwd read readonly return set shift source test trap type typeset ulimit umask unalias unset',
    color.type,
  ],
  [
    'add apt apt-get awk aws az basename bash brew bun bunx bundle cargo cat chmod chown clear composer cp cron crontab curl cut date dd deno df diff dig dirname docker docker-compose dotnet du env expr fastmcp ffmpeg file find gcloud gem gh git go gradle grep gzip head helm history host hostname id install ip java jobs join jq kill kubectl less ln ls lsof make man mkdir more mount mv mvn mysql nano nc netstat nice node nohup npm npx open openssl passwd php ping pip pip3 pipx pnpm podman poetry printenv ps psql pwsh python python3 rails reboot redis-cli rm rmdir rsync ruby rustup scp screen sed seq service sh shutdown sleep sort ssh ssh-keygen stat su sudo sum sync systemctl tail tar tee terraform time timeout top touch tr traceroute uname uniq unzip uptime users uv uvx vercel vi vim wait watch wc wget which who whoami xargs yarn yes zip zsh',
    color.function,
  ],
]);

const placeholder = /<[a-z][\w.-]*(?:[ ][\w.-]+){0,5}>/iy;
const hereDocument = /<<-?\s*(["']?)(\w+)\1/y;
const option = /--?[A-Za-z0-9][\w.:-]*(?=[=\s]|$)/y;
const assignment = /[A-Za-z_]\w*(?=\+?=)/y;
const dotted = /\d+(?:\.\d+)+(?!\S)/y;
const maxDepth = 3;

export const shell: Lexer = (code, from, to) => readCommands(code, from, to, 0);

function readCommands(code: string, from: number, to: number, depth: number): void {
  let at = from;
  let isStart = true;
  while (at < to) {
    const character = characterAt(at);
    let end = at + 1;
    if (isSpace(character)) {
      isStart = true;
      at++;
      continue;
    }
    if (character === char.hash && isStart) {
      end = lineEnd(code, at, to);
      paint(at, end, color.comment);
    } else if (character === char.doubleQuote) end = readDoubleQuoted(code, at, to, depth);
    else if (character === char.singleQuote) end = readSingleQuoted(code, at, to);
    else if (character === char.dollar || character === char.backtick)
      end = readVariable(code, at, to, depth);
    else if (character === char.backslash) {
      paint(at, end, color.operator);
      if (characterAt(end) !== char.newline) end++;
    } else if (character === char.less) end = readLess(code, at, to, depth);
    else if (character === char.minus && isStart) end = matched(option, code, at, to, color.property);
    else if (isNamePart(character)) end = isStart ? readWord(code, at, to) : wordEnd(at, to);
    else if ('|&>=!(){}[];+'.includes(code.charAt(at))) paint(at, end, color.operator);
    isStart = '|&;('.includes(code.charAt(end - 1));
    at = end;
  }
}

function isNamePart(character: number): boolean {
  return (
    (character >= 97 && character <= 122) ||
    (character >= 65 && character <= 90) ||
    isDigit(character) ||
    character === char.underscore ||
    character === char.minus ||
    character >= 128
  );
}

function wordEnd(from: number, to: number): number {
  let at = from;
  while (at < to && isNamePart(characterAt(at))) at++;
  return at;
}

/** Paints a match at this position; skips one character when there is none. */
function matched(pattern: RegExp, code: string, at: number, to: number, painted: number): number {
  pattern.lastIndex = at;
  const found = pattern.exec(code);
  if (!found || at + found[0].length > to) return at + 1;
  paint(at, at + found[0].length, painted);
  return at + found[0].length;
}

function readWord(code: string, at: number, to: number): number {
  const end = wordEnd(at, to);
  const next = characterAt(end);
  if (next === char.equals || next === char.plus)
    return Math.max(matched(assignment, code, at, to, color.variable), end);
  const isWhole = end === to || isSpace(next) || ')|;&'.includes(code.charAt(end));
  if (isWhole) paint(at, end, isNumber(at, end) ? color.number : words.colorOf(code, at, end));
  else if (next === char.dot && isNumber(at, end)) return matched(dotted, code, at, to, color.number);
  return end;
}

function isNumber(from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isDigit(characterAt(at))) return false;
  return true;
}

function readSingleQuoted(code: string, at: number, to: number): number {
  const close = code.indexOf("'", at + 1);
  if (close < 0 || close >= to) return at + 1;
  paint(at, close + 1, color.string);
  return close + 1;
}

function readDoubleQuoted(code: string, at: number, to: number, depth: number): number {
  let end = at + 1;
  while (end < to && characterAt(end) !== char.doubleQuote)
    if (characterAt(end) === char.backslash) end += 2;
    else if (characterAt(end) === char.dollar && characterAt(end + 1) === char.open)
      end = Math.max(bracketEnd(end + 2, to), end) + 1;
    else end++;
  /** An unterminated quote is an ordinary character, unless scanning the rest is expensive. */
  if (end >= to && to - at < 2000) return at + 1;
  end = Math.min(end + 1, to);
  paint(at, end, color.string);
  paintExpansions(code, at + 1, end - 1, depth);
  return end;
}

function paintExpansions(code: string, from: number, to: number, depth: number): void {
  for (let at = from; at < to;) {
    const character = characterAt(at);
    if (character === char.backslash) {
      paint(
        at,
        Math.min(at + 2, to),
        /[abcefnrtv\\"]/.test(code.charAt(at + 1)) ? color.number : color.string,
      );
      at += 2;
    } else if (character === char.dollar || character === char.backtick)
      at = readVariable(code, at, to, depth);
    else at++;
  }
}

/** `$a`, `${a}`, `$(command)` and commands in backticks. */
function readVariable(code: string, at: number, to: number, depth: number): number {
  const next = characterAt(at + 1);
  if (characterAt(at) === char.backtick || next === char.open) {
    const inner = next === char.open ? at + 2 : at + 1;
    const close = next === char.open ? bracketEnd(inner, to) : code.indexOf('`', inner);
    if (close < inner || close >= to) return at + 1;
    paint(at, close + 1, color.plain);
    paint(at, inner, color.variable);
    paint(close, close + 1, color.variable);
    if (depth < maxDepth) readCommands(code, inner, close, depth + 1);
    return close + 1;
  }
  let end = at + 1;
  if (next === char.openBrace) end = Math.min(endOf(code, '}', at, to), lineEnd(code, at, to));
  else if (next === char.singleQuote) return at + 1;
  else {
    while (end < to && isNamePart(characterAt(end)) && characterAt(end) !== char.minus) end++;
    if (end === at + 1 && '#?*!@$'.includes(code.charAt(end)) && end < to) end++;
  }
  if (end > at + 1) paint(at, end, color.variable);
  return end;
}

const maxCommandCharacters = 500;

function bracketEnd(from: number, to: number): number {
  let depth = 1;
  const last = Math.min(to, from + maxCommandCharacters);
  for (let at = from; at < last; at++) {
    const character = characterAt(at);
    if (character === char.open) depth++;
    else if (character === char.close && --depth === 0) return at;
  }
  return -1;
}

function readLess(code: string, at: number, to: number, depth: number): number {
  hereDocument.lastIndex = at;
  const here = characterAt(at + 1) === char.less ? hereDocument.exec(code) : null;
  if (!here) {
    const end = matched(placeholder, code, at, to, color.variable);
    if (end === at + 1) paint(at, end, color.operator);
    return end;
  }
  const mark = here[2] ?? '';
  const line = lineEnd(code, at, to);
  const close = indexOfEnd(code, `\n${mark}`, line);
  if (close < 0 || close >= to) return at + here[0].length;
  const open = at + here[0].length;
  paint(at, open, color.operator);
  paint(open - mark.length - (here[1] ? 1 : 0), open, color.string);
  if (depth < maxDepth) readCommands(code, open, line, depth + 1);
  const end = Math.min(to, close + 1 + mark.length);
  paint(line, end, color.string);
  if (!here[1]) paintExpansions(code, line, close, depth);
  return end;
}
