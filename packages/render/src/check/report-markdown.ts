/**
 * The quality report as Markdown for build summaries and merge request comments. Quoted text is untrusted, so
 * nothing of it may become a heading, a link or a mention.
 */
import { otherPlaces } from './aggregate.ts';
import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { SiteReport } from './report.ts';

/** Build servers truncate long summaries; the other formats list everything. */
const maxRows = 50;
const maxMessageCharacters = 300;

const severityWords: Record<Severity, string> = { error: '🔴 error', warning: '🟡 warning', info: '🔵 note' };

export function reportMarkdown(
  report: Pick<SiteReport, 'pages' | 'errors' | 'warnings' | 'infos' | 'diagnostics'>,
): string {
  const { pages, errors, warnings, infos, diagnostics } = report;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(infos, 'note')];
  const head = `**${counted(pages, 'page')}: ${counts.join(', ')}.**\n`;
  const rows = diagnostics.slice(0, maxRows).map(rowOf);
  if (rows.length === 0) return head;
  const hidden = errors + warnings + infos - rows.length;
  const rest = hidden > 0 ? `\n… and ${hidden} more in the full report.\n` : '';
  return `${head}\n| Severity | Place | Finding | Code |\n|---|---|---|---|\n${rows.join('')}${rest}`;
}

function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

function rowOf(finding: Diagnostic): string {
  const { severity, file, line, column, message, hint, code } = finding;
  const others = otherPlaces(finding);
  const place = [file === '' ? 'the site' : file, line, column]
    .filter((part) => part !== undefined)
    .join(':');
  const said = [message, others, hint].filter((part) => part !== undefined).join('. ');
  const short = said.length > maxMessageCharacters ? `${said.slice(0, maxMessageCharacters)}…` : said;
  return `| ${severityWords[severity]} | ${plain(place)} | ${plain(short)} | ${plain(code)} |\n`;
}

/** Escapes every character with a meaning in Markdown or on a forge, and joins lines. */
function plain(text: string): string {
  return (
    text
      .toWellFormed()
      // eslint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .replaceAll(/[^\p{L}\p{M}\p{N} .,;?…'()/-]/gu, (character) => `&#${character.codePointAt(0)};`)
      // Forges link bare addresses, issue numbers and hashes.
      .replaceAll(/\b(www)\./gi, '$1&#46;')
  );
}
