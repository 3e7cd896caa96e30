/** SVG can run code and load from other hosts; a drawing that does either is blocked. */
import { type Rule, block } from './rule.ts';

export const drawingRule: Rule = {
  name: 'drawings',
  judge: ({ files }) =>
    files.flatMap(({ path, before, after }) => {
      if (after === null || after === before || !/\.svg$/i.test(path)) return [];
      const found = active.find(([pattern]) => pattern.test(after));
      return found ? [block(path, `The drawing contains ${found[1]}.`)] : [];
    }),
};

const active: readonly [pattern: RegExp, what: string][] = [
  [
    /<\s*(?:\w{1,20}:)?(?:script|foreignObject|iframe|object|embed|handler|listener)\b/i,
    'code or an embedded document',
  ],
  [/[\s"'/]on[a-z]{2,40}\s{0,10}=/i, 'an event handler'],
  [/<!(?:ENTITY|DOCTYPE)|<\?xml-stylesheet/i, 'a document type, an entity or a stylesheet'],
  [/(?:href|src)\s{0,10}=\s{0,10}["']?\s{0,10}(?!#|["'])[^#\s]/i, 'an address'],
  [/@import|url\(\s{0,10}["']?(?!\s{0,10}["']?#)/i, 'an address in a style'],
  // Animated attributes and character references can hide any of the above.
  [
    /<\s*(?:set|animate)\b[^>]{0,500}attributeName\s{0,10}=\s{0,10}["']?(?:xlink:)?(?:href|on)/i,
    'an animated attribute',
  ],
  [/&#/, 'character references'],
];
