/** The GitHub App of a project: created from a manifest that the user confirms on GitHub. */
import type { GithubApp, Project } from '@docyard/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form, FormProblem } from '../../parts/form.tsx';
import { Badge } from '../../parts/note.tsx';
import { Facts, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Ago } from '../../parts/time.tsx';

interface GithubAppPanelProps {
  project: Project;
  mayWrite: boolean;
}

export function GithubAppPanel({ project, mayWrite }: GithubAppPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const params = { projectId: project.id };
  const read = useQuery({
    queryKey: ['project', project.id, 'github-app', project.version],
    queryFn: () => client.call('readGithubApp', { params }),
  });
  const app = read.data?.app ?? null;
  return (
    <Panel title="GitHub App" aside={app !== null && <Badge tone="good">Created</Badge>}>
      <p className="soft">
        An App of this project replaces the webhook and the token: it reports events to the hook, and its key
        is the credential for the repository. It also works with GitHub Enterprise Server.
      </p>
      {read.isPending && <Waiting lines={2} />}
      {read.error !== null && <Problem error={read.error} retry={() => void read.refetch()} />}
      {app !== null && <AppFacts app={app} />}
      {mayWrite && read.data !== undefined && (
        <div className="project-actions">
          {app !== null && (
            <ButtonLink to={app.installUrl} look="primary" icon="external" outside>
              Install on GitHub
            </ButtonLink>
          )}
          <Button icon="plus" onClick={() => setOpen(true)}>
            {app === null ? 'Create a GitHub App' : 'Create another App'}
          </Button>
        </div>
      )}
      <ApiCall
        operation="startGithubApp"
        params={params}
        command={`docyard events github-app --project ${project.id}`}
      />
      {isOpen && <CreateDialog project={project} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function AppFacts({ app }: { app: GithubApp }) {
  return (
    <Facts
      facts={[
        [
          'App',
          <a key="app" href={app.url} rel="noreferrer">
            {app.name}
          </a>,
        ],
        ['Id', app.appId],
        ['Created', <Ago key="created" at={app.createdAt} />],
      ]}
    />
  );
}

const maxNameLength = 34;

function CreateDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const [organization, setOrganization] = useState('');
  const [name, setName] = useState(`Docyard ${project.name}`.slice(0, maxNameLength).trim());
  const start = useMutation({
    mutationFn: () =>
      client.call('startGithubApp', {
        params: { projectId: project.id },
        body: {
          ...(organization.trim() === '' ? {} : { organization: organization.trim() }),
          ...(name.trim() === '' ? {} : { name: name.trim() }),
        },
      }),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title="Create a GitHub App"
      lead="You confirm the App on GitHub and return here. Then install it on the repository."
    >
      <Form error={start.error} onSubmit={() => start.mutate()}>
        <TextField
          label="Organization on GitHub"
          optional
          value={organization}
          onChange={setOrganization}
          hint="The owner of the App, and of the repository. Without one, the App belongs to your account."
          path="organization"
        />
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          maxLength={maxNameLength}
          hint="Names of Apps are unique on GitHub. You can change it there."
          path="name"
        />
        <FormProblem />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" icon="external" busy={start.isPending || start.isSuccess}>
            Continue to GitHub
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

const otherForges = ['gitlab.com', 'bitbucket.org', 'codeberg.org', 'gitea.com'];

/** A host that is no known forge may be GitHub Enterprise Server. */
export function mayBeGithub({ agent: { forge }, source }: Project): boolean {
  if (forge !== null) return forge.kind === 'github';
  const url = URL.parse(source.repository);
  return url !== null && /^https?:$/.test(url.protocol) && !otherForges.includes(url.host);
}
