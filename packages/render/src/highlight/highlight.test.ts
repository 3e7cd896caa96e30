import { describe, expect, it } from 'vitest';
import { contrastOf } from '../css/colors.ts';
import { codeBlockHtml } from './code-block.ts';
import { highlight } from './highlight.ts';
import { readFenceMeta } from './meta.ts';
import { codeThemes } from './code-themes.ts';
import { codePaletteCss, codeThemesOf, paletteNamed } from './palette.ts';
import { publishedCodeThemes } from '../../test/support/published-themes.ts';

const block = (language: string, code: string, meta = ''): string =>
  codeBlockHtml({ language, meta, code }, (name) => (name ? `(${name})` : ''));

describe('code', () => {
  it('code is colored by class, line by line', () => {
    expect(highlight('const a = `x\ny`', 'ts').split('\n')).toEqual([
      '<span class="dy-k">const</span> a <span class="dy-o">=</span> <span class="dy-s">`x</span>',
      '<span class="dy-s">y`</span>',
    ]);
  });

  it('highlighting does not depend on earlier blocks', () => {
    const page = '---\ntitle: "A"\n---\n\n```js\nlet a\n```';
    const before = highlight(page, 'mdx');
    for (const language of ['yaml', 'php', 'tsx', 'scss', 'unheard-of']) highlight('a: 1', language);
    expect(highlight(page, 'mdx')).toEqual(before);
    expect(before).toContain('<span class="dy-');
  });

  it('code of an unknown language is only escaped', () => {
    expect(highlight('<a> & b', 'no-such-language')).toBe('&lt;a&gt; &amp; b');
    expect(highlight('x', '../../etc')).toBe('x');
    expect(highlight('x', 'constructor')).toBe('x');
  });

  /** One line of each language that real sites use; none may come out plain. */
  it.each([
    ['bash', 'echo "a" # b'],
    ['JSON', '{"a": 1}'],
    ['python', 'def a(): pass'],
    ['javascript', 'const a = 1'],
    ['typescript', 'let a: string'],
    ['yaml', 'a: "b"'],
    ['shell', 'echo "a"'],
    ['toml', 'a = "b"'],
    ['go', 'func main() {}'],
    ['sql', 'SELECT 1'],
    ['html', '<a href="b">c</a>'],
    ['markdown', '# Title'],
    ['tsx', '<A b="c" />'],
    ['http', 'GET /a HTTP/1.1'],
    ['xml', '<a b="c"/>'],
    ['java', 'class A {}'],
    ['env', 'KEY=value'],
    ['mdx', '# Title'],
    ['powershell', 'Get-Item "a"'],
    ['dockerfile', 'FROM node'],
    ['ruby', 'def a; end'],
    ['rust', 'fn main() {}'],
    ['kotlin', 'fun a() {}'],
    ['diff', '+ a'],
    ['console', '$ echo "a"'],
    ['css', 'a { color: red }'],
    ['cURL', 'curl -X POST "a"'],
    ['hcl', 'a = "b"'],
    ['swift', 'func a() {}'],
    ['php', '<?php echo "a";'],
    ['ini', 'a=b'],
    ['csharp', 'class A {}'],
    ['jsonc', '{"a": 1} // b'],
    ['solidity', 'contract A {}'],
    ['groovy', 'def a = "b"'],
    ['gradle', 'def a = "b"'],
    ['properties', 'a=b'],
    ['graphql', 'type A { b: C }'],
    ['nginx', 'listen 80;'],
    ['protobuf', 'message A {}'],
    ['dart', 'class A {}'],
    ['shellscript', 'echo "a"'],
    ['promql', 'sum(rate(a[5m]))'],
    ['terraform', 'a = "b"'],
    ['makefile', 'all:\n\techo "a"'],
    ['cs', 'class A {}'],
    ['cpp', 'class A {};'],
    ['commandline', 'echo "a"'],
    ['vue', '<a b="c"></a>'],
    ['conf', 'a=b'],
    ['svelte', '<a b="c"></a>'],
    ['json5', '{a: 1}'],
    ['docker', 'FROM node'],
    ['cmd', 'echo %A%'],
    ['objc', '@interface A'],
    ['elixir', 'def a do end'],
    ['golang', 'func main() {}'],
    ['liquid', '{% if a %}'],
    ['rego', 'package a'],
    ['jinja', '{% if a %}'],
    ['dotenv', 'A=b'],
    ['jsonl', '{"a": 1}'],
  ])('%s has colors', (language, code) => {
    expect(highlight(code, language)).toContain('<span class="dy-');
  });

  it('placeholders are marked and prompts are separate from commands', () => {
    expect(block('bash', 'curl <your-key>')).toContain('<span class="dy-v">&lt;your-key&gt;</span>');
    expect(block('console', '$ echo a\na\n$ ls')).toMatch(
      /<span class="dy-code-prompt">\$ <\/span>.*\na\n<span class="dy-code-prompt">/,
    );
    expect(block('bash', 'echo $A')).not.toContain('prompt');
  });

  it('line annotations are removed from code', () => {
    const html = block(
      'js',
      'a // [!code ++]\nb # [!code --]\nc /* [!code focus] */\nd <!-- [!code highlight:2] -->\ne',
    );
    expect(html).toMatch(
      /dy-line dy-line-added">a<.*\n.*dy-line dy-line-removed">b<.*\n.*dy-line dy-line-focused">c/,
    );
    expect(html.match(/line-marked/g)).toHaveLength(2);
    expect(html).toContain('code-focused');
    expect(html).not.toContain('[!code');
  });

  it('a diff is colored in its language', () => {
    const html = block('diff-js', '+const a = 1\n-let b\n same');
    expect(html).toContain('dy-line dy-line-added"><span class="dy-k">const');
    expect(html).toContain('dy-line dy-line-removed"><span class="dy-k">let');
    expect(html).toContain('data-language="js"');
  });

  it('a code block follows its options', () => {
    expect(block('nocopy', 'x')).toMatch(/^<figure class="dy-code code-block" data-no-copy>/);
    expect(block('js', 'a\nb', 'lines linenostart=5')).toContain('data-line="6">b');
    expect(block('text', 'x', 'lang=python')).toContain('data-language="python"');
    expect(block('js', 'let word', '/word/')).toContain('<mark>word</mark>');
    expect(block('ts', '// @errors: 1\nlet a\n//  ^?', 'twoslash')).toContain('</span> a</code>');
    expect(block('js', 'x', 'icon="key" server.js')).toContain(
      '<figcaption class="dy-code-title" data-component-part="code-block-header">(key)server.js<',
    );
  });
});

describe('marks in code', () => {
  it.each([
    ['a word, also across colours', 'js', 'const word', '/nst wo/', ['nst', ' wo']],
    ['a pattern', 'text', 'id 12 and 345', String.raw`/\d+/`, ['12', '345']],
    ['a choice', 'text', 'get put post', '/(get|post)/', ['get', 'post']],
    [
      'signs of patterns as text',
      'text',
      'a[0] run(x) a+b a',
      '/a[0]/ /run(x)/ /a+b/',
      ['a[0]', 'run(x)', 'a+b'],
    ],
    ['what cannot be a pattern as text', 'text', String.raw`x \d( y`, String.raw`/\d(/`, [String.raw`\d(`]],
    ['patterns that could run away as text', 'text', 'aaaa .(a+)+', '/.(a+)+/', ['.(a+)+']],
    [
      'several repetitions as text',
      'text',
      String.raw`aaa \w?\w?`,
      String.raw`/\w?\w?/`,
      [String.raw`\w?\w?`],
    ],
    ['what must be escaped', 'text', 'a <b> & c', '/<b> &/', ['&lt;b&gt; &amp;']],
  ])('%s', (_name, language, code, meta, expected) => {
    const html = block(language, code, meta);
    expect([...html.matchAll(/<mark>(.*?)<\/mark>/g)].map((match) => match[1])).toEqual(expected);
  });

  it('marks are cheap on long lines that almost match', () => {
    expect(block('text', `${'a'.repeat(50_000)}\n${'a'.repeat(900)}`, '/[a-z]+!/')).not.toContain('<mark>');
  });
});

describe('fence options', () => {
  it.each([
    ['server.js', { title: 'server.js' }],
    ['"My file.ts" lines', { title: 'My file.ts', lineNumbers: true }],
    ['title="a b" icon="key" wrap', { title: 'a b', icon: 'key', wrap: true }],
    ["TITLE='a' Wrap LINES", { title: 'a', wrap: true, lineNumbers: true }],
    ['filename={"a.ts"}', { title: 'a.ts' }],
    ['title="a "b"" wrap', { title: 'a "b"', wrap: true }],
    ['title="say "b" twice" lines', { title: 'say "b" twice', lineNumbers: true }],
    ['title="a" icon="b"', { title: 'a', icon: 'b' }],
    ['title=one title=two', { title: 'two' }],
    ['Example {1,3-4} expandable', { title: 'Example', expandable: true }],
    ['Say "wrap" twice', { title: 'Say wrap twice', wrap: false }],
    ['[expandable] Request (v2)', { title: 'Request (v2)', expandable: true }],
    ['highlight={2} focus={1} nocopy', { noCopy: true }],
    ['nocopy="false" lines={false} showLineNumbers', { noCopy: false, lineNumbers: true }],
    ['theme={null} mode="x" runnable=true', { lineNumbers: false }],
    ['deploy.sh norun', { title: 'deploy.sh' }],
    ['', { lineNumbers: false, wrap: false }],
  ])('%s', (meta, expected) => {
    expect(readFenceMeta(meta)).toMatchObject(expected);
  });

  it('line ranges are parsed', () => {
    expect([...readFenceMeta('{1,3-4}').highlighted]).toEqual([1, 3, 4]);
    expect([...readFenceMeta('highlight="[2]"').highlighted]).toEqual([2]);
    expect([...readFenceMeta('highlight={[1, 3]} hl_lines="5 6"').highlighted]).toEqual([1, 3, 5, 6]);
    expect(readFenceMeta('{1-999999999}').highlighted.size).toBe(0);
  });
});

describe('themes for code', () => {
  it.each(Object.keys(codeThemes))('%s keeps readable colors and adjusts the others', (name) => {
    const [background = '', text = '', ...tokens] = codeThemes[name]?.split(' ') ?? [];
    const palette = paletteNamed(name);
    expect(palette?.background).toBe(background);
    for (const [index, published] of [text, ...tokens].entries()) {
      const shown = [palette?.text, ...(palette?.tokens ?? [])][index] ?? '';
      if (contrastOf(published, background) >= 4.5) expect(shown).toBe(published);
      else expect(contrastOf(shown, background)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('the code themes equal those of Shiki', async () => {
    expect(codeThemes).toEqual(await publishedCodeThemes());
  });

  it('the configuration selects the code theme', () => {
    const css = (value: unknown): string =>
      codePaletteCss(codeThemesOf(value), { light: '#0055cc', dark: '#0055cc' });
    expect(css('system')).toBe('');
    expect(css('dark')).toMatch(/^:is\(\.dy-code, \.dy-code-group, [^)]*\) \{ color-scheme: dark; .*#0d1117/);
    const pair = css({ theme: { light: 'github-light', dark: 'dracula' } });
    expect(pair).toMatch(
      /data-theme='light'.*color-scheme: light.*--dy-code-background: #ffffff.*--dy-t-k: #d73a49/,
    );
    expect(pair).toMatch(
      /data-theme='dark'.*color-scheme: dark.*--dy-code-background: #282a36.*--dy-t-k: #ff79c6/,
    );
    expect(css({ theme: { light: '', dark: 'nord' } })).not.toContain("data-theme='light'");
    expect(css({ theme: 'css-variables' })).toBe('');
    expect(css({ theme: 'no-such-thing' })).toBe('');
  });
});
