/** Replaces the export screens when the plan does not include exports. */
import { useSession } from '../session/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { CodeBlock } from '../parts/copy.tsx';
import { Empty, Page, Panel } from '../parts/page.tsx';
import { HealthLine } from './overview/health-line.tsx';
import { LastAgentJobs } from './overview/jobs.tsx';
import { useRecentAgentJobs } from './overview/agent-jobs.ts';

export function ExportsNeedPlan() {
  return (
    <Page title="Exports">
      <PlanPanel />
    </Page>
  );
}

export function OverviewWithoutExports() {
  const { organization } = useSession();
  const agentJobs = useRecentAgentJobs();
  return (
    <Page
      title="Overview"
      heading={organization.name}
      lead={<HealthLine />}
      actions={<ButtonLink to="/projects">Projects</ButtonLink>}
    >
      <PlanPanel />
      <LastAgentJobs jobs={agentJobs.rows} error={agentJobs.error} retry={agentJobs.refetch} />
    </Page>
  );
}

export function PlanPanel() {
  const { organization } = useSession();
  return (
    <Panel>
      <Empty icon="box" title="Static export needs the enterprise plan">
        <p>
          {organization.name} is on the {organization.plan} plan. Existing exports, bundles and settings are
          kept and become available again after an upgrade. The operator changes the plan with this command:
        </p>
        <CodeBlock label="command" text={`docyard orgs plan ${organization.id} enterprise`} />
      </Empty>
    </Panel>
  );
}
