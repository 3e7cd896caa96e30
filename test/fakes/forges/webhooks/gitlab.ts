/** GitLab. */
import { idOf } from '../conversation.ts';
import { discussionOf } from '../gitlab-review.ts';
import { homeOf, sshOf } from '../push-webhooks.ts';
import { stateIn, type Change, type Comment, type Json, type Named } from './pull-request.ts';

function gitlabProject(address: string): Json {
  return {
    id: 15,
    name: 'Docs',
    git_http_url: address,
    git_ssh_url: sshOf(address),
    web_url: homeOf(address),
    path_with_namespace: 'acme/docs',
    default_branch: 'main',
  };
}

function gitlabMerge(pull: Change | Comment): Json {
  const fork = pull.fork ?? pull.repository;
  return {
    id: 99,
    iid: pull.number,
    url: `${homeOf(pull.repository)}/-/merge_requests/${pull.number}`,
    title: pull.title,
    description: pull.body,
    state: stateIn(pull, ['opened', 'closed', 'merged']),
    draft: pull.draft,
    source_branch: pull.headBranch,
    target_branch: pull.baseBranch,
    source_project_id: fork === pull.repository ? 15 : 16,
    target_project_id: 15,
    source: gitlabProject(fork),
    target: gitlabProject(pull.repository),
    last_commit: { id: pull.headCommit, message: pull.title },
    merge_commit_sha: pull.mergeCommit,
  };
}

export function gitlabChange(change: Change): Named {
  const actions = {
    opened: 'open',
    updated: 'update',
    edited: 'update',
    reopened: 'reopen',
    closed: 'close',
    merged: 'merge',
  };
  const oldrev = change.action === 'updated' ? { oldrev: 'b'.repeat(40) } : {};
  const payload = {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: { id: 4, name: 'Ada', username: change.actor ?? change.author },
    project: gitlabProject(change.repository),
    object_attributes: { ...gitlabMerge(change), action: actions[change.action], ...oldrev },
    reviewers: [],
  };
  return { name: 'Merge Request Hook', payload };
}

export function gitlabComment(given: Comment): Named {
  const { comment } = given;
  if (comment.review !== undefined) throw new Error('GitLab has no review event with a text.');
  const { author = 'grace' } = comment;
  const position =
    comment.path === undefined ? null : { new_path: comment.path, new_line: comment.line ?? 1 };
  const payload = {
    object_kind: 'note',
    event_type: 'note',
    user: { id: idOf(author), name: author, username: author },
    project: gitlabProject(given.repository),
    object_attributes: {
      id: comment.id,
      discussion_id: discussionOf(comment.id),
      note: comment.body,
      noteable_type: 'MergeRequest',
      action: 'create',
      system: false,
      url: `${homeOf(given.repository)}/-/merge_requests/${given.number}#note_${comment.id}`,
      position,
    },
    merge_request: gitlabMerge(given),
  };
  return { name: 'Note Hook', payload };
}
