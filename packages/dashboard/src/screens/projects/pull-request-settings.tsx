/** What each new pull request of a project's jobs gets. */
import { forgeFields, pullRequestFields, type Project, type PullRequestField } from '@docyard/api';
import { ApiCall } from '../../parts/api-call.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/page.tsx';
import { linesOf } from './lines.ts';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

type DetailsForm = Record<PullRequestField, string>;

const labels: DetailsForm = {
  labels: 'Labels',
  reviewers: 'Reviewers',
  teams: 'Teams',
  assignees: 'Assignees',
};

const placeholders: DetailsForm = {
  labels: 'documentation',
  reviewers: 'ada',
  teams: 'docs-team',
  assignees: 'ada',
};

const options: DetailsForm = {
  labels: 'label',
  reviewers: 'reviewer',
  teams: 'team',
  assignees: 'assignee',
};

export function PullRequestSettings({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, (fields) => ({ agent: { pullRequest: detailsOf(fields) } }));
  const { form, set } = edit;
  const { forge } = project.agent;
  // A field that the forge lost stays visible, so that it can be emptied.
  const shown = pullRequestFields.filter(
    (field) => forge === null || forgeFields[forge.kind].includes(field) || form[field] !== '',
  );
  return (
    <Panel title="Pull requests">
      {shown.length === 0 ? (
        <p className="soft">The forge has no pull requests.</p>
      ) : (
        <>
          <Form error={edit.error} onSubmit={edit.submit}>
            <div className="form-row">
              {shown.map((field) => (
                <TextField
                  key={field}
                  label={labels[field]}
                  optional
                  mono
                  rows={2}
                  value={form[field]}
                  onChange={(value) => set({ [field]: value })}
                  placeholder={placeholders[field]}
                  hint="One per line."
                  path={`agent.pullRequest.${field}`}
                />
              ))}
            </div>
            <SaveRow edit={edit} labels={labels} />
          </Form>
          <ApiCall
            operation="updateProject"
            params={{ projectId: project.id }}
            body={{ agent: { pullRequest: detailsOf(form) } }}
            command={commandOf(project, form)}
          />
        </>
      )}
    </Panel>
  );
}

function formOf({ agent: { pullRequest } }: Project): DetailsForm {
  const text = (field: PullRequestField) => pullRequest[field].join('\n');
  return {
    labels: text('labels'),
    reviewers: text('reviewers'),
    teams: text('teams'),
    assignees: text('assignees'),
  };
}

function detailsOf(form: DetailsForm): Project['agent']['pullRequest'] {
  return {
    labels: linesOf(form.labels),
    reviewers: linesOf(form.reviewers),
    teams: linesOf(form.teams),
    assignees: linesOf(form.assignees),
  };
}

function commandOf(project: Project, form: DetailsForm): string {
  const parts = pullRequestFields.map((field) => {
    const names = linesOf(form[field]).map((name) => (name.includes(' ') ? `"${name}"` : name));
    return names.length === 0 ? `--no-${options[field]}` : `--${options[field]} ${names.join(' ')}`;
  });
  return [`docyard projects agent ${project.domain}`, ...parts].join(' \\\n  ');
}
