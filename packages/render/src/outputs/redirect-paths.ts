import type { Pattern } from '../navigation/redirect-pattern.ts';

/** Matches the paths that a destination can produce. */
export function pathPattern(source: Pattern, destination: Pattern): Pattern {
  const end = destination.findIndex((part) => 'text' in part && /[?#]/.test(part.text));
  return destination.slice(0, end < 0 ? undefined : end + 1).map((part) => {
    if ('text' in part) return { text: decodePath(splitSuffix(part.text)[0]) };
    return source.find((one) => 'name' in one && one.name === part.name) ?? part;
  });
}

export function splitSuffix(address: string): [string, string] {
  const end = address.search(/[?#]/);
  return end < 0 ? [address, ''] : [address.slice(0, end), address.slice(end)];
}

export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
