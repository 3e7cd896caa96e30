import type { Project as Record } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { isNotFound, RecordNotFound } from '../../parts/record-not-found.tsx';
import { Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { ProjectAutomations } from '../automations/project-automations.tsx';
import { AgentSettings } from './agent-settings.tsx';
import { AutomaticExports } from './automatic-exports.tsx';
import { ProjectOverview } from './project-overview.tsx';
import { ProjectSettings } from './project-settings.tsx';
import { PullRequests } from './pull-requests.tsx';
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
      {isNotFound(project.error) ? (
        <RecordNotFound icon="book" what="project" list={{ to: '/projects', label: 'All projects' }} />
      ) : (
        <Problem error={project.error} retry={() => void project.refetch()} />
      )}
    </Page>
  );
}

function Loaded({ project }: { project: Record }) {
  const [search, setSearch] = useSearchParams();
  const mayExport = useMay('exports:write');
  const mayInstruct = useMay('agent:write');
  const tabs = [
    { name: 'overview', label: 'Overview', show: <ProjectOverview project={project} /> },
    { name: 'pull-requests', label: 'Pull requests', show: <PullRequests project={project} /> },
    { name: 'settings', label: 'Settings', show: <ProjectSettings project={project} /> },
    { name: 'automatic', label: 'Automatic exports', show: <AutomaticExports project={project} /> },
    { name: 'agent', label: 'Agent', show: <AgentSettings project={project} /> },
    { name: 'automations', label: 'Automations', show: <ProjectAutomations project={project} /> },
  ];
  const tab = tabs.find(({ name }) => name === search.get('tab'))?.name ?? 'overview';
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
      <Tabs
        label="Sections of the project"
        tabs={tabs}
        chosen={tab}
        onChoose={(next) => setSearch({ tab: next }, { replace: true })}
        className="project-panels"
      />
    </Page>
  );
}
