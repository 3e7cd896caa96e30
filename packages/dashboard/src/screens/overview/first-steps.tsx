/** Onboarding of a new installation: the steps to a first export, each with its button and its command. */
import type { ExportJob, Project } from '@docyard/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { curlOf } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ExportProgress } from '../exports/status.tsx';
import type { ExportHistory } from '../exports/export-history.ts';

export function FirstSteps({ job, trail }: { job: ExportJob | undefined; trail: ExportHistory | undefined }) {
  const projects = useQuery({
    queryKey: ['projects', 'first'],
    queryFn: () => client.call('listProjects', { query: { limit: 1 } }),
  });
  const project = projects.data?.data[0];
  const isExported = job?.status === 'completed';
  return (
    <Panel title="First steps">
      <ol className="first-steps">
        <KeyStep />
        {project === undefined && projects.isSuccess ? (
          <ProjectStep />
        ) : (
          <ExportStep project={project} job={job} trail={trail} />
        )}
        <OpenStep domain={project?.domain ?? 'docs.example.com'} job={isExported ? job : undefined} />
      </ol>
    </Panel>
  );
}

function KeyStep() {
  const maySee = useMay('keys:read');
  const mayMake = useMay('keys:write');
  const keys = useQuery({
    queryKey: ['keys', 'first'],
    queryFn: () => client.call('listKeys', { query: { limit: 10 } }),
    enabled: maySee,
  });
  const isUsed = keys.data?.data.some(({ lastUsedAt }) => lastUsedAt !== null) ?? false;
  return (
    <Step
      title="Create a key"
      isDone={isUsed}
      action={mayMake && <ButtonLink to="/keys?new=1&name=my-laptop">Create a key</ButtonLink>}
      command="docyard keys create --name my-laptop"
    >
      <p>
        The dashboard needs no key, but your terminal and your CI pipeline do. Store it in{' '}
        <code>DOCYARD_API_KEY</code>.
      </p>
    </Step>
  );
}

function ProjectStep() {
  const mayAdd = useMay('projects:write');
  return (
    <Step
      title="Add a project"
      isDone={false}
      action={mayAdd && <ButtonLink to="/projects?new=1">Add a project</ButtonLink>}
      command={
        'docyard projects create --name Handbook \\\n  --domain docs.example.com \\\n  --repository https://git.example.com/docs.git'
      }
    >
      <p>
        A project is a repository with a <code>docs.json</code> and the domain of the site.
      </p>
    </Step>
  );
}

interface ExportStepProps {
  project: Project | undefined;
  job: ExportJob | undefined;
  trail: ExportHistory | undefined;
}

function ExportStep({ project, job, trail }: ExportStepProps) {
  const isDone = job?.status === 'completed';
  const isRunning = job?.status === 'queued' || job?.status === 'running';
  const mayStart = useMay('exports:write');
  const queries = useQueryClient();
  const domain = project?.domain ?? 'docs.example.com';
  const start = useMutation({
    mutationFn: () => client.call('startExport', { body: { domain } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  });
  return (
    <Step
      title={`Export ${project?.name ?? 'a project'}`}
      isDone={isDone}
      action={
        mayStart && (
          <Button
            look={isDone ? 'plain' : 'primary'}
            icon="play"
            onClick={() => start.mutate()}
            busy={start.isPending || isRunning}
            disabled={project === undefined}
          >
            {isRunning ? 'Exporting' : 'Export it now'}
          </Button>
        )
      }
      command={curlOf({ operation: 'startExport', body: { domain } })}
    >
      <p>An export renders the pages as static files.</p>
      {start.error !== null && <Problem error={start.error} />}
      {job?.status === 'failed' && <Note tone="bad">{job.error}</Note>}
      {isRunning && <ExportProgress job={job} {...(trail === undefined ? {} : { trail })} />}
    </Step>
  );
}

function OpenStep({ domain, job }: { domain: string; job: ExportJob | undefined }) {
  const curl = curlOf({ operation: 'openLatestBundle', query: { domain } });
  return (
    <Step
      title="Open it"
      isDone={false}
      action={
        job !== undefined && (
          <ButtonLink to={`/exports/${job.jobId}?tab=preview`} look="primary" icon="eye">
            Look at the site
          </ButtonLink>
        )
      }
      command={`${curl.replace('curl ', 'curl -sL -o site.tar.gz ')}\nmkdir -p site && tar -xzf site.tar.gz -C site\nls site/index.html`}
    >
      <p>Unpack the bundle and serve the folder with any web server, or open it from disk.</p>
    </Step>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  action: ReactNode;
  command: string;
  children: ReactNode;
}

function Step({ title, isDone, action, command, children }: StepProps) {
  return (
    <li className={isDone ? 'first-step first-step-done' : 'first-step'}>
      <div className="first-step-words">
        <h3>
          {title}
          {isDone && (
            <span className="first-step-mark">
              <Icon name="check" />
              <span className="visually-hidden">done</span>
            </span>
          )}
        </h3>
        <div className="soft">{children}</div>
        {action}
      </div>
      <CodeBlock text={command} label={`command: ${title}`} />
    </li>
  );
}
