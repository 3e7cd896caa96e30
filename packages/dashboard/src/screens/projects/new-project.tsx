/** Creates a project and checks first whether an export would find pages. */
import type { Project } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form, FormProblem } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { forgeOf, PrivateFields, type PrivateForm } from './private-fields.tsx';
import { useSourceCheck } from './source-check.tsx';
import { SourceFields, sourceOf, type SourceForm } from './source-fields.tsx';

export function NewProject({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="New project"
      lead="A repository with a docs.json and the domain of its documentation."
      wide
    >
      <NewProjectForm onClose={onClose} />
    </Dialog>
  );
}

interface NewProjectFields extends SourceForm {
  /** Undefined until it is edited: the site suggests a value. */
  name?: string;
  domain: string;
}

function NewProjectForm({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState<NewProjectFields>({ repository: '', ref: '', directory: '', domain: '' });
  const set = (change: Partial<NewProjectFields>) => setForm({ ...form, ...change });
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
  const suggestedName = check.result?.name ?? '';
  const name = form.name ?? suggestedName;
  const body = { name: name.trim(), domain: form.domain.trim(), source };
  // A retry continues after the step that succeeded.
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
  const isDoubtful = check.state === 'checked' && check.result?.ok === false;
  return (
    <Form error={create.error} onSubmit={() => create.mutate()}>
      <SourceFields form={form} set={set} check={check} autoFocus />
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
          {...(form.name === undefined && suggestedName !== '' && { hint: 'Suggested by the site.' })}
          maxLength={128}
          required
          path="name"
        />
        <TextField
          label="Domain"
          mono
          value={form.domain}
          onChange={(domain) => set({ domain })}
          placeholder="docs.example.com"
          hint="A bare host name. It identifies the project in export requests."
          required
          path="domain"
        />
      </div>
      <ApiCall operation="createProject" body={body} command={commandOf(body)} />
      <FormProblem />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button look="primary" type="submit" icon="plus" busy={create.isPending} disabled={!isWhole}>
          {isDoubtful ? 'Create anyway' : 'Create project'}
        </Button>
      </DialogActions>
    </Form>
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
