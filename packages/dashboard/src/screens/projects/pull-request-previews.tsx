/** What the pull requests of a project get. */
import type { Project } from '@docyard/api';
import { CheckField, SelectField, TextField, type Choice } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/page.tsx';
import { useProjectForm } from './project-form.ts';
import { SaveRow } from './save-row.tsx';

type Forks = Project['pullRequests']['forks'];

const forkChoices: Choice<Forks>[] = [
  { value: 'approve', label: 'After a person approved the commit' },
  { value: 'build', label: 'Every commit' },
  { value: 'off', label: 'Never' },
];

const labels = {
  enabled: 'Build previews',
  comment: 'Comment on the pull request',
  status: 'Set a status',
  failOn: 'Findings that fail the status',
  forks: 'Build pull requests of forks',
};

export function PullRequestPreviews({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, changeOf);
  const { form, set } = edit;
  return (
    <Panel title="Previews">
      <Form error={edit.error} onSubmit={edit.submit}>
        <CheckField
          label={labels.enabled}
          hint="Needs a credential for the forge of the project."
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <CheckField
          label={labels.comment}
          hint="One comment lists the changed pages and the findings."
          checked={form.comment}
          onChange={(comment) => set({ comment })}
        />
        <CheckField
          label={labels.status}
          hint="A status or check run of the newest commit."
          checked={form.status}
          onChange={(status) => set({ status })}
        />
        <TextField
          label={labels.failOn}
          value={form.failOn}
          onChange={(failOn) => set({ failOn })}
          hint="Severities and codes, separated by commas. Only new findings count."
          mono
          path="pullRequests.failOn"
        />
        <SelectField
          label={labels.forks}
          value={form.forks}
          onChange={(forks) => set({ forks })}
          choices={forkChoices}
        />
        <SaveRow edit={edit} labels={labels} />
      </Form>
    </Panel>
  );
}

function formOf({ pullRequests: { failOn, ...rest } }: Project) {
  return { ...rest, failOn: failOn.join(', ') };
}

function changeOf({ failOn, ...rest }: ReturnType<typeof formOf>) {
  const codes = failOn.split(',').map((code) => code.trim());
  return { pullRequests: { ...rest, failOn: codes.filter((code) => code !== '') } };
}
