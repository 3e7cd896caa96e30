/** The pull requests of a project, their previews and the approval of commits of forks. */
import type { ForgePullRequest, Project } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { useList } from '../../parts/list.ts';
import { Badge, type Tone } from '../../parts/note.tsx';
import { Empty, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { PullRequestPreviews } from './pull-request-previews.tsx';

type PreviewState = ForgePullRequest['preview']['state'];

const words: Record<PreviewState, string> = {
  pending: 'Pending',
  building: 'Building',
  ready: 'Ready',
  failed: 'Failed',
  approval: 'Needs approval',
  skipped: 'Skipped',
  removed: 'Removed',
};

const tones: Record<PreviewState, Tone> = {
  pending: 'quiet',
  building: 'info',
  ready: 'good',
  failed: 'bad',
  approval: 'warn',
  skipped: 'quiet',
  removed: 'quiet',
};

const closings: Record<ForgePullRequest['state'], string> = {
  open: 'Removed',
  closed: 'Closed',
  merged: 'Merged',
};

const refetchMs = 4000;
const shortCommit = (commit: string) => commit.slice(0, 7);

export function PullRequests({ project }: { project: Project }) {
  const { id: projectId, pullRequests } = project;
  const [approving, setApproving] = useState<ForgePullRequest>();
  const mayApprove = useMay('exports:write');
  const mayChange = useMay('projects:write');
  const list = useList(
    ['pull-requests', projectId],
    (cursor) =>
      client.call('listPullRequests', {
        query: { projectId, limit: 100, ...(cursor === undefined ? {} : { cursor }) },
      }),
    { refetchMs },
  );
  const { rows } = list;
  return (
    <>
      <Panel flush title="Pull requests">
        {list.error !== null ? (
          <Problem error={list.error} retry={list.refetch} />
        ) : rows === undefined ? (
          <Waiting lines={4} />
        ) : rows.length === 0 ? (
          <Empty icon="branch" title="No pull requests yet">
            {pullRequests.enabled
              ? 'A pull request appears here when the forge reports it to the hook of the project.'
              : 'Previews need a credential for the forge of the project.'}
          </Empty>
        ) : (
          <Table
            label="Pull requests"
            rows={rows}
            columns={mayApprove ? [...columns, actions(setApproving)] : columns}
            keyOf={({ id }) => id}
            more={list.more}
          />
        )}
      </Panel>
      {mayChange && <PullRequestPreviews project={project} />}
      <ApiCall
        operation="listPullRequests"
        query={{ projectId }}
        command={`docyard pull-requests list --project ${projectId}`}
      />
      {approving !== undefined && <Approve pull={approving} onClose={() => setApproving(undefined)} />}
    </>
  );
}

const columns: Column<ForgePullRequest>[] = [
  {
    name: 'Pull request',
    width: 'minmax(9rem, 2fr)',
    cell: ({ url, number, title }) =>
      url === null ? (
        `#${number} ${title}`
      ) : (
        <a href={url} rel="noreferrer" className="project-link">
          #{number} {title}
        </a>
      ),
  },
  {
    name: 'Commit',
    width: '8rem',
    cell: ({ headCommit, isFork }) => (
      <span className="mono">
        {shortCommit(headCommit)}
        {isFork && ' (fork)'}
      </span>
    ),
  },
  {
    name: 'Preview',
    width: 'minmax(8rem, 1fr)',
    cell: ({ state: forgeState, preview: { state, reason } }) => (
      <span title={reason ?? undefined}>
        <Badge tone={tones[state]}>{state === 'removed' ? closings[forgeState] : words[state]}</Badge>
      </span>
    ),
  },
  {
    name: 'Links',
    width: '7rem',
    cell: ({ preview: { url, jobId } }) => (
      <>
        {url !== null && (
          <a href={url} rel="noreferrer">
            Open
          </a>
        )}{' '}
        {jobId !== null && <Link to={`/exports/${jobId}`}>Export</Link>}
      </>
    ),
  },
];

function actions(approve: (pull: ForgePullRequest) => void): Column<ForgePullRequest> {
  return {
    name: 'Actions',
    quiet: true,
    width: '7rem',
    align: 'end',
    cell: (pull) =>
      pull.preview.state === 'approval' && <Button onClick={() => approve(pull)}>Approve</Button>,
  };
}

function Approve({ pull, onClose }: { pull: ForgePullRequest; onClose: () => void }) {
  const queries = useQueryClient();
  const approval = useMutation({
    mutationFn: () =>
      client.call('approvePullRequest', {
        params: { pullRequestId: pull.id },
        body: { headCommit: pull.headCommit },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['pull-requests', pull.projectId] });
      onClose();
    },
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Build ${shortCommit(pull.headCommit)} of #${pull.number}?`}
      action="Approve"
      act={() => approval.mutate()}
      busy={approval.isPending}
      error={approval.error}
      keep="Cancel"
    >
      The commit is from a fork. Review its changes before. The approval does not cover later commits.
    </Confirm>
  );
}
