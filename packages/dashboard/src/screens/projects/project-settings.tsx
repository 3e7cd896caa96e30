import type { Project } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { discardEdits } from '../../edits/unsaved-edits.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useSourceCheck } from './source-check.tsx';
import { SourceFields, sourceOf, type SourceForm } from './source-fields.tsx';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

export function ProjectSettings({ project }: { project: Project }) {
  const mayWrite = useMay('projects:write');
  if (!mayWrite)
    return <Note tone="quiet">Members, admins and owners of the organization can change a project.</Note>;
  return (
    <>
      <General project={project} />
      <Source project={project} />
      <Exports project={project} />
      <Deletion project={project} />
    </>
  );
}

function General({ project }: { project: Project }) {
  const edit = useProjectForm(project, generalOf, trimmed);
  const { form, set } = edit;
  const body = trimmed(form);
  return (
    <Panel title="Name and domain">
      <Form error={edit.error} onSubmit={edit.submit}>
        <div className="form-row">
          <TextField
            label="Name"
            value={form.name}
            onChange={(name) => set({ name })}
            maxLength={128}
            required
            path="name"
          />
          <TextField
            label="Domain"
            mono
            value={form.domain}
            onChange={(domain) => set({ domain })}
            hint="It identifies the project in export requests."
            required
            path="domain"
          />
        </div>
        <SaveRow edit={edit} labels={{ name: 'Name', domain: 'Domain' }} />
      </Form>
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
  const saved = formOf(project);
  const edit = useProjectForm(project, formOf, changeOf);
  const { form, set, isSame } = edit;
  const source = sourceOf(form);
  const check = useSourceCheck({ source, projectId: project.id }, !isSame);
  const movesHost = hostOf(form.repository) !== hostOf(saved.repository);
  return (
    <Panel title="Source">
      <Form error={edit.error} onSubmit={edit.submit}>
        <SourceFields form={form} set={set} check={isSame ? undefined : check} />
        {movesHost && project.agent.forge?.credential.set === true && (
          <Note tone="warn">
            The credential of the forge will be deleted because the host of the repository changes.
          </Note>
        )}
        <SaveRow edit={edit} labels={{ repository: 'Repository', ref: 'Branch', directory: 'Folder' }} />
      </Form>
    </Panel>
  );
}

function Exports({ project }: { project: Project }) {
  const edit = useProjectForm(project, exportsOf, exportsChangeOf);
  const { form, set } = edit;
  const choice = form.customScripts ? 'include' : 'skip';
  return (
    <Panel title="Exports">
      <Form error={edit.error} onSubmit={edit.submit}>
        <CheckField
          label="Include scripts of the repository"
          hint="Pages of new exports run the *.js files of the repository in readers' browsers. Enable this only for repositories you trust."
          checked={form.customScripts}
          onChange={(customScripts) => set({ customScripts })}
        />
        <SaveRow edit={edit} labels={{ customScripts: 'Include scripts of the repository' }} />
      </Form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={exportsChangeOf(form)}
        command={`docyard projects update ${project.id} --custom-scripts ${choice}`}
      />
    </Panel>
  );
}

function exportsOf({ exports }: Project) {
  return { customScripts: exports.customScripts === 'include' };
}

function exportsChangeOf({ customScripts }: { customScripts: boolean }) {
  return { exports: { customScripts: customScripts ? ('include' as const) : ('skip' as const) } };
}

function generalOf({ name, domain }: Project) {
  return { name, domain };
}

function trimmed({ name, domain }: { name: string; domain: string }) {
  return { name: name.trim(), domain: domain.trim() };
}

function changeOf(form: SourceForm) {
  return { source: { ref: null, directory: null, ...sourceOf(form) } };
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
      discardEdits();
      toast(`${project.name} is deleted.`);
      go('/projects');
      queries.removeQueries({ queryKey: ['project', project.id] });
      void queries.invalidateQueries();
    },
  });
  return (
    <Panel title="Delete the project">
      <p className="soft">
        Its exports, bundles and agent jobs are deleted too. The repository, its branches and its pull
        requests are not changed.
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
        Every export, bundle and agent job of <strong>{project.domain}</strong> is deleted immediately, and
        links to its bundles stop working. This cannot be undone.
      </Confirm>
    </Panel>
  );
}
