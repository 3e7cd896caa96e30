/** Makes a project of a repository, and says before whether an export of it would find pages. */
import type { Project } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../app/client.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { fieldError, TextField } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useToast } from '../../parts/toast.tsx';
import { forgeOf, PrivateFields, type PrivateForm } from './private-fields.tsx';
import { useSourceCheck } from './source-check.tsx';
import { SourceFields, sourceOf } from './source-fields.tsx';

export function NewProject({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="New project"
      lead="A repository that holds a docs.json, and the domain its documentation is known by."
      wide
    >
      <NewProjectForm onClose={onClose} />
    </Dialog>
  );
}

function NewProjectForm({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ repository: '', ref: '', directory: '', name: '', domain: '' });
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change });
  const [, go] = useLocation();
  const queries = useQueryClient();
  const toast = useToast();
  const source = sourceOf(form);
  const [access, setAccess] = useState<PrivateForm>({ kind: undefined, token: '' });
  const forge = forgeOf(access, source.repository);
  const check = useSourceCheck({ source, ...(forge === undefined ? {} : { credential: forge.credential }) });
  const isMaybePrivate =
    source.repository.startsWith('http') &&
    (access.token !== '' || check.result?.problem?.code === 'source_not_found');
  // What the site calls itself, until somebody types another name.
  const name = form.name === '' ? (check.result?.name ?? '') : form.name;
  const body = { name: name.trim(), domain: form.domain.trim(), source };
  // When only the second step fails, the first is not done again.
  const made = useRef<Project>(undefined);
  const create = useMutation({
    mutationFn: async () => {
      made.current ??= await client.call('createProject', { body });
      if (forge === undefined) return made.current;
      const params = { projectId: made.current.id };
      return client.call('updateProject', { params, body: { agent: { forge } } });
    },
    onSuccess: (project) => {
      queries.setQueryData(['project', project.id], project);
      toast(`${project.name} is set up.`);
      go(`/projects/${project.id}`);
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['projects'] }),
  });
  const isWhole = Object.values({ ...body, source: source.repository }).every((value) => value !== '');
  const isDoubtful = check.state === 'told' && check.result?.ok === false;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <SourceFields form={form} set={set} check={check} error={create.error} autoFocus />
      {isMaybePrivate && (
        <PrivateFields
          form={access}
          repository={source.repository}
          set={(change) => setAccess({ ...access, ...change })}
        />
      )}
      <div className="form-row">
        <TextField
          label="Name"
          value={name}
          onChange={(next) => set({ name: next })}
          placeholder="Harbour handbook"
          maxLength={128}
          required
          error={fieldError(create.error, 'name')}
        />
        <TextField
          label="Domain"
          mono
          value={form.domain}
          onChange={(domain) => set({ domain })}
          placeholder="docs.example.com"
          hint="A bare host name. Exports are asked for by it."
          required
          error={fieldError(create.error, 'domain')}
        />
      </div>
      <ApiCall operation="createProject" body={body} command={commandOf(body)} />
      {create.error !== null && <Problem error={create.error} besides={['name', 'domain', 'source']} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button look="primary" type="submit" icon="plus" busy={create.isPending} disabled={!isWhole}>
          {isDoubtful ? 'Create all the same' : 'Create project'}
        </Button>
      </DialogActions>
    </form>
  );
}

function commandOf({
  name,
  domain,
  source,
}: {
  name: string;
  domain: string;
  source: ReturnType<typeof sourceOf>;
}) {
  return [
    'docyard projects create',
    `--name ${quoted(name === '' ? 'NAME' : name)}`,
    `--domain ${quoted(domain === '' ? 'DOMAIN' : domain)}`,
    `--repository ${quoted(source.repository === '' ? 'ADDRESS' : source.repository)}`,
    ...(source.ref === undefined ? [] : [`--ref ${quoted(source.ref)}`]),
    ...(source.directory === undefined ? [] : [`--directory ${quoted(source.directory)}`]),
  ].join(' \\\n  ');
}
