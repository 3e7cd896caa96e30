/** `docyard site analytics`: shows or exports what readers of a site did. */
import type { Command } from 'commander';
import type { DailyCount, Feedback } from '../analytics/analytics-database.ts';
import { type CommandNames, SiteCommandError } from './command-error.ts';
import { dataFolderOf, type FolderOptions } from './data-folder.ts';
import { tableText } from './table.ts';

interface AnalyticsOptions extends FolderOptions {
  days: string;
  csv?: boolean;
}

const maxRows = 20;
const dayMs = 86_400_000;

export function describeAnalytics(command: Command, names: CommandNames): void {
  command
    .description('Show page views, searches and feedback, if analytics.enabled is on.')
    .option('--days <number>', 'number of days, including today', '30')
    .option('--csv', 'print all counts and feedback as CSV')
    .addHelpText(
      'after',
      `\nExamples:\n  ${names.site} analytics --data /var/lib/docyard-site\n  ${names.site} analytics --days 90 --csv >readers.csv`,
    )
    .action(showAnalytics);
}

async function showAnalytics(options: AnalyticsOptions): Promise<void> {
  const [{ AnalyticsDatabase, analyticsFile }, { csvOfReadings }] = await Promise.all([
    import('../analytics/analytics-database.ts'),
    import('../analytics/readings-csv.ts'),
  ]);
  const [{ existsSync }, { join }] = await Promise.all([import('node:fs'), import('node:path')]);
  if (options.csv && options.json) throw new SiteCommandError('Pass --csv or --json, not both.', 'usage');
  const since = firstDay(options.days);
  const folder = await dataFolderOf(options);
  if (!existsSync(join(folder, analyticsFile)))
    throw new SiteCommandError(
      `${folder} contains no analytics. Set analytics.enabled to on and restart the site.`,
      'not_found',
    );
  const database = AnalyticsDatabase.open(folder, { readOnly: true });
  try {
    if (options.csv) {
      for (const line of csvOfReadings(database.counts(since), database.feedback(since)))
        process.stdout.write(line);
      return;
    }
    const counts = [...database.counts(since)];
    const feedback = [...database.feedback(since)];
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ since, counts, feedback }, null, 2)}\n`
        : summaryText(counts, feedback),
    );
  } finally {
    database.close();
  }
}

function firstDay(text: string): string {
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > 3650)
    throw new SiteCommandError(`--days ${text}: must be a whole number from 1 to 3650.`, 'usage');
  return new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
}

function summaryText(counts: readonly DailyCount[], feedback: readonly Feedback[]): string {
  const of = (metric: DailyCount['metric']) => counts.filter((each) => each.metric === metric);
  const votes = (isHelpful: boolean) => feedback.filter((each) => each.isHelpful === isHelpful).length;
  const sections = [
    `Page views  ${sum(of('views'), 'human')} by humans, ${sum(of('views'), 'agent')} by agents\n`,
    `Searches    ${total(of('searches'))}, ${total(of('empty_searches'))} without results\n`,
    `Feedback    ${votes(true)} helpful, ${votes(false)} not helpful\n`,
    topTable('Pages', of('views')),
    topTable('Searches without results', of('empty_searches')),
    topTable('Missing pages', of('missing')),
    commentsTable(feedback),
  ];
  return sections.join('');
}

function topTable(title: string, counts: readonly DailyCount[]): string {
  const names = new Map<string, DailyCount[]>();
  for (const each of counts) names.set(each.name, [...(names.get(each.name) ?? []), each]);
  const rows = [...names]
    .toSorted(([, a], [, b]) => total(b) - total(a))
    .slice(0, maxRows)
    .map(([name, all]) => ({
      [title]: name,
      humans: String(sum(all, 'human')),
      agents: String(sum(all, 'agent')),
    }));
  return rows.length === 0 ? '' : `\n${tableText(rows)}`;
}

function commentsTable(feedback: readonly Feedback[]): string {
  const rows = feedback
    .filter(({ comment }) => comment !== null)
    .slice(-maxRows)
    .map(({ day, path, isHelpful, comment }) => ({
      day,
      page: path,
      helpful: isHelpful ? 'yes' : 'no',
      comment: (comment ?? '').replaceAll('\n', ' ').slice(0, 200),
    }));
  return rows.length === 0 ? '' : `\n${tableText(rows)}`;
}

function total(counts: readonly DailyCount[]): number {
  return counts.reduce((all, { count }) => all + count, 0);
}

function sum(counts: readonly DailyCount[], reader: DailyCount['reader']): number {
  return total(counts.filter((each) => each.reader === reader));
}
