import type { AgentJob } from '@docyard/api';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { ApiCall } from '../../parts/api-call.tsx';
import { Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import type { StepEvent } from './agent-events.ts';
import { Changes } from './changes.tsx';
import { Checks } from './checks.tsx';
import { Steps } from './steps.tsx';

const tabs = ['changes', 'steps', 'checks'] as const;
type Tab = (typeof tabs)[number];

interface WorkProps {
  projectId: string;
  job: AgentJob;
  steps: StepEvent[] | undefined;
  error: unknown;
  retry: () => void;
}

export function Work({ projectId, job, steps, error, retry }: WorkProps) {
  const [search, setSearch] = useSearchParams();
  // Decided once, so that the tab does not change when the job ends.
  const [usual] = useState(() => usualTab(job));
  const tab = tabs.find((each) => each === search.get('tab')) ?? usual;
  const files = job.result?.filesChanged ?? 0;
  const params = { projectId, id: job.id };
  return (
    <div className="form">
      <Tabs
        label="About this job"
        tabs={[
          {
            name: 'changes',
            label: files > 0 ? `Changes (${files})` : 'Changes',
            show: <Changes projectId={projectId} job={job} />,
          },
          {
            name: 'steps',
            label: steps?.length ? `Steps (${steps.length})` : 'Steps',
            show: (
              <Panel>
                {error !== null && steps === undefined ? (
                  <Problem error={error} retry={retry} />
                ) : steps === undefined ? (
                  <Waiting lines={8} />
                ) : (
                  <Steps projectId={projectId} job={job} steps={steps} />
                )}
              </Panel>
            ),
          },
          { name: 'checks', label: 'Checks and use', show: <Checks job={job} /> },
        ]}
        chosen={tab}
        onChoose={(next) =>
          setSearch((before) => new URLSearchParams({ ...Object.fromEntries(before), tab: next }), {
            replace: true,
          })
        }
      />
      <ApiCall key={tab} params={params} {...calls[tab](`${job.id} --project ${projectId}`)} />
    </div>
  );
}

function usualTab({ status, statusReason, result }: AgentJob): Tab {
  if (statusReason === 'policy_blocked') return 'checks';
  return status !== 'active' && (result?.filesChanged ?? 0) > 0 ? 'changes' : 'steps';
}

const calls = {
  changes: (job: string) => ({ operation: 'readAgentDiff', command: `docyard agent diff ${job}` }) as const,
  steps: (job: string) =>
    ({ operation: 'readAgentTranscript', command: `docyard agent wait ${job}` }) as const,
  checks: (job: string) => ({ operation: 'readAgentJob', command: `docyard agent status ${job}` }) as const,
};
