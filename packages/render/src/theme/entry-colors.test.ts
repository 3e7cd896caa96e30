import { describe, expect, test } from 'vitest';
import { renderFiles } from '../../test/support/render-fixture.ts';

describe('the color of an entry', () => {
  test('is a class on anchors and menus, and a rule in the stylesheet of the site', async () => {
    const { files } = await renderFiles({
      'docs.json': JSON.stringify({
        name: 'Boats',
        navigation: {
          dropdowns: [
            {
              dropdown: 'Sail',
              icon: 'sailboat',
              color: { light: '#0F766E', dark: '#2dd4bf' },
              pages: ['a'],
            },
            { dropdown: 'Row', icon: 'ship', color: '#abc', pages: ['b'] },
          ],
          global: {
            anchors: [
              { anchor: 'Harbour', icon: 'anchor', color: { dark: '#ff0000' }, href: 'https://example.com' },
              {
                anchor: 'Plain',
                icon: 'fish',
                color: 'red; } body { display: none',
                href: 'https://example.org',
              },
            ],
          },
        },
      }),
      'a.mdx': 'A',
      'b.mdx': 'B',
    });
    const html = files.get('a.html') ?? '';
    expect(html).toMatch(
      /<summary class="nav-dropdown-trigger dy-entry-color-0f766e-2dd4bf" aria-label="[^"]*Sail"><svg/,
    );
    expect(html).toMatch(/<a class="nav-dropdown-item dy-entry-color-abc-abc" href="b\.html"><svg/);
    expect(html).toMatch(/<a href="https:\/\/example\.com" class="dy-entry-color-ff0000-ff0000"><svg/);
    expect(html).toMatch(/<a href="https:\/\/example\.org"><svg/);
    const css = files.get('_docyard/site.css') ?? '';
    expect(css).toContain('.dy-entry-color-0f766e-2dd4bf { --dy-entry-color: light-dark(#0f766e, #2dd4bf);');
    expect(css.match(/^\.dy-entry-color-/gm)).toHaveLength(3);
    expect(css).not.toContain('display: none');
  });
});
