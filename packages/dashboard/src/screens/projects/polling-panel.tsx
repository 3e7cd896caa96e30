/** Polling of the branch, for networks that the forge cannot reach. */
import type { Project, ProjectPolling } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Badge, Note } from '../../parts/note.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { TextWithCode } from '../../parts/text-with-code.tsx';
import { Ago } from '../../parts/time.tsx';
import { useProjectForm } from './project-form.ts';
import { SaveRow } from './save-row.tsx';

export function PollingPanel({ project, mayWrite }: { project: Project; mayWrite: boolean }) {
  const params = { projectId: project.id };
  const polling = useQuery({
    // Saving the project changes its version.
    queryKey: ['project', project.id, 'polling', project.version],
    queryFn: () => client.call('readProjectPolling', { params }),
    refetchInterval: ({ state }) => (state.data?.enabled === true ? 5000 : false),
  });
  return (
    <Panel title="Polling" aside={polling.data && <PollingBadge polling={polling.data} />}>
      <p className="soft">
        For networks that your forge cannot reach: Docyard asks the repository for new commits. No webhook is
        needed.
      </p>
      {polling.data?.enabled === true && <State polling={polling.data} />}
      {mayWrite && <Settings project={project} />}
      <ApiCall
        operation="readProjectPolling"
        params={params}
        command={`docyard events polling --project ${project.id}`}
      />
    </Panel>
  );
}

function PollingBadge({ polling: { enabled, problem, polledAt } }: { polling: ProjectPolling }) {
  if (!enabled) return <Badge tone="quiet">Off</Badge>;
  if (problem !== null) return <Badge tone="bad">Failing</Badge>;
  return polledAt === null ? <Badge tone="info">Starting</Badge> : <Badge tone="good">On</Badge>;
}

function State({ polling }: { polling: ProjectPolling }) {
  const { branch, commit, polledAt, nextPollAt, problem } = polling;
  const facts: [name: string, value: ReactNode][] = [
    ['Branch', branch ?? '–'],
    ['Last poll', polledAt === null ? 'Not yet' : <Ago at={polledAt} />],
    ['Next poll', nextPollAt === null ? '–' : <Ago at={nextPollAt} />],
  ];
  if (commit !== null) facts.push(['Newest commit', <span className="mono">{commit.slice(0, 10)}</span>]);
  return (
    <>
      {problem !== null && (
        <Note tone="bad">
          <TextWithCode text={problem} />
        </Note>
      )}
      <Facts facts={facts} />
    </>
  );
}

function Settings({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, changeOf);
  const { form, set } = edit;
  return (
    <Form error={edit.error} onSubmit={edit.submit}>
      <CheckField label="Poll the branch" checked={form.enabled} onChange={(enabled) => set({ enabled })} />
      <div className="project-number">
        <TextField
          label="Seconds between two polls"
          type="number"
          value={form.intervalSeconds}
          onChange={(intervalSeconds) => set({ intervalSeconds })}
          hint="At least 30. Failed polls are repeated less and less often, at least once an hour."
          required
          path="exports.polling.intervalSeconds"
        />
      </div>
      <SaveRow
        edit={edit}
        labels={{ enabled: 'Poll the branch', intervalSeconds: 'Seconds between two polls' }}
      />
    </Form>
  );
}

function formOf({ exports: { polling } }: Project) {
  return { enabled: polling.enabled, intervalSeconds: String(polling.intervalSeconds) };
}

function changeOf({ enabled, intervalSeconds }: ReturnType<typeof formOf>) {
  return { exports: { polling: { enabled, intervalSeconds: Number(intervalSeconds) } } };
}
