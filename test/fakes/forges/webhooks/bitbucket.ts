/** Bitbucket Cloud. */
import { uuidOf } from '../conversation.ts';
import { homeOf } from '../push-webhooks.ts';
import { stateIn, type Change, type Comment, type Json, type Named } from './pull-request.ts';

const cloudRepository = (address: string): Json => ({
  type: 'repository',
  full_name: 'acme/docs',
  links: { html: { href: homeOf(address) } },
});
const cloudUser = (nickname: string): Json => ({
  type: 'user',
  uuid: uuidOf(nickname),
  nickname,
  display_name: nickname,
});

function cloudPullRequest(pull: Change | Comment): Json {
  const side = (branch: string, hash: string, address: string | null): Json => ({
    branch: { name: branch },
    commit: { type: 'commit', hash: hash.slice(0, 12) },
    repository: address === null ? null : cloudRepository(address),
  });
  return {
    type: 'pullrequest',
    id: pull.number,
    title: pull.title,
    description: pull.body,
    state: stateIn(pull, ['OPEN', 'DECLINED', 'MERGED']),
    draft: pull.draft,
    author: cloudUser(pull.author),
    source: side(pull.headBranch, pull.headCommit, pull.fork),
    destination: side(pull.baseBranch, 'b'.repeat(40), pull.repository),
    merge_commit: pull.mergeCommit === null ? null : { hash: pull.mergeCommit.slice(0, 12) },
    links: { html: { href: `${homeOf(pull.repository)}/pull-requests/${pull.number}` } },
    reviewers: [],
  };
}

export function cloudChange(change: Change): Named {
  const names = {
    opened: 'created',
    updated: 'updated',
    edited: 'updated',
    closed: 'rejected',
    merged: 'fulfilled',
    reopened: undefined,
  };
  const name = names[change.action];
  if (name === undefined) throw new Error('Bitbucket cannot reopen a pull request.');
  const payload = {
    actor: cloudUser(change.actor ?? change.author),
    repository: cloudRepository(change.repository),
    pullrequest: cloudPullRequest(change),
  };
  return { name: `pullrequest:${name}`, payload };
}

export function cloudComment(given: Comment): Named {
  const { comment } = given;
  const around = {
    actor: cloudUser(comment.author ?? 'grace'),
    repository: cloudRepository(given.repository),
    pullrequest: cloudPullRequest(given),
  };
  if (comment.review === 'commented') throw new Error('Bitbucket has no such review.');
  if (comment.review === 'approved')
    return { name: 'pullrequest:approved', payload: { ...around, approval: {} } };
  if (comment.review === 'changes_requested')
    return { name: 'pullrequest:changes_request_created', payload: { ...around, changes_request: {} } };
  const inline =
    comment.path === undefined ? {} : { inline: { path: comment.path, from: null, to: comment.line ?? 1 } };
  const href = `${homeOf(given.repository)}/pull-requests/${given.number}/_/diff#comment-${comment.id}`;
  const content = { raw: comment.body, html: '', markup: 'markdown' };
  return {
    name: 'pullrequest:comment_created',
    payload: { ...around, comment: { id: comment.id, content, links: { html: { href } }, ...inline } },
  };
}
