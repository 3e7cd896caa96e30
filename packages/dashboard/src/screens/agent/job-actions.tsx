/** What can be done with a job: cancel, try again, archive, and the way to its pull request. */
import type { AgentJob as Job } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useToast } from '../../parts/toast.tsx';

type Action = 'cancelAgentJob' | 'retryAgentJob' | 'archiveAgentJob' | 'unarchiveAgentJob';

const done: Record<Action, string> = {
  cancelAgentJob: 'The job is canceled.',
  retryAgentJob: 'The last instruction is tried again.',
  archiveAgentJob: 'The job is archived.',
  unarchiveAgentJob: 'The job is out of the archive.',
};

export function JobActions({ projectId, job, mayWrite }: { projectId: string; job: Job; mayWrite: boolean }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [asked, setAsked] = useState<'cancelAgentJob' | 'archiveAgentJob'>();
  const act = useMutation({
    mutationFn: (action: Action) => client.call(action, { params: { projectId, id: job.id } }),
    onSuccess: (next, action) => {
      queries.setQueryData(['agent-job', projectId, job.id], next);
      void queries.invalidateQueries({ queryKey: ['agent-jobs'] });
      setAsked(undefined);
      toast(done[action]);
    },
  });
  const isActive = job.status === 'active';
  const isArchived = job.status === 'archived';
  const isBusy = (action: Action) => act.isPending && act.variables === action;
  const link = job.pullRequest?.url;
  return (
    <>
      {mayWrite && !isArchived && isActive && (
        <Button icon="stop" onClick={() => setAsked('cancelAgentJob')}>
          Cancel
        </Button>
      )}
      {mayWrite && mayRetry(job) && (
        <Button icon="repeat" busy={isBusy('retryAgentJob')} onClick={() => act.mutate('retryAgentJob')}>
          Try again
        </Button>
      )}
      {mayWrite && (
        <Button
          icon="archive"
          busy={isBusy('unarchiveAgentJob') || (isBusy('archiveAgentJob') && asked === undefined)}
          onClick={() =>
            isArchived
              ? act.mutate('unarchiveAgentJob')
              : isActive
                ? setAsked('archiveAgentJob')
                : act.mutate('archiveAgentJob')
          }
        >
          {isArchived ? 'Take out of the archive' : 'Archive'}
        </Button>
      )}
      {link !== null && link !== undefined && (
        <ButtonLink to={link} look="primary" icon="external" outside>
          {job.pullRequest?.draft === true ? 'Draft pull request' : 'Pull request'}
          {job.pullRequest?.number !== null && ` #${job.pullRequest?.number}`}
        </ButtonLink>
      )}
      {act.error !== null && asked === undefined && (
        <div className="job-problem">
          <Problem error={act.error} />
        </div>
      )}
      <Confirm
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={asked === 'archiveAgentJob' ? 'Archive a job at work?' : 'Cancel this job?'}
        action={asked === 'archiveAgentJob' ? 'Cancel and archive' : 'Cancel the job'}
        act={() => asked !== undefined && act.mutate(asked)}
        busy={act.isPending}
        error={act.error}
      >
        The agent stops after the step it is at. What was pushed already stays, and you can go on with the job
        later.
      </Confirm>
    </>
  );
}

/** The API would repeat any finished run; that of a good one is of no use. */
function mayRetry({ status, statusReason, purgedAt }: Job): boolean {
  if (purgedAt !== null) return false;
  return status === 'failed' || (status === 'completed' && statusReason === 'partial');
}
