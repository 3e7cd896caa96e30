import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { counted, relative, useNow } from '../../parts/time.tsx';

export function HealthLine() {
  const system = useQuery({
    queryKey: ['system'],
    queryFn: () => client.call('readSystem'),
    refetchInterval: 30_000,
  });
  const nowMs = useNow(30_000);
  if (system.isError)
    return (
      <span className="health health-bad">
        The system status is not available. <Link to="/system">System</Link>
      </span>
    );
  if (system.data === undefined) return <span className="health">&nbsp;</span>;
  const { checks, version, startedAt, queue } = system.data;
  const broken = checks.filter(({ ok }) => !ok);
  const waiting = queue.exports.queued + queue.agentJobs.queued;
  const words = [
    `version ${version}`,
    `started ${relative(Date.parse(startedAt) - nowMs)}`,
    ...(waiting > 0 ? [`${counted(waiting, 'job')} waiting`] : []),
  ];
  return (
    <span className={broken.length === 0 ? 'health health-good' : 'health health-bad'}>
      <Link to="/system">
        {broken.length === 0 ? 'All is well' : `${broken.map(({ name }) => name).join(', ')}: not usable`}
      </Link>
      {` · ${words.join(' · ')}`}
    </span>
  );
}
