/** The change of a job: the complete branch, or one instruction. */
import type { AgentJob } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { DiffView } from './diff-view.tsx';

export function Changes({ projectId, job }: { projectId: string; job: AgentJob }) {
  const [search, setSearch] = useSearchParams();
  const run = runOf(search.get('run'), job.runs);
  const params = { projectId, id: job.id };
  const diff = useQuery({
    queryKey: ['agent-job', projectId, job.id, 'diff', run ?? 'all'],
    queryFn: () => client.call('readAgentDiff', { params, query: { run } }),
    enabled: job.purgedAt === null,
    refetchInterval: job.status === 'active' ? 5000 : false,
  });
  const choose = (next: number | undefined) =>
    setSearch(
      (before) => {
        const { run: _, ...rest } = Object.fromEntries(before);
        return new URLSearchParams({ ...rest, ...(next === undefined ? {} : { run: String(next) }) });
      },
      { replace: true },
    );
  const runs = job.runs > 1 && (
    <Menu
      label={run === undefined ? 'Whole branch' : `Instruction ${run} alone`}
      className="button button-quiet"
      items={[
        { label: 'Whole branch', checked: run === undefined, act: () => choose(undefined) },
        'line',
        ...Array.from({ length: job.runs }, (_, index) => ({
          label: `Instruction ${index + 1} alone`,
          checked: run === index + 1,
          act: () => choose(index + 1),
        })),
      ]}
    />
  );
  return (
    <div className="form">
      {job.purgedAt !== null ? (
        <Nothing title="The change was deleted">
          It was removed after its retention period. The branch still contains it.
        </Nothing>
      ) : diff.error !== null ? (
        <Problem error={diff.error} retry={() => void diff.refetch()} />
      ) : diff.data === undefined ? (
        <Panel>
          <Waiting lines={8} />
        </Panel>
      ) : diff.data.files.length === 0 ? (
        <>
          {runs}
          <Nothing title={job.status === 'active' ? 'No change yet' : 'Nothing was changed'}>
            {job.status === 'active'
              ? 'The change is shown when the agent has finished its work.'
              : 'The steps show what the agent read and why it changed nothing.'}
          </Nothing>
        </>
      ) : (
        <DiffView key={diff.data.patch.length} diff={diff.data} aside={runs} />
      )}
    </div>
  );
}

function Nothing({ title, children }: { title: string; children: string }) {
  return (
    <Panel>
      <Empty icon="compare" title={title}>
        {children}
      </Empty>
    </Panel>
  );
}

function runOf(text: string | null, runs: number): number | undefined {
  const run = Number(text);
  return Number.isInteger(run) && run >= 1 && run <= runs ? run : undefined;
}
