import { forgeKinds, type Project, type SetProjectAgent } from '@docyard/api';
import { ApiCall } from '../../parts/api-call.tsx';
import { SelectField, TextField, type Choice } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Badge } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

export type Kind = (typeof forgeKinds)[number];
type Forge = NonNullable<SetProjectAgent['forge']>;

interface ForgeForm {
  kind: Kind | 'found';
  apiBase: string;
  fork: string;
  credential: 'keep' | 'token' | 'app' | 'none';
  token: string;
  username: string;
  appId: string;
  privateKey: string;
  installationId: string;
}

export const kindNames: Record<Kind, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea, Forgejo',
  bitbucket: 'Bitbucket Cloud',
  'bitbucket-data-center': 'Bitbucket Data Center',
  bare: 'Plain git, without pull requests',
};

/** Required permissions of the token, in the words of each forge. */
export const rights: Record<Kind, string> = {
  github: 'A fine-grained token of this repository: Contents and Pull requests, read and write.',
  gitlab: 'A project access token with the role Developer and the scopes api and write_repository.',
  gitea: 'An access token with write:repository.',
  bitbucket: 'An access token of the repository: Repositories, write, and Pull requests, write.',
  'bitbucket-data-center': 'An HTTP access token of the repository with Repository write.',
  bare: 'It is sent as a password.',
};

export function ForgeSettings({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, (fields) => ({ agent: { forge: forgeOf(fields) } }));
  const { form, set } = edit;
  const { forge } = project.agent;
  return (
    <Panel title="Forge" aside={<CredentialBadge forge={forge} />}>
      <Form error={edit.error} onSubmit={edit.submit}>
        <div className="form-row">
          <SelectField
            label="Forge"
            value={form.kind}
            onChange={(kind) =>
              set({ kind, ...(form.credential === 'app' && kind !== 'github' && { credential: 'token' }) })
            }
            choices={[
              { value: 'found', label: 'Detect from the address' },
              ...forgeKinds.map((value) => ({ value, label: kindNames[value] })),
            ]}
            path="agent.forge.kind"
            {...(form.kind === 'found' ? { hint: 'To push, choose the forge and add a credential.' } : {})}
          />
          {form.kind !== 'found' && (
            <TextField
              label="API address"
              optional
              mono
              type="url"
              value={form.apiBase}
              onChange={(apiBase) => set({ apiBase })}
              placeholder="the default address"
              path="agent.forge.apiBase"
            />
          )}
        </div>
        {form.kind !== 'found' && form.kind !== 'bare' && (
          <TextField
            label="Fork"
            optional
            mono
            value={form.fork}
            onChange={(fork) => set({ fork })}
            placeholder="branches are pushed to the repository"
            hint="For tokens that cannot push to the repository: the namespace or address of a fork, or auto to create one in the account of the token."
            path="agent.forge.fork"
          />
        )}
        {form.kind !== 'found' && <Credential kind={form.kind} form={form} set={set} forge={forge} />}
        <SaveRow edit={edit} labels={{ kind: 'Forge', apiBase: 'API address', fork: 'Fork' }} />
      </Form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={{
          agent: {
            forge: forgeOf({ ...form, token: masked(form.token), privateKey: masked(form.privateKey) }),
          },
        }}
        command={commandOf(project, form)}
      />
    </Panel>
  );
}

function CredentialBadge({ forge }: { forge: Project['agent']['forge'] }) {
  if (forge === null) return <Badge tone="quiet">Not set</Badge>;
  return forge.credential.set ? (
    <Badge tone="good">Credential is set</Badge>
  ) : (
    <Badge tone="warn">No credential</Badge>
  );
}

interface CredentialProps {
  kind: Kind;
  form: ForgeForm;
  set: (change: Partial<ForgeForm>) => void;
  forge: Project['agent']['forge'];
}

function Credential({ kind, form, set, forge }: CredentialProps) {
  const mayKeep =
    forge?.credential.set === true && forge.kind === kind && (forge.apiBase ?? '') === form.apiBase.trim();
  const choices: Choice<ForgeForm['credential']>[] = [
    ...(mayKeep ? [{ value: 'keep', label: 'Keep the current credential' } as const] : []),
    { value: 'token', label: 'A token' },
    ...(kind === 'github' ? [{ value: 'app', label: 'A GitHub App' } as const] : []),
    { value: 'none', label: 'None' },
  ];
  const chosen = choices.some(({ value }) => value === form.credential) ? form.credential : 'token';
  return (
    <>
      <SelectField
        label="Credential"
        value={chosen}
        onChange={(credential) => set({ credential })}
        choices={choices}
        {...(chosen === 'none'
          ? { hint: 'Repositories that require a credential cannot be pushed to.' }
          : {})}
      />
      {chosen === 'token' && (
        <div className="form-row">
          <TextField
            label="Token"
            mono
            type="password"
            autoComplete="off"
            value={form.token}
            onChange={(token) => set({ token, credential: 'token' })}
            hint={rights[kind]}
            required
            path="agent.forge.credential"
          />
          <TextField
            label="User name"
            optional
            mono
            autoComplete="off"
            value={form.username}
            onChange={(username) => set({ username })}
            hint="Only if the forge requires one."
          />
        </div>
      )}
      {chosen === 'app' && (
        <>
          <div className="form-row">
            <TextField label="App id" mono value={form.appId} onChange={(appId) => set({ appId })} required />
            <TextField
              label="Installation id"
              optional
              mono
              value={form.installationId}
              onChange={(installationId) => set({ installationId })}
              hint="Detected from the repository."
            />
          </div>
          <TextField
            label="Private key"
            mono
            rows={4}
            value={form.privateKey}
            onChange={(privateKey) => set({ privateKey })}
            placeholder="-----BEGIN RSA PRIVATE KEY-----"
            hint="The PEM file of the App. Stored encrypted and never shown again."
            required
            path="agent.forge.credential"
          />
        </>
      )}
    </>
  );
}

function formOf({ agent: { forge } }: Project): ForgeForm {
  return {
    kind: forge?.kind ?? 'found',
    apiBase: forge?.apiBase ?? '',
    fork: forge?.fork ?? '',
    credential: forge?.credential.set === true ? 'keep' : 'token',
    token: '',
    username: '',
    appId: '',
    privateKey: '',
    installationId: '',
  };
}

function forgeOf(form: ForgeForm): Forge | null {
  if (form.kind === 'found') return null;
  const credential = credentialOf(form);
  return {
    kind: form.kind,
    ...(form.apiBase.trim() === '' ? {} : { apiBase: form.apiBase.trim() }),
    ...(form.fork.trim() === '' || form.kind === 'bare' ? {} : { fork: form.fork.trim() }),
    ...(credential === undefined ? {} : { credential }),
  };
}

/** Undefined keeps the stored credential, null deletes it. */
function credentialOf(form: ForgeForm): Forge['credential'] {
  switch (form.credential) {
    case 'keep':
      return undefined;
    case 'none':
      return null;
    case 'token':
      return {
        type: 'token',
        token: form.token,
        ...(form.username.trim() === '' ? {} : { username: form.username.trim() }),
      };
    case 'app':
      return {
        type: 'app',
        appId: form.appId.trim(),
        privateKey: form.privateKey,
        ...(form.installationId.trim() === '' ? {} : { installationId: form.installationId.trim() }),
      };
  }
}

/** The API call to copy must not contain the secret. */
function masked(secret: string): string {
  return secret === '' ? '' : 'the-secret';
}

function commandOf(project: Project, form: ForgeForm): string {
  const start = `docyard projects agent ${project.domain}`;
  if (form.kind === 'found') return `${start} --no-forge`;
  const credential = {
    keep: '',
    none: ' --no-credential',
    token: ' --token-file ./token',
    app: ` --app-id ${form.appId || 'ID'} --app-key-file ./app.pem`,
  }[form.credential];
  const fork = form.fork.trim() === '' || form.kind === 'bare' ? '' : ` --fork ${form.fork.trim()}`;
  return `${start} --forge ${form.kind}${fork}${credential}`;
}
