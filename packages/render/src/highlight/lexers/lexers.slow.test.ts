import { describe, expect, it } from 'vitest';
import { textOfHtml } from '../../text/html.ts';
import { highlightedHtml } from './paint.ts';
import { lexerFor } from './registry.ts';

/** The code with `k(…)` around keywords, `s(…)` around strings and so on, without operators. */
function marked(language: string, code: string): string {
  return textOfHtml(
    html(language, code)
      .replaceAll(/<span class="dy-o">(.*?)<\/span>/g, '$1')
      .replaceAll(/<span class="dy-(\w)">(.*?)<\/span>/g, '$1‹$2›'),
  );
}

function html(language: string, code: string): string {
  const lexer = lexerFor(language);
  if (!lexer) throw new Error(`No lexer for ${language}`);
  return highlightedHtml(code, lexer);
}

describe('JavaScript and TypeScript', () => {
  it.each([
    ['code in templates', 'a = `x ${b + `y${1}`} z`', 'a = s‹`x ›${b + s‹`y›${n‹1›}s‹`›}s‹ z`›'],
    ['templates over lines', '`a\nb` + c', 's‹`a›\ns‹b`› + c'],
    ['regular expressions', 'a = /[/"]/g / 2', 'a = r‹/[/"]/g› / n‹2›'],
    ['division', 'a / b / c', 'a / b / c'],
    ['names by what follows', 'run(a, { key: 1 })', 'f‹run›(a, { a‹key›: n‹1› })'],
    ['parameters', 'const f = (a) => a', 'k‹const› f‹f› = (a‹a›) => a'],
    ['members are no keywords', 'a.catch(b).default', 'a.f‹catch›(b).default'],
  ])('JavaScript has %s', (_name, code, expected) => {
    expect(marked('javascript', code)).toBe(expected);
  });

  it('TypeScript has types', () => {
    expect(marked('typescript', 'new Map<string, Item>(); type A = B')).toBe(
      'k‹new› t‹Map›<t‹string›, t‹Item›>(); k‹type› t‹A› = n‹B›',
    );
    expect(marked('typescript', 'a<b>(c)')).toBe('f‹a›<t‹b›>(c)');
    expect(marked('typescript', 'if (a < b && c > d) {}')).toBe('k‹if› (a < b && c > d) {}');
  });

  it('text of JSX elements stays plain, and code in them is colored', () => {
    expect(marked('tsx', 'return <A b="c" {...d}>if {e ? 1 : <br />} of</A>')).toBe(
      'k‹return› <t‹A› a‹b›="s‹c›" {...d}>if {e ? n‹1› : <g‹br› />} of</t‹A›>',
    );
    expect(marked('tsx', 'const f = <T,>(a: T) => a < 1')).toContain('a < n‹1›');
    expect(marked('jsx', '<A>\nconst a = 1')).toContain('k‹const›');
  });
});

describe('other languages', () => {
  it.each([
    ['bash', 'A=1 cat <<E | sort\n$A "\nE\nls', 'v‹A›=1 f‹cat› <<s‹E› | f‹sort›\nv‹$A›s‹ "›\ns‹E›\nf‹ls›'],
    ['bash', 'echo "a $(ls "$b") c" # d', 't‹echo› s‹"a ›v‹$(›f‹ls› s‹"›v‹$b›s‹"›v‹)›s‹ c"› c‹# d›'],
    ['bash', "echo don't # a", "t‹echo› don't c‹# a›"],
    ['json', '{"a": ["b", null, -1e5, true]} // c', '{a‹"a"›: [s‹"b"›, k‹null›, n‹-1e5›, n‹true›]} c‹// c›'],
    ['yaml', 'a: |\n  b: c\n  # d\ne: 1 # f', 'a‹a›: |\n  s‹b: c›\n  s‹# d›\na‹e›: n‹1› c‹# f›'],
  ])('%s: %s', (language, code, expected) => {
    expect(marked(language, code)).toBe(expected);
  });
});

const all = ['javascript', 'jsx', 'typescript', 'tsx', 'json', 'bash', 'yaml'];

describe.each(all)('%s', (language) => {
  it('the lexer keeps every character and balances every line', () => {
    const code =
      'a<b & \'c\' "d" `e` /f/ #g @h $i {j} (k) [l] \\m\n\t<n o="p">é 日本 😀</n>\n/* q\n*/ r: "s\n""" t\n\'\'\' u ${v';
    const lines = html(language, code).split('\n');
    expect(textOfHtml(lines.join('\n'))).toBe(code);
    for (const line of lines)
      expect(line.replaceAll(/<span class="dy-\w">[^<>]*<\/span>/g, '')).not.toMatch(/[<>]/);
  });

  /** Deep nesting must not overflow the stack, and missing terminators must not be searched repeatedly. */
  it('the lexer terminates quickly on deep nesting and missing terminators', () => {
    for (const piece of [
      '`${',
      '<a>',
      '<a b={',
      '$(',
      '"${',
      'f"{',
      '((',
      '<<E\n',
      '{/*',
      '\\"',
      '= /[',
      '<script>',
    ]) {
      const code = piece.repeat(3000);
      expect(textOfHtml(html(language, code))).toBe(code);
    }
  });
});
