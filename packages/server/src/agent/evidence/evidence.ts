/** What an agent names in support of its changes, and what the checks make of it. */

export interface Evidence {
  page: string;
  /** A quote of the changed page. */
  statement: string;
  /** Lines of code or pages: `api/src/main.ts#L10-L20`, `api@1a2b3c4:src/main.ts#L10` or `guides/start.mdx#L3`. */
  sources: string[];
}

export interface CheckedEvidence extends Pick<Evidence, 'page' | 'statement'> {
  sources: EvidenceSource[];
}

/** Lines that exist. */
export interface EvidenceSource {
  /** Null for a page of the documentation. */
  code: { name: string; repository: string; commit: string } | null;
  /** Relative to the repository of the code, or to the docs folder. */
  path: string;
  fromLine: number;
  toLine: number;
}

export function sourceText({ code, path, fromLine, toLine }: EvidenceSource): string {
  const place = code === null ? path : `${code.name}@${code.commit.slice(0, 12)}:${path}`;
  return `${place}#L${fromLine}${toLine === fromLine ? '' : `-L${toLine}`}`;
}
