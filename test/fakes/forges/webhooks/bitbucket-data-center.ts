/** Bitbucket Data Center. */
import { idOf } from '../conversation.ts';
import { homeOf } from '../push-webhooks.ts';
import { stateIn, type Change, type Comment, type Json, type Named } from './pull-request.ts';

function dataCenterPullRequest(pull: Change | Comment): Json {
  const repositoryOf = (address: string): Json => ({
    slug: 'docs',
    id: 84,
    project: { key: 'ACME', id: 84 },
    links: { clone: [{ href: address, name: 'http' }] },
  });
  const side = (branch: string, latestCommit: string, address: string): Json => ({
    id: `refs/heads/${branch}`,
    displayId: branch,
    latestCommit,
    repository: repositoryOf(address),
  });
  const isMerged = stateIn(pull, [false, false, true]);
  return {
    id: pull.number,
    version: 1,
    title: pull.title,
    description: pull.body,
    state: stateIn(pull, ['OPEN', 'DECLINED', 'MERGED']),
    draft: pull.draft,
    fromRef: side(pull.headBranch, pull.headCommit, pull.fork ?? pull.repository),
    toRef: side(pull.baseBranch, 'b'.repeat(40), pull.repository),
    author: { user: { name: pull.author, id: 1 }, role: 'AUTHOR' },
    reviewers: [],
    properties: isMerged
      ? { mergeCommit: { id: pull.mergeCommit, displayId: pull.mergeCommit?.slice(0, 11) } }
      : {},
    links: { self: [{ href: `${homeOf(pull.repository)}/pull-requests/${pull.number}` }] },
  };
}

export function dataCenterChange(change: Change): Named {
  const names = {
    opened: 'opened',
    updated: 'from_ref_updated',
    edited: 'modified',
    closed: 'declined',
    merged: 'merged',
    reopened: undefined,
  };
  const name = names[change.action];
  if (name === undefined) throw new Error('Data Center documents no event for a reopened pull request.');
  const payload = {
    eventKey: `pr:${name}`,
    date: '2026-03-01T12:00:00+0000',
    actor: { name: change.actor ?? change.author, id: 1 },
    pullRequest: dataCenterPullRequest(change),
  };
  return { name: `pr:${name}`, payload };
}

export function dataCenterComment(given: Comment): Named {
  const { comment } = given;
  const around = {
    actor: { name: comment.author ?? 'grace', id: idOf(comment.author ?? 'grace') },
    pullRequest: dataCenterPullRequest(given),
  };
  if (comment.review !== undefined) {
    const name = `pr:reviewer:${comment.review === 'approved' ? 'approved' : 'needs_work'}`;
    return { name, payload: { eventKey: name, ...around, participant: {} } };
  }
  const anchor =
    comment.path === undefined ? {} : { anchor: { path: comment.path, line: comment.line ?? 1 } };
  const name = 'pr:comment:added';
  return {
    name,
    payload: { eventKey: name, ...around, comment: { id: comment.id, text: comment.body, ...anchor } },
  };
}
