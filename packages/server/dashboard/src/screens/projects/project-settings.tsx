/** What a project is: its name, domain and source; and the way to delete it. */
import type { Project } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../app/client.ts';
import { useMay } from '../../app/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { fieldError, TextField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useSourceCheck } from './source-check.tsx';
import { SourceFields, sourceOf } from './source-fields.tsx';
import { SaveRow } from './save-row.tsx';
import { useProjectChange } from './use-project-change.ts';

export function ProjectSettings({ project }: { project: Project }) {
  const mayWrite = useMay('projects:write');
  if (!mayWrite)
    return <Note tone="quiet">Members, admins and owners of the organization can change a project.</Note>;
  return (
    <>
      <General project={project} />
      <Source project={project} />
      <Deletion project={project} />
    </>
  );
}

function General({ project }: { project: Project }) {
  const [form, setForm] = useState({ name: project.name, domain: project.domain });
  const save = useProjectChange(project, ({ name, domain }) => setForm({ name, domain }));
  const body = { name: form.name.trim(), domain: form.domain.trim() };
  const isSame = body.name === project.name && body.domain === project.domain;
  return (
    <Panel title="Name and domain">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(body);
        }}
      >
        <div className="form-row">
          <TextField
            label="Name"
            value={form.name}
            onChange={(name) => setForm({ ...form, name })}
            maxLength={128}
            required
            error={fieldError(save.error, 'name')}
          />
          <TextField
            label="Domain"
            mono
            value={form.domain}
            onChange={(domain) => setForm({ ...form, domain })}
            hint="Pipelines ask for exports by it."
            required
            error={fieldError(save.error, 'domain')}
          />
        </div>
        <SaveRow save={save} isSame={isSame} besides={['name', 'domain']} />
      </form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={body}
        command={`docyard projects update ${project.id} --domain ${body.domain}`}
      />
    </Panel>
  );
}

function Source({ project }: { project: Project }) {
  const kept = formOf(project);
  const [form, setForm] = useState(kept);
  const save = useProjectChange(project, (next) => setForm(formOf(next)));
  const source = sourceOf(form);
  const isSame = JSON.stringify(form) === JSON.stringify(kept);
  const check = useSourceCheck({ source, projectId: project.id }, !isSame);
  const movesHost = hostOf(form.repository) !== hostOf(kept.repository);
  return (
    <Panel title="Source">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ source: { ref: null, directory: null, ...source } });
        }}
      >
        <SourceFields
          form={form}
          set={(change) => setForm({ ...form, ...change })}
          check={isSame ? undefined : check}
          error={save.error}
        />
        {movesHost && project.agent.forge?.credential.set === true && (
          <Note tone="warn">
            The credential of the forge is forgotten, because the repository moves to another host.
          </Note>
        )}
        <SaveRow save={save} isSame={isSame} />
      </form>
    </Panel>
  );
}

function formOf({ source }: Project) {
  return { repository: source.repository, ref: source.ref ?? '', directory: source.directory ?? '' };
}

function hostOf(repository: string): string {
  return URL.parse(repository)?.host ?? '';
}

function Deletion({ project }: { project: Project }) {
  const [isAsked, setAsked] = useState(false);
  const [, go] = useLocation();
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => client.call('deleteProject', { params: { projectId: project.id } }),
    onSuccess: () => {
      toast(`${project.name} is deleted.`);
      go('/projects');
      queries.removeQueries({ queryKey: ['project', project.id] });
      void queries.invalidateQueries();
    },
  });
  return (
    <Panel title="Delete the project">
      <p className="soft">
        Its exports, bundles and agent jobs go with it. Repository, branches and pull requests stay as they
        are.
      </p>
      <div>
        <Button icon="trash" onClick={() => setAsked(true)}>
          Delete…
        </Button>
      </div>
      <ApiCall
        operation="deleteProject"
        params={{ projectId: project.id }}
        command={`docyard projects delete ${project.id}`}
      />
      <Confirm
        open={isAsked}
        onClose={() => setAsked(false)}
        title={`Delete ${project.name}?`}
        action="Delete the project"
        act={() => remove.mutate()}
        busy={remove.isPending}
        error={remove.error}
        typed={project.name}
      >
        Every export, bundle and agent job of <strong>{project.domain}</strong> is gone at once, and links to
        its bundles stop working. This cannot be undone.
      </Confirm>
    </Panel>
  );
}
