/** The work of a job from three sides: what was changed, what was done, what the checks said of it. */
import type { AgentJob } from '@docyard/api';
import { Tabs } from '@base-ui/react/tabs';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { ApiCall } from '../../parts/api-call.tsx';
import { Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
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
  // Decided once: what somebody watches must not be taken away when the job ends.
  const [usual] = useState(() => usualTab(job));
  const tab = tabs.find((each) => each === search.get('tab')) ?? usual;
  const files = job.result?.filesChanged ?? 0;
  const params = { projectId, id: job.id };
  return (
    <div className="form">
      <Tabs.Root
        value={tab}
        onValueChange={(next) =>
          setSearch((before) => new URLSearchParams({ ...Object.fromEntries(before), tab: String(next) }), {
            replace: true,
          })
        }
      >
        <Tabs.List className="tabs" aria-label="About this job">
          <Tabs.Tab value="changes" className="tab">
            Changes{files > 0 && ` (${files})`}
          </Tabs.Tab>
          <Tabs.Tab value="steps" className="tab">
            Steps{steps !== undefined && steps.length > 0 && ` (${steps.length})`}
          </Tabs.Tab>
          <Tabs.Tab value="checks" className="tab">
            Checks and use
          </Tabs.Tab>
          <Tabs.Indicator className="tab-line" renderBeforeHydration={false} />
        </Tabs.List>
        <Tabs.Panel value="changes" className="tab-panel">
          <Changes projectId={projectId} job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="steps" className="tab-panel">
          <Panel>
            {error !== null && steps === undefined ? (
              <Problem error={error} retry={retry} />
            ) : steps === undefined ? (
              <Waiting lines={8} />
            ) : (
              <Steps projectId={projectId} job={job} steps={steps} />
            )}
          </Panel>
        </Tabs.Panel>
        <Tabs.Panel value="checks" className="tab-panel">
          <Checks job={job} />
        </Tabs.Panel>
      </Tabs.Root>
      {/* A call of its own for each, so that what is open stays open only as long as it fits. */}
      <ApiCall key={tab} params={params} {...calls[tab](`${job.id} --project ${projectId}`)} />
    </div>
  );
}

/** While it works people watch; afterwards they read what came of it, or what stood in the way. */
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
