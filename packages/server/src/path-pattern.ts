/** `*` matches within a name, `**` any folders. Dynamic programming keeps every pattern linear. */
export function matchesPattern(pattern: string, path: string): boolean {
  return matchSegments(pattern.replace(/^\/+/, '').split('/').slice(0, 50), path.split('/'));
}

function matchSegments(pattern: readonly string[], parts: readonly string[]): boolean {
  // `reached[i]`: the first i segments match the parts so far.
  let reached = pattern.map((_, index) => pattern.slice(0, index).every((part) => part === '**'));
  reached.push(pattern.every((part) => part === '**'));
  for (const part of parts) {
    const next = reached.map(() => false);
    pattern.forEach((segment, index) => {
      if (segment === '**') {
        next[index] ||= reached[index] ?? false;
        next[index + 1] ||= (reached[index] ?? false) || (next[index] ?? false);
      } else if (reached[index] && matchesName(segment, part)) next[index + 1] = true;
    });
    // `**` also matches no folder.
    pattern.forEach((segment, index) => {
      if (segment === '**' && next[index]) next[index + 1] = true;
    });
    reached = next;
  }
  return reached.at(-1) ?? false;
}

function matchesName(segment: string, name: string): boolean {
  const [first = '', ...rest] = segment.split('*');
  if (rest.length === 0) return segment === name;
  const last = rest.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}
