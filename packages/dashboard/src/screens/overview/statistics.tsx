/** Statistics of the last 30 days: exports per day, durations, failures, findings and failing webhooks. */
import type { Insights } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { DayChart } from '../../parts/day-chart.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import { percent, Tile } from '../../parts/tile.tsx';
import { Ago, counted, span } from '../../parts/time.tsx';

const days = 30;
const refetchMs = 30_000;

export function Statistics() {
  const insights = useQuery({
    queryKey: ['insights', days],
    queryFn: () => client.call('readInsights', { query: { days } }),
    refetchInterval: refetchMs,
  });
  if (insights.data === undefined)
    return insights.error === null ? (
      <Panel title="Last 30 days">
        <Waiting lines={10} />
      </Panel>
    ) : (
      <Problem error={insights.error} retry={() => void insights.refetch()} />
    );
  const { data } = insights;
  return (
    <>
      <FailingWebhooks webhooks={data.webhooks} />
      <Tiles insights={data} />
      <div className="number-halves">
        <Panel title="Exports per day">
          <DayChart
            label={`Exports per day over the last ${days} days, by outcome.`}
            dates={data.days.map(({ date }) => date)}
            series={[
              { name: 'Completed', tone: 'accent', values: data.days.map(({ completed }) => completed) },
              { name: 'Failed', tone: 'bad', values: data.days.map(({ failed }) => failed) },
              { name: 'Canceled', tone: 'quiet', values: data.days.map(({ canceled }) => canceled) },
            ]}
            format={(value) => value.toLocaleString('en')}
          />
        </Panel>
        <Panel title="Median duration">
          <DayChart
            label={`Median duration of completed exports on each of the last ${days} days.`}
            dates={data.days.map(({ date }) => date)}
            series={[
              { name: 'Median', tone: 'accent', values: data.days.map(({ medianSeconds }) => medianSeconds) },
            ]}
            format={(seconds) => span(seconds * 1000)}
          />
        </Panel>
      </div>
      <FindingsByProject projects={data.projects} />
    </>
  );
}

function Tiles({ insights }: { insights: Insights }) {
  const { totals, medianSeconds, failures, webhooks } = insights;
  const all = totals.completed + totals.failed + totals.canceled + totals.unfinished;
  const ended = totals.completed + totals.failed;
  const [mostFrequent] = failures;
  const failing = webhooks?.failing.length ?? 0;
  return (
    <section aria-label={`Last ${days} days`}>
      <dl className="tiles number-tiles">
        <Tile name="Exports in 30 days" note={`${(all / days).toFixed(1)} a day`}>
          {all.toLocaleString('en')}
        </Tile>
        <Tile name="Median duration" note="of completed exports">
          {medianSeconds === null ? '–' : span(medianSeconds * 1000)}
        </Tile>
        <Tile
          name="Failed"
          tone={totals.failed > 0 ? 'bad' : undefined}
          note={
            mostFrequent === undefined
              ? 'no failures'
              : `${percent(totals.failed / ended)}, mostly ${mostFrequent.code}`
          }
        >
          <Link to="/exports?status=failed">{totals.failed.toLocaleString('en')}</Link>
        </Tile>
        {webhooks !== null && (
          <Tile
            name="Failing webhooks"
            tone={failing > 0 ? 'bad' : undefined}
            note={`${counted(webhooks.enabled, 'webhook')} enabled`}
          >
            <Link to="/webhooks">{failing}</Link>
          </Tile>
        )}
      </dl>
    </section>
  );
}

function FailingWebhooks({ webhooks }: Pick<Insights, 'webhooks'>) {
  if (webhooks === null || webhooks.failing.length === 0) return null;
  return (
    <Note tone="warn">
      <ul className="failing-webhooks">
        {webhooks.failing.map(({ id, url, failingSince, disabledReason }) => (
          <li key={id}>
            <Link to={`/webhooks/${id}`}>{hostOf(url)}</Link>{' '}
            {disabledReason === null ? 'is failing' : 'was disabled'}
            {failingSince !== null && (
              <>
                {' '}
                since <Ago at={failingSince} />
              </>
            )}
          </li>
        ))}
      </ul>
    </Note>
  );
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

type Project = Insights['projects'][number];

function FindingsByProject({ projects }: Pick<Insights, 'projects'>) {
  const shown = projects.filter(({ findings }) => findings.length > 0);
  if (shown.length === 0) return null;
  return (
    <Panel title="Findings by project" aside={<Link to="/projects">All projects</Link>}>
      <ul className="work-list">
        {shown.map((project) => (
          <ProjectLine key={project.projectId} project={project} />
        ))}
      </ul>
    </Panel>
  );
}

function ProjectLine({ project }: { project: Project }) {
  const sums = project.findings.map(({ errors, warnings }) => errors + warnings);
  const last = project.findings.at(-1);
  if (last === undefined) return null;
  const before = sums.at(-2);
  const now = sums.at(-1) ?? 0;
  const words = [
    ...(last.errors > 0 ? [counted(last.errors, 'error')] : []),
    ...(last.warnings > 0 || last.errors === 0 ? [counted(last.warnings, 'warning')] : []),
  ].join(', ');
  return (
    <li className="findings-line">
      <span className="work-name">
        <Link to={`/projects/${project.projectId}`}>{project.name}</Link>
        <span className="faint">{project.domain}</span>
      </span>
      <Sparkline
        values={sums}
        label={`Findings of the last ${counted(sums.length, 'export')}: ${sums.join(', ')}.`}
      />
      <span className="work-end">
        <Link to={`/exports/${last.jobId}?tab=report`}>{words}</Link>
        <span className={trendClass(now, before)}>{trendWords(now, before)}</span>
      </span>
    </li>
  );
}

function trendWords(now: number, before: number | undefined): string {
  if (before === undefined) return 'first export';
  if (now === before) return 'unchanged';
  return now > before ? `${now - before} more than before` : `${before - now} fewer than before`;
}

function trendClass(now: number, before: number | undefined): string {
  if (before === undefined || now === before) return 'trend';
  return now > before ? 'trend trend-worse' : 'trend trend-better';
}
