/** Positions of the header's fields, in 32-bit words. */
export const header = {
  magic: 0,
  kind: 1,
  nodeBytes: 2,
  nodes: 4,
  children: 6,
  data: 8,
  poolBytes: 9,
  pool: 10,
};
/** Positions of a node's fields, in 32-bit words. */
export const field = {
  type: 1,
  start: 3,
  end: 4,
  line: 5,
  column: 6,
  firstChild: 9,
  childCount: 10,
  data: 11,
  dataBytes: 12,
};
export const magic = 0x52_41_44_4d;
export const markdownKind = 1;

export const kind = {
  heading: 2,
  rule: 3,
  list: 5,
  listItem: 6,
  html: 7,
  code: 8,
  definition: 9,
  text: 10,
  inlineCode: 13,
  break: 14,
  link: 15,
  image: 16,
  linkReference: 17,
  imageReference: 18,
  footnoteDefinition: 19,
  footnoteReference: 20,
  table: 21,
  flowElement: 100,
  textElement: 101,
  flowExpression: 102,
  textExpression: 103,
  module: 104,
};

export const names: readonly string[] = namesByNumber({
  0: 'root paragraph heading thematicBreak blockquote list listItem html code definition text emphasis strong',
  13: 'inlineCode break link image linkReference imageReference footnoteDefinition footnoteReference',
  21: 'table tableRow tableCell delete',
  100: 'mdxJsxFlowElement mdxJsxTextElement mdxFlowExpression mdxTextExpression mdxjsEsm',
});

function namesByNumber(runs: Record<number, string>): string[] {
  const list: string[] = [];
  for (const [first, run] of Object.entries(runs))
    run.split(' ').forEach((name, index) => (list[Number(first) + index] = name));
  return list;
}

/** The position of a string in a node's data, by node type. */
export type Places = Int8Array;
export const none = -1;

function places(known: Record<number, number>): Places {
  const list = new Int8Array(256).fill(none);
  for (const [each, offset] of Object.entries(known)) list[Number(each)] = offset;
  return list;
}

export const valueAt = places({
  [kind.html]: 0,
  [kind.code]: 16,
  [kind.text]: 0,
  [kind.inlineCode]: 0,
  [kind.flowExpression]: 0,
  [kind.textExpression]: 0,
  [kind.module]: 0,
});
export const langAt = places({ [kind.code]: 0 });
export const metaAt = places({ [kind.code]: 8 });
export const urlAt = places({ [kind.definition]: 0, [kind.link]: 0, [kind.image]: 0 });
export const titleAt = places({ [kind.definition]: 8, [kind.link]: 8, [kind.image]: 16 });
export const altAt = places({ [kind.image]: 8, [kind.imageReference]: 20 });
const references = [kind.linkReference, kind.imageReference, kind.footnoteDefinition, kind.footnoteReference];
export const identifierAt = places({
  [kind.definition]: 16,
  ...Object.fromEntries(references.map((each) => [each, 0])),
});
export const labelAt = places({
  [kind.definition]: 24,
  ...Object.fromEntries(references.map((each) => [each, 8])),
});

export const isLeaf = new Uint8Array(256);
for (const each of [
  kind.rule,
  kind.definition,
  kind.break,
  kind.image,
  kind.imageReference,
  kind.footnoteReference,
])
  isLeaf[each] = 1;
valueAt.forEach((offset, each) => {
  if (offset !== none) isLeaf[each] = 1;
});
