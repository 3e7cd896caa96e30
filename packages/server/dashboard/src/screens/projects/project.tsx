/** One project: its id, what happened last, and its settings. */
import type { Project as Record } from '@docyard/api';
import { Tabs } from '@base-ui/react/tabs';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'wouter';
import { client, problemOf } from '../../app/client.ts';
import { useMay } from '../../app/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Empty, Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { AgentSettings } from './agent-settings.tsx';
import { ProjectOverview } from './project-overview.tsx';
import { ProjectSettings } from './project-settings.tsx';
import './projects.css';

const crumbs = [{ to: '/projects', label: 'Projects' }];

export function Project() {
  const { projectId } = useParams<{ projectId: string }>();
  const project = useQuery({
    queryKey: ['project', projectId],
    queryFn: () => client.call('readProject', { params: { projectId } }),
  });
  if (project.data !== undefined) return <Loaded project={project.data} />;
  if (project.error === null)
    return (
      <Page title="Project" crumbs={crumbs}>
        <Panel>
          <Waiting lines={6} />
        </Panel>
      </Page>
    );
  return (
    <Page title="Project" crumbs={crumbs}>
      {problemOf(project.error).status === 404 ? (
        <Panel>
          <Empty
            icon="book"
            title="There is no such project"
            action={<ButtonLink to="/projects">All projects</ButtonLink>}
          >
            It may have been deleted.
          </Empty>
        </Panel>
      ) : (
        <Problem error={project.error} retry={() => void project.refetch()} />
      )}
    </Page>
  );
}

const tabs = [
  { value: 'overview', label: 'Overview' },
  { value: 'settings', label: 'Settings' },
  { value: 'agent', label: 'Agent' },
] as const;

function Loaded({ project }: { project: Record }) {
  const [search, setSearch] = useSearchParams();
  const mayExport = useMay('exports:write');
  const mayInstruct = useMay('agent:write');
  const tab = tabs.find(({ value }) => value === search.get('tab'))?.value ?? 'overview';
  const domain = encodeURIComponent(project.domain);
  return (
    <Page
      title={project.name}
      crumbs={crumbs}
      lead={
        <span className="project-lead">
          {project.domain} <CopyField text={project.id} label="project id" />
        </span>
      }
      actions={
        <>
          {mayInstruct && (
            <ButtonLink to={`/agent?project=${project.id}&new=1`} icon="sparkle">
              New agent job
            </ButtonLink>
          )}
          {mayExport && (
            <ButtonLink to={`/exports?domain=${domain}&new=1`} look="primary" icon="play">
              Start an export
            </ButtonLink>
          )}
        </>
      }
    >
      <Tabs.Root value={tab} onValueChange={(next) => setSearch({ tab: String(next) }, { replace: true })}>
        <Tabs.List className="tabs" aria-label="Parts of the project">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} className="tab">
              {label}
            </Tabs.Tab>
          ))}
          <Tabs.Indicator className="tab-line" renderBeforeHydration={false} />
        </Tabs.List>
        <Tabs.Panel value="overview" className="tab-panel project-panels">
          <ProjectOverview project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className="tab-panel project-panels">
          <ProjectSettings project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="agent" className="tab-panel project-panels">
          <AgentSettings project={project} />
        </Tabs.Panel>
      </Tabs.Root>
    </Page>
  );
}
