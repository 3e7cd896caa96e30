/**
 * The quality report as Markdown, for places that show it beside a change: summaries of build steps, comments on merge requests.
 * What it quotes comes from strangers' files, so nothing of it may become a heading, a link or a mention.
 */
import { otherPlaces } from './aggregate.ts';
import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { SiteReport } from './report.ts';

/** A summary is read at a glance, and build servers cut long ones; the other forms list everything. */
const mostRows = 50;
const longestMessage = 300;

const severityWords: Record<Severity, string> = { error: '🔴 error', warning: '🟡 warning', info: '🔵 note' };

export function reportMarkdown(
  report: Pick<SiteReport, 'pages' | 'errors' | 'warnings' | 'infos' | 'diagnostics'>,
): string {
  const { pages, errors, warnings, infos, diagnostics } = report;
  const counts = [counted(errors, 'error'), counted(warnings, 'warning'), counted(infos, 'note')];
  const head = `**${counted(pages, 'page')}: ${counts.join(', ')}.**\n`;
  const rows = diagnostics.slice(0, mostRows).map(rowOf);
  if (rows.length === 0) return head;
  const hidden = errors + warnings + infos - rows.length;
  const rest = hidden > 0 ? `\n… and ${hidden} more, which the whole report lists.\n` : '';
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
  const short = said.length > longestMessage ? `${said.slice(0, longestMessage)}…` : said;
  return `| ${severityWords[severity]} | ${plain(place)} | ${plain(short)} | ${plain(code)} |\n`;
}

/** Every character that Markdown or a forge could see a meaning in, as a character reference; lines become one. */
function plain(text: string): string {
  return (
    text
      .toWellFormed()
      // eslint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .replaceAll(/[^\p{L}\p{M}\p{N} .,;?…'()/-]/gu, (character) => `&#${character.codePointAt(0)};`)
      // Forges make links of bare addresses, and of numbers and hashes in places of their own.
      .replaceAll(/\b(www)\./gi, '$1&#46;')
  );
}
