/** How the branches and commits of a project's jobs look. */
import { defaultBranchTemplate, defaultGitIdentity, type Project, type SetProjectGit } from '@docyard/api';
import { ApiCall } from '../../parts/api-call.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Badge } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { linesOf } from './lines.ts';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

type Git = Project['agent']['git'];
type Identity = NonNullable<Git['author']>;

interface CommitForm {
  branch: string;
  authorName: string;
  authorEmail: string;
  committerName: string;
  committerEmail: string;
  coAuthors: string;
  signingKey: string;
  forgetsKey: boolean;
}

const labels = {
  branch: 'Branch',
  authorName: 'Author',
  authorEmail: 'Author email',
  committerName: 'Committer',
  committerEmail: 'Committer email',
  coAuthors: 'Co-authors',
};

export function CommitSettings({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, (fields) => ({ agent: { git: gitOf(fields) } }));
  const { form, set } = edit;
  const { signingKey } = project.agent.git;
  return (
    <Panel
      title="Commits"
      aside={
        <Badge tone={signingKey.set ? 'good' : 'quiet'}>{signingKey.set ? 'Signed' : 'Not signed'}</Badge>
      }
    >
      <Form error={edit.error} onSubmit={edit.submit}>
        <TextField
          label="Branch"
          optional
          mono
          value={form.branch}
          onChange={(branch) => set({ branch })}
          maxLength={120}
          placeholder={defaultBranchTemplate}
          hint="{slug} is the start of the instruction, {date} the day, {job} the id of the job, which is always part of the name."
          path="agent.git.branch"
        />
        <IdentityFields
          label="Author"
          name={form.authorName}
          email={form.authorEmail}
          onName={(authorName) => set({ authorName })}
          onEmail={(authorEmail) => set({ authorEmail })}
          usual={defaultGitIdentity}
          path="agent.git.author"
        />
        <IdentityFields
          label="Committer"
          name={form.committerName}
          email={form.committerEmail}
          onName={(committerName) => set({ committerName })}
          onEmail={(committerEmail) => set({ committerEmail })}
          usual={{ name: 'the author', email: '' }}
          path="agent.git.committer"
        />
        <TextField
          label="Co-authors"
          optional
          mono
          rows={2}
          value={form.coAuthors}
          onChange={(coAuthors) => set({ coAuthors })}
          placeholder="Ada Lovelace <ada@example.com>"
          hint="One per line, as a name and an address in angle brackets."
          path="agent.git.coAuthors"
        />
        <SigningKey signingKey={signingKey} form={form} set={set} />
        <SaveRow edit={edit} labels={labels} />
      </Form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={{ agent: { git: gitOf({ ...form, signingKey: form.signingKey === '' ? '' : 'the-key' }) } }}
        command={commandOf(project, form)}
      />
    </Panel>
  );
}

interface IdentityFieldsProps {
  label: string;
  name: string;
  email: string;
  onName: (name: string) => void;
  onEmail: (email: string) => void;
  usual: Identity;
  path: string;
}

function IdentityFields({ label, name, email, onName, onEmail, usual, path }: IdentityFieldsProps) {
  return (
    <div className="form-row">
      <TextField
        label={label}
        optional
        value={name}
        onChange={onName}
        maxLength={100}
        placeholder={usual.name}
        path={`${path}.name`}
      />
      <TextField
        label={`Address of the ${label.toLowerCase()}`}
        optional
        mono
        value={email}
        onChange={onEmail}
        maxLength={254}
        placeholder={usual.email}
        path={`${path}.email`}
      />
    </div>
  );
}

interface SigningKeyProps {
  signingKey: Git['signingKey'];
  form: CommitForm;
  set: (change: Partial<CommitForm>) => void;
}

function SigningKey({ signingKey, form, set }: SigningKeyProps) {
  return (
    <>
      <TextField
        label="Signing key"
        optional
        mono
        rows={3}
        value={form.signingKey}
        onChange={(key) => set({ signingKey: key, forgetsKey: false })}
        placeholder={
          signingKey.set
            ? 'A key is set. Enter another to replace it.'
            : '-----BEGIN OPENSSH PRIVATE KEY-----'
        }
        hint="An SSH or OpenPGP private key without a passphrase. Stored encrypted and never shown again."
        path="agent.git.signingKey"
      />
      {signingKey.set && (
        <CheckField
          label="Forget the signing key"
          checked={form.forgetsKey}
          onChange={(forgetsKey) => set({ forgetsKey, signingKey: '' })}
        />
      )}
      {signingKey.publicKey !== null && (
        <div>
          <p className="field-hint">
            Register the public key at the forge, for the account with the address of the committer:
          </p>
          <CodeBlock text={signingKey.publicKey} label="public key" />
        </div>
      )}
    </>
  );
}

function formOf({ agent: { git } }: Project): CommitForm {
  return {
    branch: git.branch ?? '',
    authorName: git.author?.name ?? '',
    authorEmail: git.author?.email ?? '',
    committerName: git.committer?.name ?? '',
    committerEmail: git.committer?.email ?? '',
    coAuthors: git.coAuthors.map(textOf).join('\n'),
    signingKey: '',
    forgetsKey: false,
  };
}

function gitOf(form: CommitForm): SetProjectGit {
  return {
    branch: form.branch.trim() === '' ? null : form.branch.trim(),
    author: identityOf(form.authorName, form.authorEmail),
    committer: identityOf(form.committerName, form.committerEmail),
    coAuthors: linesOf(form.coAuthors).map(identityIn),
    ...(form.forgetsKey
      ? { signingKey: null }
      : form.signingKey === ''
        ? {}
        : { signingKey: form.signingKey }),
  };
}

function identityOf(name: string, email: string): Identity | null {
  return name.trim() === '' && email.trim() === '' ? null : { name: name.trim(), email: email.trim() };
}

/** The service reports a line without an address. */
function identityIn(line: string): Identity {
  const start = line.lastIndexOf('<');
  if (start === -1) return { name: line, email: '' };
  return {
    name: line.slice(0, start).trim(),
    email: line
      .slice(start + 1)
      .replace(/>$/, '')
      .trim(),
  };
}

function textOf({ name, email }: Identity): string {
  return `${name} <${email}>`;
}

function commandOf(project: Project, form: CommitForm): string {
  const author = identityOf(form.authorName, form.authorEmail);
  return [
    `docyard projects agent ${project.domain}`,
    form.branch === '' ? '--no-branch' : `--branch "${form.branch}"`,
    author === null ? '--no-author' : `--author "${textOf(author)}"`,
    ...(form.forgetsKey ? ['--no-signing-key'] : form.signingKey === '' ? [] : ['--signing-key-file ./key']),
  ].join(' \\\n  ');
}
