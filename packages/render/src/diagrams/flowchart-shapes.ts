/** The shapes of nodes in flowcharts, by their brackets and by their names. */

/** What opens a label, what may close it, and the brackets that are drawn. */
export const openings: [string, string[], string, string][] = [
  ['(((', [')))'], '(((', ')))'],
  ['([', ['])'], '([', '])'],
  ['((', ['))'], '((', '))'],
  ['[[', [']]'], '[[', ']]'],
  ['[(', [')]'], '[(', ')]'],
  ['[/', ['/]', '\\]'], '[/', '\\]'],
  ['[\\', ['/]', '\\]'], '[\\', '/]'],
  ['{{', ['}}'], '{{', '}}'],
  ['[', [']'], '[', ']'],
  ['(', [')'], '(', ')'],
  ['{', ['}'], '{', '}'],
  ['>', [']'], '>', ']'],
];

/** The names of shapes in the `@{ shape: … }` form, by the brackets that draw something like them. */
export const namedShapes: Record<string, [string, string]> = {
  rounded: ['(', ')'],
  event: ['(', ')'],
  stadium: ['([', '])'],
  pill: ['([', '])'],
  terminal: ['([', '])'],
  subproc: ['[[', ']]'],
  'fr-rect': ['[[', ']]'],
  subroutine: ['[[', ']]'],
  cyl: ['[(', ')]'],
  db: ['[(', ')]'],
  database: ['[(', ')]'],
  cylinder: ['[(', ')]'],
  disk: ['[(', ')]'],
  circle: ['((', '))'],
  circ: ['((', '))'],
  'dbl-circ': ['(((', ')))'],
  diam: ['{', '}'],
  decision: ['{', '}'],
  diamond: ['{', '}'],
  question: ['{', '}'],
  hex: ['{{', '}}'],
  hexagon: ['{{', '}}'],
  odd: ['>', ']'],
  'trap-b': ['[/', '\\]'],
  'trap-t': ['[\\', '/]'],
};
