import { describe, expect, it } from 'vitest';
import { renderFiles } from '../../test/support/render-fixture.ts';
import { formulaOfCode, markMath } from './marks.ts';
import { typeset } from './typeset.ts';

function formulas(source: string, mode: Parameters<typeof markMath>[1] = 'auto'): string[] {
  return [...markMath(source, mode).matchAll(/`([^`]*)`/g)].flatMap(([, code = '']) => {
    const found = formulaOfCode(code);
    return found ? [found.display ? `display ${found.tex}` : found.tex] : [];
  });
}

describe('formula detection', () => {
  it.each([
    ['Energy $E = mc^2$ and $x$.', ['E = mc^2', 'x']],
    ['**bold $\\alpha$**, ($n-1$), $O(n)$', ['\\alpha', 'n-1', 'O(n)']],
    ['$a<b$ and $\\{1\\}$', ['a<b', '\\{1\\}']],
    ['In a cell: | $|x|$ |', ['|x|']],
    ['$$x^2$$', ['display x^2']],
    ['See $$x^2$$ here', ['x^2']],
    ['<Latex>8 x (v_1)</Latex> <LaTeX>\\frac{1}{2}</LaTeX>', ['8 x (v_1)', '\\frac{1}{2}']],
    ['$\\$5$ is TeX', ['\\$5']],
  ])('%s is a formula', (source, expected) => {
    expect(formulas(source)).toEqual(expected);
  });

  it.each([
    'It costs $0.05 per call and $0.20 per page',
    'Between $5 and 10$ a month',
    '$5-$10, US$5 or $20/month',
    'Set $HOME, $PATH:$HOME/bin and $API_KEY or $SECRET',
    'A lone $ is text, and so are $ two $',
    'Escaped \\$x\\$',
    'Code `$x$` and ``$y$``',
    '```sh\necho $a$\n```',
    '~~~sql\nas $$\nbegin $$\n~~~',
    '<Card title="$x$ and $y$">text</Card>',
    '{`${a}$b$`}',
    'export const a = `$x$`\n',
    '[link](https://example.com/?a=$b$&c=1)',
    'Rates: $1,000 for the first, then $2,000.',
  ])('%j is not a formula', (source) => {
    expect(markMath(source, 'auto')).toBe(source);
  });

  it('the math setting overrides the detection', () => {
    expect(formulas('$E = mc^2$', 'never')).toEqual([]);
    expect(formulas('$5 and a half$', 'always')).toEqual(['5 and a half']);
  });

  it('marking formulas keeps the line numbers', () => {
    const source = 'a\n\n$$\nx\n$$\n\n  $$\n  y\n  $$\n\n$$x\n+ y$$\n\nb $z$';
    expect(markMath(source, 'auto').split('\n')).toHaveLength(source.split('\n').length);
  });
});

describe('formulas', () => {
  it('formulas use classes instead of styles and contain MathML', () => {
    const { html, styles } = typeset({ tex: '\\frac{a}{b}', display: false });
    expect(html).not.toMatch(/ style=/);
    expect(html).toContain('<annotation encoding="application/x-tex">\\frac{a}{b}</annotation>');
    expect(Object.fromEntries(styles)).toMatchObject({ 'kh-3em': 'height: 3em !important' });
    for (const [name] of styles) expect(html).toContain(name);
  });

  it('a formula cannot load or link anything', () => {
    const { html } = typeset({
      tex: '\\href{javascript:alert(1)}{x} \\includegraphics{https://a.b/c.png}',
      display: false,
    });
    expect(html).not.toMatch(/href=|<img|javascript:alert\(1\)"/);
  });

  it('an invalid formula shows its source, and expansion is bounded', () => {
    const failed = typeset({ tex: '\\frac{a', display: false });
    expect(failed.html).toContain('>\\frac{a</code>');
    expect(failed.error).toMatch(/Unexpected end/);
    expect(typeset({ tex: '\\def\\a{\\a\\a}\\a', display: false }).error).toMatch(/expan/i);
    expect(typeset({ tex: 'x'.repeat(20_000), display: true }).error).toBeDefined();
  });

  it('only pages with formulas load the stylesheet', async () => {
    const site = await renderFiles({
      'index.mdx': '## The $\\pi$ of it\n\n## Next\n\n$$\nx^2\n$$\n\n```math\ny\n```\n\nBad $\\frac{a$ one',
      'plain.mdx': 'It costs $5.',
    });
    const page = site.files.get('index.html') ?? '';
    expect(page).toContain('<link rel="stylesheet" href="_docyard/katex/katex.css">');
    expect(page).toContain('<a href="#the-π-of-it">The π of it</a>');
    expect(page).not.toMatch(/<[^>]* style=/);
    expect(page.match(/katex-display/g)).toHaveLength(2);
    expect(site.files.get('plain.html')).not.toContain('katex');
    expect(site.files.has('_docyard/katex/fonts/KaTeX_Main-Regular.woff2')).toBe(true);
    expect(site.diagnostics).toContainEqual(expect.objectContaining({ code: 'math_syntax', line: 13 }));
    const plain = await renderFiles({ 'index.mdx': 'It costs $5.' });
    expect([...plain.files.keys()].filter((path) => path.includes('katex'))).toEqual([]);
  });
});
