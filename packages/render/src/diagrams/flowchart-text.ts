/** The parts of a flowchart, and their text for the drawing library. */
import { nodeStyles } from './flowchart-colors.ts';
import { encodeLabel } from './source.ts';

export interface FlowNode {
  id: string;
  label: string;
  open: string;
  close: string;
  styles: Map<string, string>;
  group: Group | undefined;
}

export interface Group {
  id: string;
  name: string;
  label: string;
  direction?: string;
  parent: Group | undefined;
}

export interface FlowEdge {
  from: string;
  to: string;
  line: '-->' | '---' | '-.->' | '-.-' | '==>' | '===';
  back: boolean;
  label: string;
  styles: Map<string, string>;
}

export interface FlowchartParts {
  direction: string;
  /** By the author's id. */
  nodes: ReadonlyMap<string, FlowNode>;
  groups: readonly Group[];
  edges: readonly FlowEdge[];
}

export function flowchartText({ direction, nodes, groups, edges }: FlowchartParts): string {
  const ids = new Map([...nodes.keys()].map((id, index) => [id, `n${index + 1}`]));
  const idOf = (id: string): string => ids.get(id) ?? groups.find((group) => group.name === id)?.id ?? id;
  const define = (node: FlowNode): string =>
    `${idOf(node.id)}${node.open}${encodeLabel(node.label)}${node.close}`;
  const inside = (group: Group | undefined): string[] => [
    ...[...nodes.values()].filter((node) => node.group === group).map(define),
    ...groups
      .filter((inner) => inner.parent === group && isFilled(inner, nodes, groups))
      .flatMap((inner) => [
        `subgraph ${inner.id} [${encodeLabel(inner.label) || '\u200b'}]`,
        ...(inner.direction ? [`direction ${inner.direction}`] : []),
        ...inside(inner),
        'end',
      ]),
  ];
  const links = edges.map(({ from, to, line, back, label }) => {
    const words = label ? `|${encodeLabel(label)}|` : '';
    return `${idOf(from)} ${back ? '<' : ''}${line}${words} ${idOf(to)}`;
  });
  const styles = [...nodes.values()].flatMap((node) => {
    const text = nodeStyles(node.styles);
    return text ? [`style ${idOf(node.id)} ${text}`] : [];
  });
  const linkStyles = edges.flatMap((edge, index) => {
    const stroke = edge.styles.get('stroke');
    return stroke ? [`linkStyle ${index} stroke:${stroke}`] : [];
  });
  return [`flowchart ${direction}`, ...inside(undefined), ...links, ...styles, ...linkStyles].join('\n');
}

function isFilled(group: Group, nodes: FlowchartParts['nodes'], groups: readonly Group[]): boolean {
  return (
    [...nodes.values()].some((node) => node.group === group) ||
    groups.some((inner) => inner.parent === group && isFilled(inner, nodes, groups))
  );
}
