/** The projects, for a list to choose from. */
import type { Project } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../app/client.ts';

/** Who has more of them comes from the page of one. */
const mostProjects = 500;

export function useProjectChoices() {
  return useQuery({
    queryKey: ['projects', 'choices'],
    queryFn: async () => {
      const projects: Project[] = [];
      for await (const project of client.each('listProjects', { query: { limit: 100 } })) {
        projects.push(project);
        if (projects.length === mostProjects) break;
      }
      return projects;
    },
    staleTime: 30_000,
  });
}
