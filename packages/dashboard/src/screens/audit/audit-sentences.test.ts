import type { AuditEntry } from '@docyard/api';
import { expect, test } from 'vitest';
import { sentenceOf } from './audit-sentences.ts';

const entry = (action: string, object: string | null, details: AuditEntry['details'] = {}): AuditEntry => ({
  id: 'au_1',
  at: '2026-03-06T12:00:00.000Z',
  actor: 'ada@example.com',
  actorName: null,
  action,
  object,
  objectName: null,
  address: null,
  requestId: null,
  details,
  hash: '0'.repeat(64),
});

const said = (...given: Parameters<typeof entry>) => {
  const { verb, object, rest } = sentenceOf(entry(...given));
  const space = rest === '' || /^[:,]/.test(rest) ? '' : ' ';
  return `${verb}${object === null ? '' : ` ${object}`}${space}${rest}`;
};

test.each([
  ['created the API key CI', 'key.create', 'key_1', { name: 'CI', rolledFrom: null }],
  ['rolled the API key CI, with a new secret', 'key.roll', 'key_2', { name: 'CI', rolledFrom: 'key_1' }],
  ['revoked the API key key_1', 'key.revoke', 'key_1', {}],
  [
    'started an export of docs.example.com',
    'export.start',
    'se_1',
    { domain: 'docs.example.com', retryOf: null },
  ],
  [
    'started an export of docs.example.com once more',
    'export.start',
    'se_2',
    { domain: 'docs.example.com', retryOf: 'se_1' },
  ],
  ['changed the project pr_1: name, source', 'project.update', 'pr_1', { fields: ['name', 'source'] }],
  [
    'invited the user bo@example.com as viewer',
    'person.invite',
    'pe_1',
    { email: 'bo@example.com', role: 'viewer' },
  ],
  ['changed the user pe_1: role admin', 'person.update', 'pe_1', { role: 'admin' }],
  ['changed the user pe_1: disabled', 'person.update', 'pe_1', { disabled: true }],
  [
    'disabled the webhook wh_1, because deliveries kept failing',
    'webhook.disable',
    'wh_1',
    { reason: 'failing' },
  ],
  ['created the organization org_1 with the plan free', 'organization.create', 'org_1', { plan: 'free' }],
  ['signed in', 'session.start', 'pe_1', {}],
  ['did moon.land to mo_1', 'moon.land', 'mo_1', {}],
])('%s', (sentence, action, object, details) => {
  expect(said(action, object, details)).toBe(sentence);
});

test('an object links to its screen, unless it was deleted or has none', () => {
  const to = (...given: Parameters<typeof entry>) => sentenceOf(entry(...given)).to;
  expect(to('export.start', 'se_1')).toBe('/exports/se_1');
  expect(to('export.delete', 'se_1')).toBeNull();
  expect(to('agent.start', 'aj_1', { projectId: 'pr_1' })).toBe('/agent/pr_1/aj_1');
  expect(to('agent.cancel', 'aj_1')).toBeNull();
  expect(to('key.create', 'key_1')).toBeNull();
});
