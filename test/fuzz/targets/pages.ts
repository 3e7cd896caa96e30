/** Whole pages: the HTML contains no script, event handler, inline style or executable address. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSite } from '../../../packages/render/src/pipeline/load.ts';
import { renderPage, siteTools } from '../../../packages/render/src/pipeline/render-page.ts';
import type { PageTask } from '../../../packages/render/src/model/page.ts';
import { planSite } from '../../../packages/render/src/pipeline/site-plan.ts';
import { dangersOfTags } from '../../attacks/page-dangers.ts';
import { PromiseBroken, insistOnCleanPrototypes, mutatedText, target, type Outcome } from '../target.ts';

const pages = [
  '---\ntitle: A\n---\n\n# Title\n\nText with **bold**, `code`, [a link](/b) and ![a picture](/c.png "t").\n\n- a\n  - b\n\n1. c\n\n> quote\n',
  '<Card title="A" icon="star" href="/b">\n  Text\n</Card>\n\n<Tabs>\n  <Tab title="One">1</Tab>\n</Tabs>\n\n<div style={{ color: "red" }} onClick={() => 1}>x</div>\n',
  'export const n = 3;\n\n{[1, 2].map((x) => <b key={x}>{x * n}</b>)}\n\n```js title="a" {1,2}\nlet a = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n',
  '<svg viewBox="0 0 1 1"><path d="M0 0" /></svg>\n\n<a href="https://example.com">x</a> <img src="data:image/png;base64,AA==" />\n\n$$x^2$$\n\n[^1]\n\n[^1]: note\n',
  '```mermaid\ngraph TD; A-->B[x]; B-.->C\n```\n\n<Steps><Step title="s">x</Step></Steps>\n\n<ParamField path="a" type="string">d</ParamField>\n',
];
const words = [
  '<script>alert(1)</script>',
  '<style>*{}</style>',
  '[x](javascript:alert(1))',
  'href="javascript:alert(1)"',
  ' onerror="alert(1)"',
  ' style="x:expression(1)"',
  '<iframe src="https://x">',
  '<base href="//x">',
  '<meta http-equiv="refresh">',
  '<!--',
  '-->',
  '<![CDATA[',
  '</',
  '<',
  '>',
  '{',
  '}',
  '{"',
  '"}',
  '`',
  '```',
  '$$',
  '|',
  '\n\n',
  '    ',
  '<svg><a xlink:href="javascript:1">',
  '<object data=x>',
  'srcdoc="<b>"',
  'formaction="javascript:1"',
  'data:text/html,<script>',
  'vbscript:',
  'java\tscript:',
  '&#106;avascript:',
  '&lt;',
  '\u2028',
  '<form action="https://x">',
  '{/*',
  '*/}',
  '<Card ',
  'title={',
  '=>',
  'import x from "/etc/passwd"',
  '[^1]',
  '* ',
  '1) ',
  '> ',
  '\0',
  '\u202e',
  '{#id}',
];

const folder = mkdtempSync(join(tmpdir(), 'docyard-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'docs.json'), '{"name":"A","navigation":{"pages":["a"]}}');
writeFileSync(join(folder, 'a.mdx'), '# A\n');
const tools = siteTools(planSite(await loadSite({ root: folder }), {}));

function pageTarget(parser: 'fast' | 'slow') {
  return target({
    name: `pages, ${parser} parser`,
    promise: 'every page becomes HTML without anything that runs, or an error panel',
    inputs: mutatedText(pages, words),
    attempt(content): Outcome {
      const task: PageTask = {
        id: 1,
        route: 'a',
        file: 'a.mdx',
        output: 'a.html',
        title: 'A',
        description: '',
        generated: true,
        content,
      };
      const result = renderPage(tools, task, parser);
      insistOnInertHtml(Buffer.concat([result.html, result.aside]).toString());
      insistOnCleanPrototypes();
      return result.failed ? 'refused' : 'taken';
    },
  });
}

export const fastPages = pageTarget('fast');
export const slowPages = pageTarget('slow');

const neverInContent = /<\/?(?:script|style|iframe|meta|link)\b[^>]*/i;

export function insistOnInertHtml(html: string): void {
  const [element] = neverInContent.exec(html) ?? [];
  const [danger] = element === undefined ? dangersOfTags(html) : [element];
  if (danger !== undefined) throw new PromiseBroken(danger);
}
