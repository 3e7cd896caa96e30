/** How pushes start exports: the settings, the hook of the project, polling, and the last events. */
import type { Project } from '@docyard/api';
import { Link } from 'wouter';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { EventTable } from '../events/event-table.tsx';
import { useEvents } from '../events/use-events.ts';
import { GithubAppPanel, mayBeGithub } from './github-app-panel.tsx';
import { HookPanel } from './hook-panel.tsx';
import { PollingPanel } from './polling-panel.tsx';
import { useProjectForm } from './project-form.ts';
import { SaveRow } from './save-row.tsx';

export function AutomaticExports({ project }: { project: Project }) {
  const mayWrite = useMay('projects:write');
  return (
    <>
      {mayWrite ? <OnPush project={project} /> : <ReadOnly project={project} />}
      <HookPanel projectId={project.id} mayWrite={mayWrite} />
      {mayBeGithub(project) && <GithubAppPanel project={project} mayWrite={mayWrite} />}
      <PollingPanel project={project} mayWrite={mayWrite} />
      <LastEvents projectId={project.id} />
    </>
  );
}

function ReadOnly({ project: { exports } }: { project: Project }) {
  return (
    <Note tone="quiet">
      {exports.onPush.enabled
        ? `A push starts an export after ${exports.onPush.quietSeconds} seconds.`
        : 'Pushes start no exports.'}{' '}
      Members, admins and owners of the organization can change this.
    </Note>
  );
}

function OnPush({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, changeOf);
  const { form, set } = edit;
  return (
    <Panel title="Exports on push">
      <Form error={edit.error} onSubmit={edit.submit}>
        <CheckField
          label="Start an export when the branch changes"
          hint="A push to the branch of the project is exported, once the forge reports it or polling finds it."
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <div className="project-number">
          <TextField
            label="Quiet seconds"
            type="number"
            value={form.quietSeconds}
            onChange={(quietSeconds) => set({ quietSeconds })}
            hint="The export starts this long after the last push, and at most 60 seconds after the first."
            required
            path="exports.onPush.quietSeconds"
          />
        </div>
        <SaveRow edit={edit} labels={{ enabled: 'Start an export', quietSeconds: 'Quiet seconds' }} />
      </Form>
      <ApiCall operation="updateProject" params={{ projectId: project.id }} body={changeOf(form)} />
    </Panel>
  );
}

function formOf({ exports: { onPush } }: Project) {
  return { enabled: onPush.enabled, quietSeconds: String(onPush.quietSeconds) };
}

function changeOf({ enabled, quietSeconds }: ReturnType<typeof formOf>) {
  return { exports: { onPush: { enabled, quietSeconds: Number(quietSeconds) } } };
}

const maxShown = 5;

function LastEvents({ projectId }: { projectId: string }) {
  const { rows, error, refetch } = useEvents({ projectId }, maxShown);
  return (
    <Panel flush title="Last events" aside={<Link to={`/events?project=${projectId}`}>All events</Link>}>
      {error !== null ? (
        <Problem error={error} retry={refetch} />
      ) : rows === undefined ? (
        <Waiting lines={maxShown} />
      ) : rows.length === 0 ? (
        <Empty icon="branch" title="No events yet">
          Push a commit. It is listed here as soon as the forge reports it or polling finds it.
        </Empty>
      ) : (
        <EventTable
          events={rows.slice(0, maxShown)}
          linkTo={(eventId) => `/events?project=${projectId}&event=${eventId}`}
        />
      )}
    </Panel>
  );
}
