/**
 * Command names of other docs.json tools and former names of commands. The words are replaced before parsing; flags
 * for default behavior are dropped.
 */
interface Alias {
  words: readonly string[];
  dropped?: readonly string[];
}

const links = 'broken_link,broken_anchor,redirect_broken,nav_page_missing,image_missing';
const accessibility = 'missing_alt,color_contrast,heading_order,duplicate_id';

export const aliases: Record<string, Alias> = {
  'broken-links': {
    words: ['check', '--only', links, '--fail-on', 'info'],
    dropped: ['--check-anchors', '--check-redirects', '--check-snippets'],
  },
  a11y: { words: ['check', '--only', accessibility, '--fail-on', 'info'] },
  validate: { words: ['check', '--strict'] },
  people: { words: ['users'] },
  version: { words: ['--version'] },
};

export function withoutAlias(args: readonly string[]): string[] {
  const [name = '', ...rest] = args;
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (alias === undefined) return [...args];
  return [...alias.words, ...rest.filter((word) => !alias.dropped?.includes(word))];
}
