/** A form for a part of a project. Saving updates every cached list, and changes by other callers are detected. */
import type { Project, UpdateProject } from '@docyard/api';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useRecordForm } from '../../parts/record-form.ts';
import { useToast } from '../../parts/toast.tsx';

export function useProjectForm<Form extends object>(
  project: Project,
  formOf: (project: Project) => Form,
  changeOf: (form: Form) => UpdateProject,
) {
  const queries = useQueryClient();
  const toast = useToast();
  const params = { projectId: project.id };
  return useRecordForm({
    record: project,
    formOf,
    save: (form: Form, version) =>
      client.call('updateProject', { params, body: { ...changeOf(form), version } }),
    read: () => client.call('readProject', { params }),
    onSaved: (next) => {
      queries.setQueryData(['project', project.id], next);
      void queries.invalidateQueries({ queryKey: ['projects'] });
      toast('Saved.');
    },
  });
}
