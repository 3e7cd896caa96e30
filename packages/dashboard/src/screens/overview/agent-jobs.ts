/** Polls the newest agent jobs. A second event stream would use up the browser's six HTTP/1.1 connections per host sooner. */
import { client } from '../../api/client.ts';
import { useList } from '../../parts/list.ts';

const maxJobs = 20;
const askAgainMs = 5000;

export function useRecentAgentJobs() {
  return useList(
    ['agent-jobs', 'recent'],
    () => client.call('listAllAgentJobs', { query: { archived: 'false', limit: maxJobs } }),
    { refetchMs: askAgainMs },
  );
}
