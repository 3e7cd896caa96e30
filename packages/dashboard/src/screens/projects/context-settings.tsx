/** The code that the agent of a project reads, and whether its changes need evidence. */
import { maxContextRepositories, type Project, type SetProjectAgent } from '@docyard/api';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CheckField, SelectField, TextField, type Choice } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Badge } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { linesOf } from './lines.ts';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

interface RepositoryForm {
  name: string;
  repository: string;
  ref: string;
  paths: string;
  token: string;
  forgetsCredential: boolean;
}

interface ContextForm {
  repositories: RepositoryForm[];
  evidence: 'auto' | 'always' | 'never';
}

const evidenceChoices: Choice<ContextForm['evidence']>[] = [
  { value: 'auto', label: 'Required with code repositories' },
  { value: 'always', label: 'Required' },
  { value: 'never', label: 'Optional' },
];
const evidenceSettings = { auto: null, always: true, never: false };

export function ContextSettings({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, (fields) => ({ agent: agentOf(fields) }));
  const { form, set } = edit;
  const { repositories } = form;
  const setOne = (index: number, change: Partial<RepositoryForm>) =>
    set({ repositories: repositories.map((one, at) => (at === index ? { ...one, ...change } : one)) });
  return (
    <Panel
      title="Code"
      aside={<Badge tone="quiet">{countText(project.agent.contextRepositories.length)}</Badge>}
    >
      <Form error={edit.error} onSubmit={edit.submit}>
        <p className="soft">
          Repositories that the agent reads besides the documentation. It cannot change them.
        </p>
        {repositories.map((repository, index) => (
          <RepositoryFields
            key={index}
            index={index}
            form={repository}
            isCredentialSet={isCredentialSet(project, repository)}
            set={(change) => setOne(index, change)}
            onRemove={() => set({ repositories: repositories.filter((_, at) => at !== index) })}
          />
        ))}
        {repositories.length < maxContextRepositories && (
          <div>
            <Button onClick={() => set({ repositories: [...repositories, newRepository] })}>
              Add a repository
            </Button>
          </div>
        )}
        <SelectField
          label="Evidence"
          value={form.evidence}
          onChange={(evidence) => set({ evidence })}
          choices={evidenceChoices}
          hint="Lines of code or other pages that support a changed page. Without them, its pull request is a draft."
          path="agent.requireEvidence"
        />
        <SaveRow edit={edit} labels={{ evidence: 'Evidence' }} />
      </Form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={{ agent: agentOf({ ...form, repositories: repositories.map(masked) }) }}
        command={`docyard projects agent ${project.domain} --context-file ./context.json`}
      />
    </Panel>
  );
}

interface RepositoryFieldsProps {
  index: number;
  form: RepositoryForm;
  isCredentialSet: boolean;
  set: (change: Partial<RepositoryForm>) => void;
  onRemove: () => void;
}

function RepositoryFields({ index, form, isCredentialSet, set, onRemove }: RepositoryFieldsProps) {
  const path = `agent.contextRepositories.${index}`;
  return (
    <fieldset>
      <legend className="field-label">{form.name === '' ? 'New repository' : form.name}</legend>
      <div className="form-row">
        <TextField
          label="Name"
          mono
          value={form.name}
          onChange={(name) => set({ name })}
          maxLength={50}
          placeholder="api-server"
          required
          path={`${path}.name`}
        />
        <TextField
          label="Address of the repository"
          mono
          value={form.repository}
          onChange={(repository) => set({ repository })}
          placeholder="https://git.example.com/team/api-server.git"
          required
          path={`${path}.repository`}
        />
        <TextField
          label="Branch"
          optional
          mono
          value={form.ref}
          onChange={(ref) => set({ ref })}
          placeholder="the main branch"
          path={`${path}.ref`}
        />
      </div>
      <div className="form-row">
        <TextField
          label="Paths"
          optional
          mono
          rows={2}
          value={form.paths}
          onChange={(paths) => set({ paths })}
          placeholder="src"
          hint="Files and folders to read, one per line."
          path={`${path}.paths`}
        />
        <TextField
          label="Token"
          optional
          mono
          type="password"
          autoComplete="off"
          value={form.token}
          onChange={(token) => set({ token, forgetsCredential: false })}
          placeholder={isCredentialSet ? 'A credential is set.' : ''}
          hint="For a private repository on another host than the documentation."
          path={`${path}.credential`}
        />
      </div>
      {isCredentialSet && (
        <CheckField
          label="Forget the credential"
          checked={form.forgetsCredential}
          onChange={(forgetsCredential) => set({ forgetsCredential, token: '' })}
        />
      )}
      <Button onClick={onRemove}>{form.name === '' ? 'Remove' : `Remove ${form.name}`}</Button>
    </fieldset>
  );
}

function countText(count: number): string {
  if (count === 0) return 'None';
  return count === 1 ? '1 repository' : `${count} repositories`;
}

const newRepository: RepositoryForm = {
  name: '',
  repository: '',
  ref: '',
  paths: '',
  token: '',
  forgetsCredential: false,
};

function isCredentialSet({ agent }: Project, { name }: RepositoryForm): boolean {
  return agent.contextRepositories.some((stored) => stored.name === name && stored.credential.set);
}

function formOf({ agent: { contextRepositories, requireEvidence } }: Project): ContextForm {
  return {
    repositories: contextRepositories.map(({ name, repository, ref, paths }) => ({
      ...newRepository,
      name,
      repository,
      ref: ref ?? '',
      paths: paths.join('\n'),
    })),
    evidence: requireEvidence === null ? 'auto' : requireEvidence ? 'always' : 'never',
  };
}

function agentOf({ repositories, evidence }: ContextForm): SetProjectAgent {
  return {
    contextRepositories: repositories.map((form) => ({
      name: form.name.trim(),
      repository: form.repository.trim(),
      ...(form.ref.trim() === '' ? {} : { ref: form.ref.trim() }),
      paths: linesOf(form.paths),
      ...credentialOf(form),
    })),
    requireEvidence: evidenceSettings[evidence],
  };
}

/** Without an entry the stored credential is kept. */
function credentialOf({ token, forgetsCredential }: RepositoryForm) {
  if (forgetsCredential) return { credential: null };
  return token === '' ? {} : { credential: { type: 'token' as const, token } };
}

/** The API call to copy must not contain the secret. */
function masked(form: RepositoryForm): RepositoryForm {
  return { ...form, token: form.token === '' ? '' : 'the-secret' };
}
