import { char, isWord, lineEnd, skipBlanks, stringEnd, wordEnd } from './characters.ts';
import type { Table } from './family.ts';
import { characterAt, color, type Lexer, paint } from './paint.ts';

const { keyword, number, type, function: call, property } = color;
const slashes = { lineComments: ['//'], blockComments: [['/*', '*/']] } as const;
const quotes = [{ open: '"' }, { open: "'" }] as const;

export const go: Table = {
  ...slashes,
  words: [
    [
      'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var',
      keyword,
    ],
    ['_ false iota nil true', number],
    [
      'any append bool byte cap close complex complex64 complex128 copy delete error float32 float64 int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 imag len make new panic print println real recover rune string uintptr',
      type,
    ],
  ],
  strings: [...quotes, { open: '`', isMultiline: true, isRaw: true }],
  calls: call,
};

export const java: Table = {
  ...slashes,
  words: [
    [
      'abstract assert boolean break byte case catch char class const continue default do double else enum exports extends final finally float for goto if implements import instanceof int interface long module native new null open opens package permits private protected provides public record requires return sealed short static strictfp super switch synchronized this throw throws transient transitive try uses var void volatile while yield',
      keyword,
    ],
    ['true false', number],
  ],
  names: [['class enum extends implements instanceof interface new record throws import package', type]],
  strings: [{ open: '"""', isMultiline: true }, ...quotes],
  calls: call,
  types: 'capitals',
  constants: true,
  sigils: { '@': call },
  memberWords: true,
};

export const kotlin: Table = {
  ...slashes,
  words: [
    [
      'abstract actual annotation as break by catch class companion const constructor continue crossinline data do dynamic else enum expect external final finally for fun get if import in infix init inline inner interface internal is lateinit noinline null object open operator out override package private protected public reified return sealed set super suspend tailrec this throw to try typealias val var vararg when where while',
      keyword,
    ],
    ['true false', number],
  ],
  names: [
    ['fun', call],
    ['class interface object typealias import package', type],
  ],
  strings: [
    { open: '"""', isMultiline: true, isRaw: true, code: '${', hasVariables: true },
    { open: '"', code: '${', hasVariables: true },
    { open: "'" },
  ],
  calls: call,
  types: 'capitals',
  constants: true,
  sigils: { '@': call },
};

export const swift: Table = {
  ...slashes,
  words: [
    [
      'Any Protocol Self Type actor as associatedtype async await break case catch class continue convenience default defer deinit didSet do dynamic else enum extension fallthrough fileprivate final for func get guard if import in indirect infix init inout internal is isolated lazy let mutating nonisolated nonmutating open operator optional override postfix precedencegroup prefix private protocol public repeat required rethrows return self set some static struct subscript super switch throw throws try typealias unowned var weak where while willSet _',
      keyword,
    ],
    ['true false nil', number],
  ],
  names: [
    ['func', call],
    ['class struct enum protocol extension actor typealias', type],
  ],
  strings: [
    { open: '"""', isMultiline: true, code: '\\(' },
    { open: '"', code: '\\(' },
  ],
  calls: call,
  types: 'capitals',
  constants: true,
  sigils: { '@': keyword, '#': property },
};

export const dart: Table = {
  ...slashes,
  words: [
    [
      'abstract as assert async await base break case catch class const continue covariant default deferred do dynamic else enum export extends extension external factory final finally for get hide if implements import in interface is late library mixin new null on operator part required return sealed set show static super switch sync this throw try typedef var void when while with yield',
      keyword,
    ],
    ['true false', number],
  ],
  names: [['class enum extends implements new mixin', type]],
  strings: [
    { open: '"""', isMultiline: true, code: '${', hasVariables: true },
    { open: "'''", isMultiline: true, code: '${', hasVariables: true },
    { open: '"', code: '${', hasVariables: true },
    { open: "'", code: '${', hasVariables: true },
  ],
  calls: call,
  types: 'capitals',
  constants: true,
  sigils: { '@': call },
};

const cWords =
  'asm auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef typeof union unsigned void volatile while';

export const c: Table = {
  ...slashes,
  words: [
    [
      `${cWords} _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local`,
      keyword,
    ],
    ['EOF NULL SEEK_CUR SEEK_END SEEK_SET stderr stdin stdout true false __FILE__ __LINE__ __func__', number],
    ['size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t bool', type],
  ],
  names: [['enum struct union', type]],
  strings: quotes,
  calls: call,
  special: { signs: '#', read: readDirective },
};

export const cpp: Table = {
  ...slashes,
  words: [
    [
      `${cWords} alignas alignof bool catch class co_await co_return co_yield concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export final friend import module mutable namespace new noexcept nullptr operator override private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid typename using virtual wchar_t char8_t char16_t char32_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t`,
      keyword,
    ],
    ['true false EOF NULL stderr stdin stdout', number],
  ],
  names: [['class concept enum struct typename', type]],
  strings: quotes,
  calls: call,
  types: 'declarations',
  special: { signs: '#R', read: readDirective },
};

export const csharp: Table = {
  ...slashes,
  words: [
    [
      'abstract add alias and as ascending async await base bool break by byte case catch char checked class const continue decimal default delegate descending do double dynamic else enum event explicit extern false finally fixed float for foreach from get global goto group if implicit in init int interface internal into is join let lock long nameof namespace new not notnull null object on operator or orderby out override params partial private protected public readonly record ref remove required return sbyte sealed select set short sizeof stackalloc static string struct switch this throw try typeof uint ulong unchecked unmanaged unsafe ushort using value var virtual void volatile when where while with yield',
      keyword,
    ],
    ['true false', number],
  ],
  names: [['class enum interface record struct new namespace using is as', type]],
  strings: [{ open: '"""', isMultiline: true, isRaw: true }, { open: '"' }, { open: "'" }],
  calls: call,
  types: 'declarations',
  special: { signs: '#$@[', read: readSharp },
};

/** `#include <a>`: the directive is a keyword and the included file a string. */
function readDirective(code: string, at: number, to: number): number {
  if (characterAt(at) !== char.hash) return readRawString(code, at, to);
  const word = skipBlanks(at + 1, to);
  const end = wordEnd(word, to);
  if (end === word) return 0;
  paint(at, end, color.keyword);
  const name = skipBlanks(end, to);
  if (characterAt(name) !== char.less) return end;
  const close = lineEnd(code, name, to);
  paint(name, close, color.string);
  return close;
}

/** `R"x(…)x"` of C++. */
function readRawString(code: string, at: number, to: number): number {
  const open = /^R"([^()\\ \n]{0,16})\(/.exec(code.slice(at, at + 20));
  if (!open) return 0;
  const close = code.indexOf(`)${open[1]}"`, at);
  const end = close < 0 ? to : Math.min(to, close + (open[1]?.length ?? 0) + 2);
  paint(at, end, color.string);
  return end;
}

function readSharp(code: string, at: number, to: number, lexer: Lexer): number {
  const character = characterAt(at);
  if (character === char.hash) return readDirective(code, at, to);
  if (character === char.openSquare) return readAttribute(at, to);
  const quote = characterAt(at + 1) === char.doubleQuote ? at + 1 : at + 2;
  if (characterAt(quote) !== char.doubleQuote || quote - at > 2) return 0;
  const signs = code.slice(at, quote);
  if (!/^[$@]+$/.test(signs)) return 0;
  const end = signs.includes('@') ? verbatimEnd(quote, to) : stringEnd(quote, to, char.doubleQuote);
  if (end === 0) return 0;
  paint(at, end, color.string);
  if (signs.includes('$')) paintHoles(code, quote + 1, end - 1, lexer);
  return end;
}

function verbatimEnd(quote: number, to: number): number {
  for (let at = quote + 1; at < to; at++)
    if (characterAt(at) === char.doubleQuote) {
      if (characterAt(at + 1) !== char.doubleQuote) return at + 1;
      at++;
    }
  return to;
}

function paintHoles(code: string, from: number, to: number, lexer: Lexer): void {
  for (let at = from; at < to; at++) {
    if (characterAt(at) !== char.openBrace) continue;
    const close = code.indexOf('}', at);
    if (close < 0 || close >= to) return;
    if (characterAt(at + 1) !== char.openBrace) {
      paint(at, close + 1, color.plain);
      paint(at, at + 1, color.operator);
      lexer(code, at + 1, close);
      paint(close, close + 1, color.operator);
    }
    at = close;
  }
}

/** `[Name]` before a declaration: only blanks precede it on its line. */
function readAttribute(at: number, to: number): number {
  let before = at - 1;
  while (before >= 0 && (characterAt(before) === char.space || characterAt(before) === char.tab)) before--;
  if ((before >= 0 && characterAt(before) !== char.newline) || !isWord(characterAt(at + 1))) return 0;
  const end = wordEnd(at + 1, to);
  paint(at, at + 1, color.operator);
  paint(at + 1, end, color.type);
  return end;
}
