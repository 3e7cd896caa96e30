import { describe, expect, it } from 'vitest';
import type { Child, ElementCall } from '../components/contract.ts';
import { Props } from '../components/props.ts';
import { ObjectValue, type Value } from '../evaluate/values.ts';
import { type IslandNeeds, type IslandSource, PageIslands } from './page-islands.ts';

const nothing = { classNames: [], addresses: [], pictures: [], hosts: [], builtins: [] };

function islandsOfPage(reported: string[] = []): PageIslands {
  const islands = new PageIslands({
    pageEnding: '.html',
    outsideContents: (work) => work(),
    useClasses: (names) => names,
    quietAddress: (written) => (written === '/guide' ? '../guide.html' : undefined),
    quietPicture: (address) => (address === 'https://p.example/a.png' ? '../_docyard/a.png' : undefined),
    renderElement: (call) => islands.builtin(call, () => box(islands, call)),
    report: (code) => reported.push(code),
  });
  return islands;
}

function source(more: Partial<IslandSource> = {}): IslandSource {
  const modules = [{ id: 'page.mdx', factory: '(f)' }];
  return {
    module: 'page.mdx',
    piece: 0,
    props: {},
    modules,
    needs: () => nothing,
    content: {},
    isWhole: false,
    idSpace: 0,
    slots: [],
    place: undefined,
    ...more,
  };
}

function call(name: string, props: [string, Value][], children: Child[] = []): ElementCall {
  return { name, props: new Props(new ObjectValue(props)), children };
}

function box(islands: PageIslands, { props, children }: ElementCall): string {
  const inner = children.flatMap((child) => (child.kind === 'element' ? [child.call] : []));
  const content = inner.length
    ? inner.map((each) => box(islands, each)).join('')
    : islands.children(children, children.map((child) => (child.kind === 'text' ? child.text : '')).join(''));
  return `<div>${props.text('title')}: ${content}</div>`;
}

const words: Child[] = [{ kind: 'text', text: 'words' }];

describe('an island', () => {
  it('an island contains the output of its component and its data', () => {
    const html = islandsOfPage().render(source({ piece: 2, props: { a: '"' } }), () => '<b>x</b>');
    expect(html).toBe(
      '<docyard-island data-island="{&quot;number&quot;:0,&quot;module&quot;:&quot;page.mdx&quot;,' +
        '&quot;piece&quot;:2,&quot;props&quot;:{&quot;a&quot;:&quot;\\&quot;&quot;}}"><b>x</b></docyard-island>',
    );
  });

  it('an island contains the resolved addresses of its code', () => {
    const islands = islandsOfPage();
    islands.render(source({ needs: () => ({ ...nothing, addresses: ['/guide', '/nowhere'] }) }), () => '');
    expect(islands.result()?.parts).toBe(
      '<template data-islands="{&quot;addresses&quot;:{&quot;/guide&quot;:&quot;../guide.html&quot;},' +
        '&quot;ending&quot;:&quot;.html&quot;}"></template>\n',
    );
  });

  it('an island contains the files of remote pictures and the resolved addresses of its first state', () => {
    const islands = islandsOfPage();
    const needs = (): IslandNeeds => ({
      ...nothing,
      pictures: ['https://p.example/a.png', 'https://p.example/b.png'],
    });
    islands.render(source({ needs }), () => {
      islands.noteAddress('/made/up', 'up.html');
      return '';
    });
    islands.noteAddress('/outside', 'outside.html');
    const parts = islands.result()?.parts ?? '';
    expect(parts).toContain('&quot;/made/up&quot;:&quot;up.html&quot;');
    expect(parts).toContain('&quot;https://p.example/a.png&quot;:&quot;../_docyard/a.png&quot;');
    expect(parts).not.toMatch(/outside|b\.png/);
  });

  it('page content in an island is marked, and nothing inside it', () => {
    const islands = islandsOfPage();
    const slot = (): string => islands.builtin(call('Box', [['title', 't']], words), () => 'of the page');
    expect(
      islands.render(
        source({ slots: [{ slot: 0, inside: undefined, render: slot }] }),
        () => `<p>${islands.slot(0, 0)}</p>`,
      ),
    ).toContain('<p data-island-slot="0">of the page</p>');
    expect(islands.result()?.parts).toMatch(/^<template data-islands="[^"]*"><\/template>\n$/);
  });

  it('page content gets a wrapper only beside other elements', () => {
    const islands = islandsOfPage();
    const slot = (): string => '<summary>S</summary>words';
    const alone = islands.render(
      source({ slots: [{ slot: 0, inside: undefined, render: slot }] }),
      () => `<details open>${islands.slot(0, 0)}</details>`,
    );
    expect(alone).toContain('<details open data-island-slot="0"><summary>S</summary>words</details>');
    const beside = islands.render(
      source({ slots: [{ slot: 0, inside: undefined, render: slot }] }),
      () => `<div><i></i>${islands.slot(0, 0)}</div>`,
    );
    expect(beside).toContain(
      '<i></i><docyard-slot data-island-slot="0"><summary>S</summary>words</docyard-slot>',
    );
  });

  it('content that is hidden at first is at the end of the page', () => {
    const islands = islandsOfPage();
    islands.render(source(), () => '');
    islands.render(source({ slots: [{ slot: 0, inside: undefined, render: () => 'later' }] }), () => '');
    expect(islands.result()?.parts).toContain(
      '><docyard-slot data-island-slot="0" data-of="1">later</docyard-slot></template>\n',
    );
  });

  it('adjacent slots are shown together with a mark between them', () => {
    const islands = islandsOfPage();
    const slots = ['a', 'b', 'c'].map((text, slot) => ({
      slot,
      inside: undefined,
      render: () => `<p>${text}</p>`,
    }));
    const html = islands.render(source({ slots }), () => `<i></i>${islands.slot(0, 1)}`);
    expect(html).toContain('<docyard-slot data-island-slot="0-1"><p>a</p><!--|--><p>b</p></docyard-slot>');
    expect(islands.result()?.parts).toContain('data-island-slot="2" data-of="0"><p>c</p>');
  });

  it('hidden inner content is included when an island shows the inside of other content', () => {
    const islands = islandsOfPage();
    const slots = [
      { slot: 0, inside: undefined, render: () => 'outer 0' },
      { slot: 1, inside: undefined, render: () => 'outer 1' },
      { slot: 2, inside: 0, render: () => 'inner 0' },
      { slot: 3, inside: 1, render: () => 'inner 1' },
    ];
    islands.render(source({ slots }), () => islands.slot(2, 2));
    expect(islands.result()?.parts).toContain('inner 1');
    expect(islands.result()?.parts).not.toContain('outer');
  });

  it('built-in components are marked with their properties and the place of their children', () => {
    const islands = islandsOfPage();
    const card = call(
      'Box',
      [
        ['title', 'A'],
        ['onClick', new ObjectValue()],
      ],
      words,
    );
    expect(islands.render(source(), () => islands.builtin(card, () => box(islands, card)))).toContain(
      '<docyard-part data-part="[&quot;Box&quot;,{&quot;title&quot;:&quot;A&quot;,&quot;onClick&quot;:{}}]">' +
        '<div>A: <docyard-slot data-hole="">words</docyard-slot></div></docyard-part>',
    );
  });

  it('components that their parent renders are marked as its parts', () => {
    const islands = islandsOfPage();
    const inner = ['B', 'C'].map((title): Child => ({
      kind: 'element',
      call: call('Box', [['title', title]], [...words]),
    }));
    const outer = call('Box', [['title', 'A']], inner);
    const html = islands.render(source(), () => islands.builtin(outer, () => box(islands, outer)));
    expect(html).toContain(
      '{&quot;title&quot;:&quot;A&quot;,&quot;0/title&quot;:&quot;B&quot;,&quot;1/title&quot;:&quot;C&quot;}',
    );
    expect(html).toContain('B: <docyard-slot data-hole="0">words</docyard-slot>');
    expect(html).toContain('C: <docyard-slot data-hole="1">words</docyard-slot>');
  });

  it('built-in components of the code that are missing from the first state are included once', () => {
    const islands = islandsOfPage();
    const builtins = [{ name: 'Box', props: { title: 'Z' }, hasChildren: true }];
    const needs = (): IslandNeeds => ({ ...nothing, builtins });
    islands.render(source({ needs }), () => '');
    islands.render(source({ needs }), () => '');
    expect(islands.result()?.parts.match(/Z: <docyard-slot data-hole="">/g)).toHaveLength(1);
  });

  it('the modules and hosts of a page are listed once each', () => {
    const islands = islandsOfPage();
    const needs = (): IslandNeeds => ({ ...nothing, hosts: ['https://b.example', 'https://a.example'] });
    islands.render(source({ needs }), () => '');
    islands.render(source({ needs }), () => '');
    expect(islands.result()).toMatchObject({
      modules: [{ id: 'page.mdx', factory: '(f)' }],
      hosts: ['https://a.example', 'https://b.example'],
    });
  });
});

describe('parts of a table', () => {
  it('rows and cells do not become islands, because browsers would move them out of the table', () => {
    const reported: string[] = [];
    const islands = islandsOfPage(reported);
    expect(islands.render(source(), () => '<tr><td>a</td></tr>')).toBe('<tr><td>a</td></tr>');
    const slot = (): string => '<tr><td>b</td></tr>';
    const table = (): string => `<table><tbody><tr></tr>${islands.slot(0, 0)}</tbody></table>`;
    const still = '<table><tbody><tr></tr><tr><td>b</td></tr></tbody></table>';
    expect(islands.render(source({ slots: [{ slot: 0, inside: undefined, render: slot }] }), table)).toBe(
      still,
    );
    expect(reported).toEqual(['handler_dropped', 'handler_dropped']);
    expect(islands.render(source(), () => '<table><tr><td>c</td></tr></table>')).toContain('<docyard-island');
  });
});

describe('a page with too many islands', () => {
  it('a page with too many islands shows all of them and hydrates some', () => {
    const islands = islandsOfPage();
    const html = Array.from({ length: 2500 }, () => islands.render(source(), () => '<b></b>')).join('');
    expect(html.match(/<b>/g)).toHaveLength(2500);
    expect(html.match(/<docyard-island/g)).toHaveLength(2000);
  });
});

describe('a page without islands', () => {
  it('a page without islands is unchanged', () => {
    const islands = islandsOfPage();
    const card = call('Box', [['title', 'A']], words);
    expect(islands.builtin(card, () => box(islands, card))).toBe('<div>A: words</div>');
    expect(islands.result()).toBeUndefined();
  });
});
