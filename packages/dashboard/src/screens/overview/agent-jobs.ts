/**
 * The newest agent jobs of every project. They are asked for and not followed: a browser opens six connections to a host
 * over plain http, and each window with this screen has taken one for its exports.
 */
import { client } from '../../api/client.ts';
import { useList } from '../../parts/list.ts';

const mostJobs = 20;
const askAgainMs = 5000;

export function useRecentAgentJobs() {
  return useList(
    ['agent-jobs', 'recent'],
    () => client.call('listAllAgentJobs', { query: { archived: 'false', limit: mostJobs } }),
    { refetchMs: askAgainMs },
  );
}
