import { expect, test } from 'vitest';
import { renderFiles } from '../../test/support/render-fixture.ts';

const svg = (color: string) => `<svg xmlns="http://www.w3.org/2000/svg" fill="${color}"/>`;
const config = {
  name: 'Harbour {{nonce}} <b>',
  colors: { primary: '#0f766e' },
  navigation: { pages: ['index', 'plan'] },
};
const site = (more: object) => ({
  'docs.json': JSON.stringify({ ...config, ...more }),
  'index.mdx': '---\ntitle: Quay\n---\nQuay',
  'plan.mdx': '---\ntitle: The secret plan\n---\nPlan',
  'light.svg': svg('black'),
  'dark.svg': svg('white'),
});
const signInPage = async (more: object): Promise<string> => {
  const { files } = await renderFiles(site(more));
  return files.get('_docyard/sign-in.html') ?? '';
};

test('the sign-in page contains each placeholder once, and no part of the content', async () => {
  const html = await signInPage({});
  expect(html.match(/\{\{\w+\}\}/g)).toEqual(['{{title}}', '{{nonce}}', '{{content}}']);
  expect(html).toContain('Harbour &#123;&#123;nonce}} &lt;b&gt;');
  expect(html).not.toMatch(/secret|Quay|plan/i);
  expect(html).not.toMatch(/<script|<link|src="(?!data:)|href=|url\(/);
});

test('the sign-in page contains the logo of each appearance', async () => {
  const html = await signInPage({ logo: { light: '/light.svg', dark: '/dark.svg' } });
  const address = (color: string) =>
    `data:image/svg+xml;base64,${Buffer.from(svg(color)).toString('base64')}`;
  expect(html).toContain(`<source media="(prefers-color-scheme: dark)" srcset="${address('white')}">`);
  expect(html).toContain(`<img class="logo" src="${address('black')}" alt="Harbour`);
});

test('the sign-in page of a dark site is dark', async () => {
  const logo = { light: '/light.svg', dark: '/dark.svg' };
  const html = await signInPage({ logo, appearance: { default: 'dark', strict: true } });
  expect(html).toContain('color-scheme: dark;');
  expect(html).not.toContain('<source');
  expect(html).toContain(Buffer.from(svg('white')).toString('base64'));
});
