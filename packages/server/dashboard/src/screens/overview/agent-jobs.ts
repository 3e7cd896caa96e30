/** The newest agent jobs of the first projects: the API lists them project by project. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../../app/client.ts';
import { useMay } from '../../app/session.tsx';
import { readMergedJobs } from '../agent/merged-jobs.ts';

const mostProjects = 10;
const mostJobs = 6;

export function useRecentAgentJobs() {
  const mayRead = useMay('agent:read');
  return useQuery({
    queryKey: ['agent-jobs', 'recent'],
    enabled: mayRead,
    refetchInterval: 5000,
    queryFn: async () => {
      const projects = await client.call('listProjects', { query: { limit: mostProjects } });
      const ids = projects.data.map(({ id }) => id);
      const page = await readMergedJobs(ids, undefined, (projectId) =>
        client.call('listAgentJobs', {
          params: { projectId },
          query: { limit: mostJobs, archived: 'false' },
        }),
      );
      return page.data.slice(0, mostJobs);
    },
  });
}
