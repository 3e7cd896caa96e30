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
  retryAgentJob: 'The last instruction runs again.',
  archiveAgentJob: 'The job is archived.',
  unarchiveAgentJob: 'The job is unarchived.',
};

export function JobActions({ projectId, job, mayWrite }: { projectId: string; job: Job; mayWrite: boolean }) {
  const queries = useQueryClient();
  const toast = useToast();
  const [confirming, setConfirming] = useState<'cancelAgentJob' | 'archiveAgentJob'>();
  const act = useMutation({
    mutationFn: (action: Action) => client.call(action, { params: { projectId, id: job.id } }),
    onSuccess: (next, action) => {
      queries.setQueryData(['agent-job', projectId, job.id], next);
      void queries.invalidateQueries({ queryKey: ['agent-jobs'] });
      setConfirming(undefined);
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
        <Button icon="stop" onClick={() => setConfirming('cancelAgentJob')}>
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
          busy={isBusy('unarchiveAgentJob') || (isBusy('archiveAgentJob') && confirming === undefined)}
          onClick={() =>
            isArchived
              ? act.mutate('unarchiveAgentJob')
              : isActive
                ? setConfirming('archiveAgentJob')
                : act.mutate('archiveAgentJob')
          }
        >
          {isArchived ? 'Unarchive' : 'Archive'}
        </Button>
      )}
      {link !== null && link !== undefined && (
        <ButtonLink to={link} look="primary" icon="external" outside>
          {job.pullRequest?.draft === true ? 'Draft pull request' : 'Pull request'}
          {job.pullRequest?.number !== null && ` #${job.pullRequest?.number}`}
        </ButtonLink>
      )}
      {act.error !== null && confirming === undefined && (
        <div className="job-problem">
          <Problem error={act.error} />
        </div>
      )}
      <Confirm
        open={confirming !== undefined}
        onClose={() => setConfirming(undefined)}
        title={confirming === 'archiveAgentJob' ? 'Archive an active job?' : 'Cancel this job?'}
        action={confirming === 'archiveAgentJob' ? 'Cancel and archive' : 'Cancel the job'}
        act={() => confirming !== undefined && act.mutate(confirming)}
        busy={act.isPending}
        error={act.error}
      >
        The agent stops after the current step. Pushed commits stay, and you can continue the job later.
      </Confirm>
    </>
  );
}

/** The API can retry any finished run, but retrying a successful one is not useful. */
function mayRetry({ status, statusReason, purgedAt }: Job): boolean {
  if (purgedAt !== null) return false;
  return status === 'failed' || (status === 'completed' && statusReason === 'partial');
}
