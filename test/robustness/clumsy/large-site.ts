/** A site of any size whose pages share the words of the tasks, so that only a good search finds the right page. */
import { writeSite } from '../dialects/dialect-case.ts';
import { temporaryFolder } from '../../temporary-resources.ts';
import { clumsyTasks, type ClumsyTask } from './tasks.ts';

export interface LargeSite {
  folder: string;
  files: Readonly<Record<string, string>>;
}

const topics =
  'rate-limits timeouts webhooks audit-logs backups retries quotas regions tokens sessions uploads exports imports invoices roles guests search alerts metrics traces proxies certificates domains caching queues'.split(
    ' ',
  );
const kinds = ['overview', 'setup', 'reference', 'examples', 'troubleshooting'];

export async function createLargeSite(pages: number): Promise<LargeSite> {
  const folder = temporaryFolder('large-site');
  const files = largeSiteFiles(pages);
  writeSite(folder, files);
  return { folder, files };
}

export function largeSiteFiles(pages: number): Record<string, string> {
  const others = Array.from({ length: pages - clumsyTasks.length }, (_, number) => otherPage(number));
  const ofTasks = clumsyTasks.map((task) => [task.path, taskPage(task)] as const);
  const middle = Math.floor(others.length / 2);
  const all = [...others.slice(0, middle), ...ofTasks, ...others.slice(middle)];
  const groups = Map.groupBy(all, ([path]) => path.split('/', 1)[0] ?? '');
  const navigation = {
    groups: [...groups].map(([group, of]) => ({
      group,
      pages: of.map(([path]) => path.replace('.mdx', '')),
    })),
  };
  const config = { theme: 'mint', name: 'Harbour', colors: { primary: '#0f766e' }, navigation };
  return { 'docs.json': `${JSON.stringify(config, null, 1)}\n`, ...Object.fromEntries(all) };
}

function otherPage(number: number): [path: string, content: string] {
  const topic = topics[number % topics.length] ?? '';
  const kind = kinds[Math.floor(number / topics.length) % kinds.length] ?? '';
  const product = `berth-${Math.floor(number / (topics.length * kinds.length)) + 1}`;
  const words = topic.replaceAll('-', ' ');
  const content = [
    '---',
    `title: ${words} of ${product}, ${kind}`,
    `description: The ${kind} of ${words} in ${product}.`,
    '---',
    '',
    `## Configure ${words} in ${product}`,
    '',
    `This ${kind} explains ${words} for ${product}. The plan sets the rate limit.`,
    'Each webhook has a signing secret. Audit entries name a team, and invoices are sent by mail.',
    'A long request is logged after 30 seconds, and the log is kept for 30 days.',
    '',
    `## Limits of ${words}`,
    '',
    `A team of ${product} may send ${(number % 90) + 10} requests per minute. Restore a backup to undo an upload.`,
    '',
    '## Where to get help',
    '',
    `Open the status page, or ask a guest of ${product} about the invoice of number ${number}.`,
  ];
  return [`${product}/${topic}/${kind}.mdx`, `${content.join('\n')}\n`];
}

function taskPage({ title, heading, old }: ClumsyTask): string {
  const isRow = old.startsWith('|');
  const isItem = old.startsWith(' ');
  const before = isRow
    ? ['| What | Size |', '| --- | --- |']
    : isItem
      ? ['1. Choose the backup.']
      : ['Before it:', ''];
  return `${['---', `title: ${title}`, '---', '', `## ${heading}`, '', ...before, old, '', '## Related', '', 'See the plans.'].join('\n')}\n`;
}
