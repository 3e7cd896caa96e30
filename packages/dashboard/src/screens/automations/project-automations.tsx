/** The automations of a project: the state of their file, each with its budget and last run, and all runs. */
import type { Automation, Project, ProjectAutomations as Found } from '@docyard/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Badge, Note } from '../../parts/note.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago, counted, exact } from '../../parts/time.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useMay } from '../../session/session.tsx';
import { AutomationRuns, RunResult } from './runs.tsx';
import { RunNow } from './run-now.tsx';
import './automations.css';

const refetchMs = 5000;

export function ProjectAutomations({ project }: { project: Project }) {
  const params = { projectId: project.id };
  const found = useQuery({
    queryKey: ['automations', project.id],
    queryFn: () => client.call('readAutomations', { params }),
    refetchInterval: refetchMs,
  });
  return (
    <>
      <Panel title="Automations" aside={<Refresh project={project} />}>
        {found.error !== null && <Problem error={found.error} retry={() => void found.refetch()} />}
        {found.error === null && found.data === undefined && <Waiting lines={5} />}
        {found.data !== undefined && <Loaded project={project} found={found.data} />}
      </Panel>
      {found.data !== undefined && found.data.data.length > 0 && <AutomationRuns project={project} />}
      <ApiCall
        operation="readAutomations"
        params={params}
        command={`docyard automations list --project ${project.id}`}
      />
    </>
  );
}

function Refresh({ project }: { project: Project }) {
  const mayWrite = useMay('agent:write');
  const queries = useQueryClient();
  const toast = useToast();
  const refresh = useMutation({
    mutationFn: () => client.call('refreshAutomations', { params: { projectId: project.id } }),
    onSuccess: () => {
      toast('The file is read again within seconds.');
      void queries.invalidateQueries({ queryKey: ['automations', project.id] });
    },
    onError: () => toast('The file could not be read again. Try it later.'),
  });
  if (!mayWrite) return null;
  return (
    <Button icon="repeat" busy={refresh.isPending} onClick={() => refresh.mutate()}>
      Read the file again
    </Button>
  );
}

function Loaded({ project, found: { file, data } }: { project: Project; found: Found }) {
  return (
    <>
      <FileState file={file} hasAutomations={data.length > 0} />
      {data.length > 0 && (
        <ul className="automations" aria-label="Automations">
          {data.map((automation) => (
            <Item key={automation.name} project={project} automation={automation} />
          ))}
        </ul>
      )}
    </>
  );
}

function FileState({ file, hasAutomations }: { file: Found['file']; hasAutomations: boolean }) {
  const { path, commit, readAt, problems } = file;
  if (problems.length > 0) {
    return (
      <Note tone="bad">
        <p>
          <code>{path}</code> has {problems.length === 1 ? 'a problem' : counted(problems.length, 'problem')}.
          {hasAutomations && ' Its last valid version stays in effect.'}
        </p>
        <ul className="automation-problems">
          {problems.map(({ line, path: setting, message }) => (
            <li key={`${line} ${setting} ${message}`}>
              {line !== null && <strong>Line {line}: </strong>}
              {setting !== '' && <code>{setting}</code>} {message}
            </li>
          ))}
        </ul>
      </Note>
    );
  }
  if (!hasAutomations) {
    return (
      <Empty icon="sparkle" title="No automations">
        {readAt === null ? (
          <>
            Docyard has not read <code>{path}</code> yet. It reads the file after a push that the hook
            reports.
          </>
        ) : (
          <>
            The repository has no <code>{path}</code>. With one, agent jobs start when code is merged, on a
            schedule, or when checks fail.
          </>
        )}
      </Empty>
    );
  }
  return (
    <p className="soft">
      From <code>{path}</code>
      {commit !== null && (
        <>
          {' '}
          at <code title={commit}>{commit.slice(0, 7)}</code>
        </>
      )}
      {readAt !== null && (
        <>
          , read <Ago at={readAt} />
        </>
      )}
    </p>
  );
}

function Item({ project, automation }: { project: Project; automation: Automation }) {
  const { name, description, paused, nextRunAt, today, lastRun } = automation;
  const isUsedUp = today.runs >= (today.maxRuns ?? Infinity) || today.tokens >= (today.maxTokens ?? Infinity);
  return (
    <li className="automation">
      <div className="automation-head">
        <h3>{name}</h3>
        {paused ? (
          <Badge tone="quiet">Paused</Badge>
        ) : isUsedUp ? (
          <Badge tone="warn">Budget used</Badge>
        ) : (
          <Badge tone="good">On</Badge>
        )}
      </div>
      <p className="soft">{description}.</p>
      <dl className="automation-facts">
        <div>
          <dt>Today</dt>
          <dd>{budgetText(today)}</dd>
        </div>
        {nextRunAt !== null && !paused && (
          <div>
            <dt>Next</dt>
            <dd>{exact(nextRunAt)}</dd>
          </div>
        )}
        <div>
          <dt>Last run</dt>
          <dd>
            {lastRun === null ? (
              'never'
            ) : (
              <>
                <Ago at={lastRun.createdAt} />, <RunResult run={lastRun} />
              </>
            )}
          </dd>
        </div>
      </dl>
      <Actions project={project} automation={automation} />
    </li>
  );
}

function budgetText({ runs, maxRuns, tokens, maxTokens }: Automation['today']): string {
  const ofRuns = maxRuns === null ? counted(runs, 'run') : `${runs} of ${counted(maxRuns, 'run')}`;
  if (maxTokens === null && tokens === 0) return ofRuns;
  const used = tokens.toLocaleString('en-US');
  const ofTokens = maxTokens === null ? used : `${used} of ${maxTokens.toLocaleString('en-US')}`;
  return `${ofRuns}, ${ofTokens} tokens`;
}

function Actions({ project, automation }: { project: Project; automation: Automation }) {
  const mayWrite = useMay('agent:write');
  const queries = useQueryClient();
  const toast = useToast();
  const { name, paused } = automation;
  const change = useMutation({
    mutationFn: () =>
      client.call(paused ? 'resumeAutomation' : 'pauseAutomation', {
        params: { projectId: project.id, name },
      }),
    onSuccess: () => {
      toast(paused ? `${name} is resumed.` : `${name} is paused.`);
      void queries.invalidateQueries({ queryKey: ['automations', project.id] });
    },
  });
  if (!mayWrite) return null;
  return (
    <div className="automation-actions">
      <RunNow project={project} name={name} />
      <Button
        aria-label={paused ? `Resume ${name}` : `Pause ${name}`}
        busy={change.isPending}
        onClick={() => change.mutate()}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      {change.error !== null && <Problem error={change.error} />}
    </div>
  );
}
