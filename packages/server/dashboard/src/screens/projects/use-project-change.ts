/** Changes a project and keeps every list that shows it true. */
import type { Project, UpdateProject } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../app/client.ts';
import { useToast } from '../../parts/toast.tsx';

export function useProjectChange(project: Project, done: (next: Project) => void) {
  const queries = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (body: UpdateProject) =>
      client.call('updateProject', { params: { projectId: project.id }, body }),
    onSuccess: (next) => {
      queries.setQueryData(['project', project.id], next);
      void queries.invalidateQueries({ queryKey: ['projects'] });
      toast('Saved.');
      done(next);
    },
  });
}
