/** The pages about components: each source block is the example above it, and the tables have the attributes of the code. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSite } from '@docyard/render';
import { beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../packages/render/src/components/catalogue.ts';
import type { Child, Component, ElementCall } from '../packages/render/src/components/contract.ts';
import { Props } from '../packages/render/src/components/props.ts';
import { renderPage, siteTools } from '../packages/render/src/pipeline/render-page.ts';
import { planSite, planTasks } from '../packages/render/src/pipeline/site-plan.ts';
import { fixture, withFolder } from '../packages/render/test/support/render-fixture.ts';

/** Before their rows are wrapped. */
const components = new Map(catalogue);
const docs = fileURLToPath(new URL('../docs', import.meta.url));
const read = (name: string): string => readFileSync(join(docs, `write/${name}.mdx`), 'utf8');

interface SourceBlock {
  source: string;
  /** The text of the page before the block. */
  before: string;
}

function sourceBlocks(page: string): SourceBlock[] {
  const fences = page.matchAll(/^(`{3,4})(\w+)[^\n]*\n([^]*?)^\1$/gm);
  return [...fences].flatMap(({ index, 2: language, 3: source = '' }) =>
    language === 'mdx' ? [{ source: source.trim(), before: page.slice(0, index).trimEnd() }] : [],
  );
}

describe.each(['components', 'api-components', 'code', 'interactive'])('docs/write/%s.mdx', (name) => {
  const blocks = sourceBlocks(read(name));

  it('has source blocks', () => {
    expect(blocks.length).toBeGreaterThan(1);
  });

  it('shows every source block below the example that it renders', () => {
    const different = blocks.filter(({ source, before }) => {
      /** Definitions of a page are at its start. */
      const [definition = '', example = ''] = /^(export [^]*?\n}\n\n)?([^]*)$/.exec(source)?.slice(1) ?? [];
      return !before.endsWith(`\n\n${example}`) || !before.includes(definition.trim());
    });
    expect(different.map(({ source }) => source)).toEqual([]);
  });
});

describe('the components of the catalogue', () => {
  const pages = ['components', 'api-components'].map(read);
  const documented = new Map<string, Set<string>>();
  const used = new Map<string, Set<string>>();
  const rendered = new Set<string>();
  let shown = new Set<string>();

  beforeAll(async () => {
    for (const [name, attribute] of pages.flatMap(attributesInTables)) note(documented, name, attribute);
    recordProps(
      (name) => rendered.add(name),
      (name, attribute) => note(used, name, attribute),
    );
    await renderAll(Object.fromEntries(pages.map((text, index) => [`page-${index}.mdx`, text])));
    shown = new Set(rendered);
    await renderAll({ ...fixtures(), 'alone.mdx': eachAlone(documented) });
  });

  it('are all shown, each at least once under one of its names', () => {
    const found = new Set([...shown].map((name) => components.get(name)));
    const kinds = ['Note', 'Info', 'Tip', 'Check', 'Warning', 'Danger', 'Callout'];
    const missing = [...components].filter(([, component]) => !found.has(component)).map(([name]) => name);
    expect([...missing, ...kinds.filter((name) => !shown.has(name))]).toEqual([]);
  });

  it('have only the documented attributes that they read', () => {
    const unread = [...documented].flatMap(([name, attributes]) =>
      [...attributes]
        .filter((attribute) => !sameComponent(used, name).has(attribute))
        .map((attribute) => `${name}: ${attribute}`),
    );
    expect(unread).toEqual([]);
  });

  it('read only attributes that are documented', () => {
    const common = new Set(['icon', 'iconType', 'icontype', 'className', 'class', 'style']);
    const unknown = [...used].flatMap(([name, attributes]) =>
      [...attributes]
        .filter((attribute) => !common.has(attribute) && !sameComponent(documented, name).has(attribute))
        .map((attribute) => `${name}: ${attribute}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });
});

/** Aliases share their attributes. */
function sameComponent(attributes: ReadonlyMap<string, Set<string>>, name: string): Set<string> {
  const names = [...components.keys()].filter((other) => components.get(other) === components.get(name));
  return new Set(names.flatMap((other) => [...(attributes.get(other) ?? [])]));
}

function note(all: Map<string, Set<string>>, name: string, attribute: string): void {
  all.set(name, (all.get(name) ?? new Set()).add(attribute));
}

/** Rows of tables whose first cell names components, and the attributes in the cells after it. */
function attributesInTables(page: string): [name: string, attribute: string][] {
  const rows = [...page.matchAll(/^\|([^|]+)\|([^|]+)\|(?:[^|]*\|)?$/gm)];
  return rows
    .flatMap(([, names = '', attributes = '']) =>
      codes(names)
        .filter((name) => catalogue.has(name))
        .flatMap((name) =>
          codes(attributes).map((text): [string, string] => [name, text.replace(/=.*/, '')]),
        ),
    )
    .filter(([, attribute]) => !catalogue.has(attribute));
}

const codes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

/** Until the end of the file, every component of the catalogue gets properties that note what it reads. */
function recordProps(
  rendered: (name: string) => void,
  noted: (name: string, attribute: string) => void,
): void {
  class NotedProps extends Props {
    readonly #name: string;
    constructor(name: string, { values }: Props) {
      super(values);
      this.#name = name;
    }
    override value(attribute: string): ReturnType<Props['value']> {
      noted(this.#name, attribute);
      return super.value(attribute);
    }
    override has(attribute: string): boolean {
      noted(this.#name, attribute);
      return super.has(attribute);
    }
    override text(attribute: string): string | undefined {
      noted(this.#name, attribute);
      return super.text(attribute);
    }
    override flag(attribute: string): boolean {
      noted(this.#name, attribute);
      return super.flag(attribute);
    }
    override list(attribute: string): string[] {
      noted(this.#name, attribute);
      return super.list(attribute);
    }
    override icon(attribute = 'icon'): string | undefined {
      noted(this.#name, attribute);
      return super.icon(attribute);
    }
  }
  const notedCall = (call: ElementCall): ElementCall => {
    rendered(call.name);
    return {
      ...call,
      props: catalogue.has(call.name) ? new NotedProps(call.name, call.props) : call.props,
      children: call.children.map((child): Child =>
        child.kind === 'element' ? { kind: 'element', call: notedCall(child.call) } : child,
      ),
    };
  };
  const rows = catalogue as Map<string, Component>;
  for (const [name, component] of components)
    rows.set(name, (call, page) => component(notedCall(call), page));
}

/** Fallbacks are read only without the attributes that they replace. */
function eachAlone(documented: ReadonlyMap<string, Set<string>>): string {
  const parents = new Map([
    ['Tab', 'Tabs'],
    ['Step', 'Steps'],
  ]);
  return [...documented]
    .flatMap(([name, attributes]) =>
      [...attributes].map((attribute) => {
        const start = `<${name} ${attribute}="text"`;
        const tag = `${start}>Text</${name}>${start} />`;
        const parent = parents.get(name);
        return parent === undefined ? tag : `<${parent}>${tag}</${parent}>`;
      }),
    )
    .join('\n\n');
}

async function renderAll(files: Record<string, string>): Promise<void> {
  await withFolder(files, async (root) => {
    const site = await loadSite({ root });
    const plan = planSite(site, {});
    for (const task of planTasks(site, plan, new Map())) renderPage(siteTools(plan), task, 'fast');
  });
}

function fixtures(): Record<string, string> {
  const root = fixture('components');
  return Object.fromEntries(
    readdirSync(root).map((name) => [`${name}.mdx`, readFileSync(join(root, name, 'input.mdx'), 'utf8')]),
  );
}
