import { code, linkTo, oneLine, type Secrets } from './safe-text.ts';

export interface ShownEvidence {
  page: string;
  statement: string;
  /** `url` is built from the settings, or null. */
  sources: readonly { text: string; url: string | null }[];
}

interface EvidenceFacts extends Secrets {
  evidence: readonly ShownEvidence[];
}

const maxEvidence = 50;

export function evidenceSection(facts: EvidenceFacts): string {
  if (facts.evidence.length === 0) return '';
  const shown = facts.evidence.slice(0, maxEvidence);
  const lines = shown.map(({ page, statement, sources }) => {
    const places = sources.map(({ text, url }) => {
      const link = linkTo(url);
      return link === undefined ? code(text, facts) : `[${code(text, facts)}](${link})`;
    });
    return `- ${code(page, facts)}: “${oneLine(statement, facts)}” ${places.join(', ')}`;
  });
  const more = facts.evidence.length - shown.length;
  const note = 'The agent names these sources. Docyard checked that the lines exist, not what they mean.';
  return ['### Evidence', note, [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')].join(
    '\n\n',
  );
}
