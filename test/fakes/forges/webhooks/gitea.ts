/** Gitea and Forgejo. */
import { idOf } from '../conversation.ts';
import { homeOf, sshOf } from '../push-webhooks.ts';
import { stateIn, type Change, type Comment, type Json, type Named } from './pull-request.ts';

function giteaRepository(address: string): Json {
  return {
    id: 1,
    full_name: 'acme/docs',
    clone_url: address,
    ssh_url: sshOf(address),
    html_url: homeOf(address),
    default_branch: 'main',
  };
}

const giteaUser = (login: string): Json => ({
  id: idOf(login),
  login,
  username: login,
  full_name: '',
  email: '',
});

function giteaPullRequest(pull: Change | Comment): Json {
  return {
    id: 70,
    number: pull.number,
    html_url: `${homeOf(pull.repository)}/pulls/${pull.number}`,
    user: giteaUser(pull.author),
    title: pull.title,
    body: pull.body,
    state: stateIn(pull, ['open', 'closed', 'closed']),
    draft: pull.draft,
    merged: stateIn(pull, [false, false, true]),
    merge_commit_sha: pull.mergeCommit,
    requested_reviewers: [],
    base: {
      label: pull.baseBranch,
      ref: pull.baseBranch,
      sha: 'b'.repeat(40),
      repo: giteaRepository(pull.repository),
    },
    head: {
      label: pull.headBranch,
      ref: pull.headBranch,
      sha: pull.headCommit,
      repo: pull.fork === null ? null : giteaRepository(pull.fork),
    },
  };
}

export function giteaChange(change: Change): Named {
  const actions = {
    opened: 'opened',
    updated: 'synchronized',
    edited: 'edited',
    reopened: 'reopened',
    closed: 'closed',
    merged: 'closed',
  };
  const payload = {
    action: actions[change.action],
    number: change.number,
    pull_request: giteaPullRequest(change),
    repository: giteaRepository(change.repository),
    sender: giteaUser(change.actor ?? change.author),
    review: null,
  };
  return { name: 'pull_request', payload };
}

export function giteaComment(given: Comment): Named {
  const { comment, number, repository } = given;
  const author = giteaUser(comment.author ?? 'grace');
  const common = { repository: giteaRepository(repository), sender: author };
  if (comment.review !== undefined) {
    const suffix = { approved: 'approved', changes_requested: 'rejected', commented: 'comment' }[
      comment.review
    ];
    const review = { type: `pull_request_review_${suffix}`, content: comment.body };
    const payload = { ...common, action: 'reviewed', number, pull_request: giteaPullRequest(given), review };
    return { name: `pull_request_${suffix}`, payload };
  }
  const url = `${homeOf(repository)}/pulls/${number}`;
  const payload = {
    ...common,
    action: 'created',
    is_pull: true,
    issue: { id: 70, number, title: given.title, html_url: url, pull_request: { merged: false } },
    comment: {
      id: comment.id,
      body: comment.body,
      html_url: `${url}#issuecomment-${comment.id}`,
      user: author,
    },
  };
  return { name: 'issue_comment', payload };
}
