/**
 * Parses flowcharts and normalizes them for the drawing library: one statement per line, plain ids, escaped
 * labels. An unknown statement is an error and never omitted.
 */
import { readStyles } from './flowchart-colors.ts';
import { namedShapes, openings } from './flowchart-shapes.ts';
import { type FlowEdge, type FlowNode, type Group, flowchartText } from './flowchart-text.ts';
import { type DiagramSource, DiagramError, labelText } from './source.ts';

const labelWidth = 30;

export function canonicalFlowchart(source: DiagramSource): string {
  const chart = new Flowchart();
  const direction = /^(?:graph|flowchart(?:-elk)?)\b\s*(TD|TB|LR|BT|RL|[<>v^])?\s*;?\s*(.*)$/i.exec(
    source.header,
  );
  if (!direction) throw new DiagramError('its first line is not understood', 1);
  const given = direction[1]?.toUpperCase() ?? 'TB';
  chart.direction = { '>': 'LR', '<': 'RL', '^': 'BT', V: 'TB' }[given] ?? given;
  const text = [direction[2] ?? '', ...source.lines].join('\n');
  chart.read(text);
  return chart.text();
}

const nodeId =
  /[\p{L}\p{N}\p{Extended_Pictographic}_$*'#!?\\+%]+(?:[.:/-](?![-.:/])[\p{L}\p{N}_$*'#!?\\+%]+)*/uy;
const plainLink = /([<ox](?=[-=]))?(?:(-{2,})([->ox])|(-\.+-)([>ox])?|(={2,})([=>ox])|(~{3,}))/y;
const textLink =
  /([<ox](?=[-=]))?(--|-\.|==)(?![->])[ \t]*("[^"]*"|[^\n]+?)[ \t]*(-{2,}[->ox]|\.+-[>ox]?|={2,}[=>ox])/y;

class Flowchart {
  direction = 'TB';
  readonly #nodes = new Map<string, FlowNode>();
  readonly #groups: Group[] = [];
  readonly #edges: FlowEdge[] = [];
  readonly #hiddenLinks = new Set<number>();
  readonly #linkNames = new Set<string>();
  readonly #classes = new Map<string, Map<string, string>>();
  readonly #assignments: [string, string][] = [];
  #open: Group | undefined;
  #links = 0;
  #text = '';
  #at = 0;

  read(text: string): void {
    this.#text = text;
    while (this.#skipTo()) {
      try {
        this.#statement();
      } catch (error) {
        if (error instanceof DiagramError && error.line === undefined)
          throw new DiagramError(error.message, text.slice(0, this.#at).split('\n').length - 1);
        throw error;
      }
    }
    if (this.#nodes.size === 0) throw new DiagramError('it has no nodes');
    for (const [id, name] of this.#assignments) this.#style(id, this.#classes.get(name));
  }

  text(): string {
    const { direction } = this;
    return flowchartText({ direction, nodes: this.#nodes, groups: this.#groups, edges: this.#edges });
  }

  #skipTo(): boolean {
    while (/[\s;]/.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#at < this.#text.length;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match;
  }

  #restOfLine(): string {
    return this.#match(/[^\n]*/y)?.[0].trim() ?? '';
  }

  #statement(): void {
    const start = this.#at;
    const word = this.#match(
      /(subgraph|end|direction|classDef|class|style|linkStyle|click|href|callback)(?=[\s;]|$)[ \t]*/y,
    )?.[1];
    switch (word) {
      case 'subgraph':
        return this.#openGroup(this.#restOfLine());
      case 'end':
        this.#open = this.#open?.parent;
        return;
      case 'direction': {
        const direction = this.#restOfLine().replace(/;$/, '').toUpperCase();
        if (this.#open && /^(?:TD|TB|LR|BT|RL)$/.test(direction)) this.#open.direction = direction;
        return;
      }
      case 'classDef': {
        const [, names = '', styles = ''] = /^(\S+)\s+(.*)$/.exec(this.#restOfLine()) ?? [];
        for (const name of names.split(',')) this.#classes.set(name, readStyles(styles));
        return;
      }
      case 'class': {
        const [, ids = '', name = ''] = /^(.+?)\s+(\S+?);?$/.exec(this.#restOfLine()) ?? [];
        for (const id of ids.split(',')) this.#assignments.push([id.trim(), name]);
        return;
      }
      case 'style': {
        const [, ids = '', styles = ''] = /^(\S+)\s+(.*)$/.exec(this.#restOfLine()) ?? [];
        for (const id of ids.split(',')) this.#style(id, readStyles(styles));
        return;
      }
      case 'linkStyle': {
        const [, which = '', styles = ''] = /^(default|[\d,\s]+)\s+(.*)$/.exec(this.#restOfLine()) ?? [];
        return this.#styleLinks(which, readStyles(styles));
      }
      case 'click':
      case 'href':
      case 'callback':
        this.#restOfLine();
        return;
      default:
        this.#at = start;
        return this.#isAboutLink() ? undefined : this.#chain();
    }
  }

  /** `e1@{ animate: true }` styles the link of that name and has no effect on a static drawing. */
  #isAboutLink(): boolean {
    const start = this.#at;
    const name = this.#match(/([\w-]+)@\{[^{}]*\}/y)?.[1];
    if (name !== undefined && this.#linkNames.has(name)) return true;
    this.#at = start;
    return false;
  }

  #openGroup(rest: string): void {
    const [, id, title] =
      /^([^\s["]+)\s*\[\s*(.*?)\s*\]$/.exec(rest) ?? /^([^\s["]+)\s*(".*")$/.exec(rest) ?? [];
    const name = id ?? rest.replace(/^"(.*)"$/, '$1');
    const group: Group = {
      id: `g${this.#groups.length + 1}`,
      name,
      label: labelText(title ?? name, 60),
      parent: this.#open,
    };
    this.#groups.push(group);
    this.#open = group;
  }

  #style(id: string, styles: Map<string, string> | undefined): void {
    const node = this.#nodes.get(id);
    if (node && styles) for (const [key, value] of styles) node.styles.set(key, value);
  }

  #styleLinks(which: string, styles: Map<string, string>): void {
    const stroke = styles.get('stroke');
    if (stroke === undefined) return;
    const hidden = (index: number): number => [...this.#hiddenLinks].filter((other) => other < index).length;
    const chosen =
      which === 'default'
        ? this.#edges
        : which.split(',').map((index) => this.#edges[Number(index) - hidden(Number(index))]);
    for (const edge of chosen) edge?.styles.set('stroke', stroke);
  }

  #chain(): void {
    let from = this.#nodeGroup();
    for (;;) {
      this.#match(/[ \t]*(?:\n[ \t]*(?=(?:[<ox]?(?:--|-\.|==|~~~))))?/y);
      if (/^(?:$|[\n;])/.test(this.#text.slice(this.#at, this.#at + 1))) return;
      const link = this.#link();
      this.#match(/\s*/y);
      const to = this.#nodeGroup();
      for (const source of from)
        for (const target of to) {
          if (link) this.#edges.push({ from: source, to: target, ...link, styles: new Map() });
          else this.#hiddenLinks.add(this.#links);
          this.#links++;
        }
      from = to;
    }
  }

  #link(): Omit<FlowEdge, 'from' | 'to' | 'styles'> | undefined {
    const name = this.#match(/([\w-]+)@(?=[-=~<ox])/y)?.[1];
    if (name) this.#linkNames.add(name);
    const plain = this.#match(plainLink);
    if (plain) {
      const [, back, solid, solidHead, dotted, dottedHead, , thickHead, invisible] = plain;
      const label = this.#match(/[ \t]*\|([^|]*)\|/y)?.[1] ?? '';
      if (invisible) return undefined;
      const head = solid ? solidHead : dotted ? dottedHead : thickHead;
      const arrow = head !== undefined && /[>ox]/.test(head);
      const line = lineOf(solid ? '--' : dotted ? '-.' : '==', arrow);
      return { line, back: back !== undefined && arrow, label: labelText(label, labelWidth) };
    }
    const worded = this.#match(textLink);
    if (!worded)
      throw new DiagramError(
        `"${this.#text.slice(this.#at).split('\n')[0]?.slice(0, 40)}" is not understood`,
      );
    const [, back, open, label = '', close = ''] = worded;
    const arrow = /[>ox]$/.test(close);
    const line = lineOf(open === '-.' || open === '==' ? open : '--', arrow);
    return { line, back: back !== undefined && arrow, label: labelText(label, labelWidth) };
  }

  #nodeGroup(): string[] {
    const ids = [this.#node()];
    while (this.#match(/\s*&\s*/y)) ids.push(this.#node());
    return ids;
  }

  #node(): string {
    const id = this.#match(nodeId)?.[0];
    if (id === undefined)
      throw new DiagramError(
        `"${this.#text.slice(this.#at).split('\n')[0]?.slice(0, 40)}" is not understood`,
      );
    const known = this.#nodes.get(id);
    const node: FlowNode = known ?? {
      id,
      label: id,
      open: '[',
      close: ']',
      styles: new Map(),
      group: this.#open,
    };
    if (!known && !this.#groups.some((group) => group.name === id && group !== this.#open))
      this.#nodes.set(id, node);
    node.group ??= this.#open;
    this.#shape(node);
    for (let name = this.#match(/:::([\w-]+)/y); name; name = this.#match(/:::([\w-]+)/y))
      this.#assignments.push([id, name[1] ?? '']);
    return id;
  }

  #shape(node: FlowNode): void {
    const details = this.#match(/@\{([^{}]*)\}/y)?.[1];
    if (details !== undefined) {
      const shape = /shape\s*:\s*["']?([\w-]+)/.exec(details)?.[1] ?? '';
      const label = /label\s*:\s*(?:"([^"]*)"|'([^']*)'|([^,\n]+))/.exec(details);
      [node.open, node.close] = namedShapes[shape] ?? ['[', ']'];
      node.label = labelText(label?.[1] ?? label?.[2] ?? label?.[3] ?? node.label, labelWidth);
      return;
    }
    const opening = openings.find(([open]) => this.#text.startsWith(open, this.#at));
    if (!opening) return;
    const [open, closings, drawnOpen, drawnClose] = opening;
    const start = this.#at + open.length;
    const end = this.#endOfLabel(start, closings);
    if (!end) throw new DiagramError(`the label of "${node.id}" is not closed`);
    node.label = labelText(this.#text.slice(start, end.at), labelWidth) || ' ';
    node.open = drawnOpen;
    node.close = drawnClose;
    this.#at = end.at + end.length;
  }

  /** After its closing quote, or at the first bracket that closes it outside nested ones. */
  #endOfLabel(start: number, closings: string[]): { at: number; length: number } | undefined {
    const quoted = /\s*"[^"]*"\s*/y;
    quoted.lastIndex = start;
    let at = start + (quoted.exec(this.#text)?.[0].length ?? 0);
    let depth = 0;
    for (; at < this.#text.length; at++) {
      const closing = closings.find((text) => this.#text.startsWith(text, at));
      if (closing && depth === 0) return { at, length: closing.length };
      if (/[[({]/.test(this.#text[at] ?? '')) depth++;
      else if (depth > 0 && /[\])}]/.test(this.#text[at] ?? '')) depth--;
    }
    return undefined;
  }
}

function lineOf(start: '--' | '-.' | '==', arrow: boolean): FlowEdge['line'] {
  if (start === '-.') return arrow ? '-.->' : '-.-';
  if (start === '==') return arrow ? '==>' : '===';
  return arrow ? '-->' : '---';
}
