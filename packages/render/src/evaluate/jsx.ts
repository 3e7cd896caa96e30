/** Names and text in JSX syntax. */
import type { JSXAttribute, JSXElement } from 'estree-jsx';

export function jsxName(name: JSXElement['openingElement']['name']): string {
  if (name.type === 'JSXIdentifier') return name.name;
  if (name.type === 'JSXMemberExpression') return `${jsxName(name.object)}.${name.property.name}`;
  return `${name.namespace.name}:${name.name.name}`;
}

export function attributeName({ name }: JSXAttribute): string {
  return name.type === 'JSXIdentifier' ? name.name : `${name.namespace.name}:${name.name.name}`;
}

/** JSX drops the white space around line breaks and keeps the rest. */
export function jsxText(text: string): string {
  const lines = text.split('\n');
  return lines
    .map((line, index) => {
      let kept = line.replaceAll('\t', ' ');
      if (index > 0) kept = kept.replace(/^ +/, '');
      if (index < lines.length - 1) kept = kept.replace(/ +$/, '');
      return kept;
    })
    .filter((line) => line !== '')
    .join(' ');
}
