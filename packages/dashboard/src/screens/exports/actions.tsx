import type { ExportJob } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { useToast } from '../../parts/toast.tsx';

export function useRetry() {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const toast = useToast();
  return useMutation({
    mutationFn: (jobId: string) => client.call('retryExport', { params: { jobId } }),
    onSuccess: (job) => {
      queries.setQueryData(['export', job.jobId], job);
      void queries.invalidateQueries({ queryKey: ['exports'] });
      toast('Started a new export with the same request');
      go(`/exports/${job.jobId}`);
    },
  });
}

interface ConfirmProps {
  job: ExportJob;
  open: boolean;
  onClose: () => void;
}

export function ConfirmCancel({ job, open, onClose }: ConfirmProps) {
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => client.call('cancelExport', { params: { jobId: job.jobId } }),
    onSuccess: (canceled) => {
      queries.setQueryData(['export', job.jobId], canceled);
      onClose();
    },
  });
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title="Cancel this export?"
      action="Cancel export"
      act={() => cancel.mutate()}
      busy={cancel.isPending}
      error={cancel.error}
    >
      {job.domain} stops at {Math.floor(job.progress)} %. Its files are discarded. You can start it again.
    </Confirm>
  );
}

export function ConfirmDelete({ job, open, onClose }: ConfirmProps) {
  const queries = useQueryClient();
  const [, go] = useLocation();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => client.call('deleteExport', { params: { jobId: job.jobId } }),
    onSuccess: () => {
      toast('Export deleted');
      go('/exports');
      queries.removeQueries({ queryKey: ['export', job.jobId] });
      void queries.invalidateQueries({ queryKey: ['exports'] });
    },
  });
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title="Delete this export?"
      action="Delete export"
      act={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    >
      The record, the report and the bundle of {job.domain}
      {job.version === null ? '' : ` ${job.version}`} are removed. Links to the bundle stop working.
    </Confirm>
  );
}
