import { char, endOf, indexOfEnd, isWord, lineEnd, wordEnd } from './characters.ts';
import type { Table } from './family.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';
import { isLineStart, regexEnd } from './script-lookahead.ts';

const { keyword, number, type, function: call, property, variable } = color;
const slashes = { lineComments: ['//'], blockComments: [['/*', '*/']] } as const;

export const python: Table = {
  words: [
    [
      'and as assert async await break case class continue def del elif else except exec finally for from global if import in is lambda match nonlocal not or pass print raise return try while with yield',
      keyword,
    ],
    ['True False None', number],
    [
      '__import__ abs all any apply ascii bin bool bytearray bytes callable chr classmethod cmp compile complex delattr dict dir divmod enumerate eval file filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals long map max memoryview min next object oct open ord pow property range reduce repr reversed round set setattr slice sorted staticmethod str sum super tuple type unicode vars zip',
      type,
    ],
  ],
  names: [
    ['def', call],
    ['class', type],
  ],
  lineComments: ['#'],
  strings: [
    { open: '"""', isMultiline: true, code: '{', codePrefix: 'f' },
    { open: "'''", isMultiline: true, code: '{', codePrefix: 'f' },
    { open: '"', code: '{', codePrefix: 'f' },
    { open: "'", code: '{', codePrefix: 'f' },
  ],
  prefixes: /^(?:[rubft]|br|rb|fr|rf)$/i,
  special: { signs: '@', read: readDecorator },
};

function readDecorator(_code: string, at: number, to: number): number {
  if (!isLineStart(at)) return 0;
  let end = wordEnd(at + 1, to);
  while (characterAt(end) === char.dot && end < to) end = wordEnd(end + 1, to);
  paint(at, end, color.function);
  return end;
}

export const rust: Table = {
  ...slashes,
  words: [
    [
      'Self abstract as async await become box break const continue crate do dyn else enum extern final fn for if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait try type typeof union unsafe unsized use virtual where while yield bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize str',
      keyword,
    ],
    ['true false', number],
  ],
  names: [
    ['fn', call],
    ['enum struct trait type union mod', type],
  ],
  strings: [{ open: '"', isMultiline: true }],
  calls: call,
  types: 'capitals',
  constants: true,
  scopes: true,
  memberWords: true,
  macros: property,
  sigils: { $: variable },
  prefixes: /^b$/,
  special: { signs: "#'rb", read: readRust },
};

const rustWord = /b?r(#*)"|b?'(?:\\.[^']{0,10}|[^\\\n'])'|'\w+|#!?\[/y;

function readRust(code: string, at: number, to: number): number {
  const character = characterAt(at);
  if (isWord(character) && (isWord(characterAt(at - 1)) || !/["'#]/.test(code.slice(at + 1, at + 3))))
    return 0;
  rustWord.lastIndex = at;
  const found = rustWord.exec(code);
  if (!found) return 0;
  const [text, hashes] = found;
  if (hashes !== undefined) {
    const end = endOf(code, `"${hashes}`, at + text.length, to);
    paint(at, end, color.string);
    return end;
  }
  if (character === char.hash) {
    const end = endOf(code, ']', at, to);
    paint(at, end, color.property);
    return end;
  }
  paint(at, at + text.length, text.endsWith("'") ? color.string : color.number);
  return at + text.length;
}

export const ruby: Table = {
  words: [
    [
      'BEGIN END alias and begin break case class def define_method defined do each else elsif end ensure extend for if in include module new next nil not or prepend private protected public raise redo require require_relative rescue retry return self super then throw undef unless until when while yield',
      keyword,
    ],
    ['true false', number],
  ],
  names: [
    ['def', call],
    ['class module', type],
  ],
  lineComments: ['#'],
  strings: [{ open: '"', code: '#{', isMultiline: true }, { open: "'" }],
  types: 'capitals',
  constants: true,
  keys: number,
  memberWords: true,
  sigils: { '@': variable, $: variable },
  special: { signs: ':/<=%', read: readRuby },
};

const rubyWord =
  /:(?:"[^"\n]*"|[A-Za-z_]\w*[?!]?)|<<[-~]?(["']?)([A-Za-z_]\w*)\1|=begin\b|%[qQiIwWs]?([[({<|])/y;
const closings: Record<string, string> = { '[': ']', '(': ')', '{': '}', '<': '>', '|': '|' };

/** Symbols, here-documents, `=begin` comments, `%` lists and regular expressions. */
function readRuby(code: string, at: number, to: number, lexer: Lexer): number {
  const character = characterAt(at);
  const before = characterAt(at - 1);
  if (character === char.slash) {
    if (isWord(before) || before === char.close || isWord(characterAt(at - 2))) return 0;
    const end = regexEnd(at, to);
    paint(at, end, color.regex);
    return end;
  }
  rubyWord.lastIndex = at;
  const found = before === char.colon ? null : rubyWord.exec(code);
  if (!found) return 0;
  const [text, , mark, bracket] = found;
  if (character === char.colon) {
    paint(at, at + text.length, color.number);
    return at + text.length;
  }
  if (mark !== undefined) return readHereDocument(code, at, at + text.length, to, mark, lexer);
  if (bracket !== undefined) {
    const end = endOf(code, closings[bracket] ?? bracket, at + text.length, to);
    paint(at, end, color.string);
    return end;
  }
  if (before !== char.newline && at > 0) return 0;
  const end = endOf(code, '\n=end', at, to);
  paint(at, end, color.comment);
  return end;
}

/** Bounds the search for the terminator of a here-document, which may also occur in its text. */
const maxTries = 50;

function readHereDocument(
  code: string,
  at: number,
  end: number,
  to: number,
  mark: string,
  lexer: Lexer,
): number {
  const line = lineEnd(code, end, to);
  let close = indexOfEnd(code, mark, line);
  for (let tries = 0; close >= 0 && !isLineStart(close) && tries < maxTries; tries++)
    close = code.indexOf(mark, close + 1);
  if (close < 0 || close >= to || !isLineStart(close)) return 0;
  paint(at, end, color.string);
  lexer(code, end, line);
  const last = close + mark.length;
  paint(line, last, color.string);
  return last;
}

export const php: Table = {
  ...slashes,
  lineComments: ['//', '#'],
  ignoresCase: true,
  words: [
    [
      'abstract and array as bool break callable case catch class clone const continue declare default die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum eval exit extends final finally float fn for foreach function global goto if implements include include_once instanceof insteadof int interface isset iterable list match mixed namespace never new object or parent print private protected public readonly require require_once return self static string switch throw trait try unset use var void while xor yield',
      keyword,
    ],
    ['true false null', number],
  ],
  names: [
    ['function', call],
    ['class enum interface trait extends implements instanceof new', type],
  ],
  strings: [
    { open: '"', isMultiline: true, code: '{$', hasVariables: true },
    { open: "'", isMultiline: true },
    { open: '`', isMultiline: true },
  ],
  calls: call,
  types: 'declarations',
  constants: true,
  scopes: true,
  arrowMembers: property,
  sigils: { $: variable },
  special: { signs: '<?#', read: readPhp },
};

function readPhp(code: string, at: number, to: number): number {
  const tag = /^(?:<\?(?:php|=)?|\?>)/i.exec(code.slice(at, at + 5))?.[0];
  if (tag !== undefined) {
    paint(at, at + tag.length, color.keyword);
    return at + tag.length;
  }
  if (code.startsWith('#[', at)) {
    paint(at, at + 2, color.operator);
    const end = wordEnd(at + 2, to);
    paint(at + 2, end, color.type);
    return end;
  }
  const mark = /^<<<(["']?)(\w{1,60})\1\n/.exec(code.slice(at, at + 70));
  if (!mark) return 0;
  const close = code.indexOf(`\n${mark[2]}`, at);
  const end = close < 0 ? to : Math.min(to, close + 1 + (mark[2]?.length ?? 0));
  paint(at, end, color.string);
  return end;
}

const sqlKeywords =
  'add after all alter always analyze any array as asc auto_increment begin bigint bigserial binary bit blob bool boolean by bytea call ' +
  'cascade case cast char character charset check close cluster clustered coalesce collate column columns comment commit concurrently ' +
  'conflict constraint contains continue convert copy create cross current current_date current_time current_timestamp current_user ' +
  'cursor cycle data database databases date datetime day deallocate decimal declare default deferrable definer delete desc describe ' +
  'deterministic disable distinct do double drop duplicate each else elseif enable end engine enum escape except exec execute exists ' +
  'exit explain extension fetch fields filter fixed float following for force foreign from full function generated global go grant ' +
  'group grouping handler having hour identity if ignore immutable import index inner inout insert int integer intersect interval into ' +
  'invoker isolation join json jsonb key keys language lateral leave left level limit local lock longtext loop match matched ' +
  'materialized mediumint merge minute mode modify month natural next no nothing nullif numeric of off offset on only open option order ' +
  'out outer over owner partial partition policy preceding precision prepare primary privileges procedure public range read real ' +
  'references refresh release rename repeat replace restrict return returning returns revoke right role rollback rollup row rows ' +
  'savepoint schema second security select sequence serial session set share show smallint some start stored table tables tablespace ' +
  'temp temporary text then time timestamp timestamptz tinyint to top transaction trigger truncate type unbounded uncommitted union ' +
  'unique unlock unsigned update use user using uuid value values varbinary varchar varying view virtual when where while window with ' +
  'within without work write year zone';

export const sql: Table = {
  ...slashes,
  lineComments: ['--', '#'],
  ignoresCase: true,
  words: [
    [sqlKeywords, keyword],
    ['true false null', number],
    ['and between div ilike in is like not or regexp rlike xor', color.operator],
  ],
  strings: [
    { open: "'", isMultiline: true },
    { open: '"', isMultiline: true },
  ],
  calls: call,
  sigils: { '@': variable },
};

export const graphql: Table = {
  words: [
    [
      'directive enum extend fragment implements input interface mutation on query repeatable scalar schema subscription type union',
      keyword,
    ],
    ['true false null', number],
    ['Boolean Float ID Int String', type],
  ],
  names: [
    ['fragment mutation query subscription', call],
    ['enum implements interface on scalar type union input', type],
  ],
  lineComments: ['#'],
  strings: [{ open: '"""', isMultiline: true }, { open: '"' }],
  types: 'capitals',
  constants: true,
  sigils: { $: variable, '@': keyword },
  others: property,
};
