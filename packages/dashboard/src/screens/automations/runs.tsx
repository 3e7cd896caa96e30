import { automationRunStates, type AutomationRun, type Project } from '@docyard/api';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { useList } from '../../parts/list.ts';
import { Badge, type Tone } from '../../parts/note.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';

type State = AutomationRun['state'];

const labels: Record<State, string> = {
  pending: 'Waiting',
  started: 'Job started',
  messaged: 'Message sent',
  skipped: 'Skipped',
  failed: 'Failed',
};
const tones: Record<State, Tone> = {
  pending: 'info',
  started: 'good',
  messaged: 'good',
  skipped: 'quiet',
  failed: 'bad',
};

export function AutomationRuns({ project }: { project: Project }) {
  const [state, setState] = useState<State>();
  const list = useList(
    ['automations', project.id, 'runs', state ?? 'all'],
    (cursor) =>
      client.call('listAutomationRuns', {
        query: {
          limit: 50,
          projectId: project.id,
          ...(state === undefined ? {} : { state }),
          ...(cursor === undefined ? {} : { cursor }),
        },
      }),
    { refetchMs: (rows) => (rows.length > 100 ? false : 5000) },
  );
  return (
    <Panel
      flush
      title="Runs"
      aside={
        <Segments
          label="State"
          value={state ?? 'all'}
          onChange={(next) => setState(automationRunStates.find((each) => each === next))}
          segments={[
            { value: 'all', label: 'All' },
            { value: 'pending', label: 'Waiting' },
            { value: 'skipped', label: 'Skipped' },
            { value: 'failed', label: 'Failed' },
          ]}
        />
      }
    >
      {list.error !== null && <Problem error={list.error} retry={list.refetch} />}
      {list.error === null && list.rows === undefined && <Waiting lines={4} />}
      {list.rows?.length === 0 && (
        <Empty icon="sparkle" title={state === undefined ? 'No runs yet' : 'No runs in this state'}>
          Runs are kept for 90 days.
        </Empty>
      )}
      {list.rows !== undefined && list.rows.length > 0 && (
        <Table label="Runs" rows={list.rows} columns={columns} keyOf={({ id }) => id} more={list.more} />
      )}
    </Panel>
  );
}

const columns: Column<AutomationRun>[] = [
  {
    name: 'Event',
    width: 'minmax(0, 2fr)',
    cell: ({ automation, subject }) => (
      <>
        <span className="automation-subject">{subject}</span>
        <div className="automation-about">{automation}</div>
      </>
    ),
  },
  { name: 'State', width: '8.5rem', cell: ({ state }) => <Badge tone={tones[state]}>{labels[state]}</Badge> },
  {
    name: 'Result',
    width: 'minmax(0, 1.6fr)',
    cell: (run) =>
      run.jobId === null ? (
        <span className="soft">{run.reason ?? 'It starts soon.'}</span>
      ) : (
        <JobLink run={run} />
      ),
  },
  { name: 'When', width: '8rem', align: 'end', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

export function RunResult({ run }: { run: AutomationRun }) {
  if (run.jobId !== null) return <JobLink run={run} />;
  return <>{labels[run.state].toLowerCase()}</>;
}

function JobLink({ run: { projectId, jobId, state } }: { run: AutomationRun }) {
  return (
    <Link to={`/agent/${projectId}/${jobId}`} className="automation-job">
      {state === 'messaged' ? 'message to the open job' : 'agent job'}
    </Link>
  );
}
