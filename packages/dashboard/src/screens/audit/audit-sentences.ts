/** Describes audit log entries as sentences. */
import type { AuditEntry } from '@docyard/api';

export interface Sentence {
  verb: string;
  object: string | null;
  rest: string;
  to: string | null;
}

/** Verb and object type of every audit action. */
const verbs: Record<string, [verb: string, kind: string]> = {
  'agent.archive': ['archived', 'agent job'],
  'agent.cancel': ['canceled', 'agent job'],
  'agent.message': ['sent a message to', 'agent job'],
  'agent.retry': ['retried', 'agent job'],
  'agent.start': ['started', 'agent job'],
  'agent.unarchive': ['unarchived', 'agent job'],
  'automation.pause': ['paused an automation of', 'project'],
  'automation.refresh': ['read the automations again of', 'project'],
  'automation.resume': ['resumed an automation of', 'project'],
  'automation.run': ['ran an automation of', 'project'],
  'deployment.clear': ['deleted the analytics of', 'deployment'],
  'deployment.delete': ['removed from the list', 'deployment'],
  'deployment.resume': ['resumed', 'deployment'],
  'deployment.rollback': ['rolled back', 'deployment'],
  'deployment.withdraw': ['withdrew the instruction to', 'deployment'],
  'export.cancel': ['canceled', 'export'],
  'export.delete': ['deleted', 'export'],
  'export.start': ['started', 'export'],
  'forge_event.replay': ['replayed an event of a forge', ''],
  'pull_request.approve': ['approved a commit of the pull request', ''],
  'pull_request.rebuild': ['rebuilt the preview of the pull request', ''],
  'key.create': ['created', 'API key'],
  'key.revoke': ['revoked', 'API key'],
  'key.roll': ['rolled', 'API key'],
  'organization.create': ['created', 'organization'],
  'organization.plan': ['changed the plan of', 'organization'],
  'person.create': ['added', 'user'],
  'person.invite': ['invited', 'user'],
  'person.join': ['accepted an invitation', ''],
  'person.password': ['changed a password', ''],
  'person.remove': ['removed', 'user'],
  'person.setup': ['set up this installation', ''],
  'person.update': ['changed', 'user'],
  'project.create': ['created', 'project'],
  'project.create_github_app': ['created the GitHub App of', 'project'],
  'project.create_hook_secret': ['replaced the hook secret of', 'project'],
  'project.delete': ['deleted', 'project'],
  'project.disable_hook': ['disabled the hook of', 'project'],
  'project.read_content_key': ['read the content key of', 'project'],
  'project.start_github_app': ['started to create the GitHub App of', 'project'],
  'project.update': ['changed', 'project'],
  'session.refuse': ['was refused: wrong password', ''],
  'session.start': ['signed in', ''],
  'webhook.create': ['added', 'webhook'],
  'webhook.delete': ['deleted', 'webhook'],
  'webhook.disable': ['disabled', 'webhook'],
  'webhook.redeliver': ['resent a message of', 'webhook'],
  'webhook.rotate_secret': ['replaced the secret of', 'webhook'],
  'webhook.send_now': ['sent a pending message of', 'webhook'],
  'webhook.test': ['sent a test event to', 'webhook'],
  'webhook.update': ['changed', 'webhook'],
};

export function sentenceOf({ action, object, objectName, details }: AuditEntry): Sentence {
  const [verb, kind] = verbs[action] ?? [`did ${action} to`, ''];
  if (kind === '' && verbs[action] !== undefined) return { verb, object: null, rest: '', to: null };
  const name = objectName ?? nameIn(details) ?? object;
  const domain = action === 'export.start' ? textIn(details, 'domain') : undefined;
  return {
    verb: domain !== undefined ? `${verb} an export of` : kind === '' ? verb : `${verb} the ${kind}`,
    object: name,
    rest: restOf(action, details),
    to: object === null ? null : screenOf(action, object, details),
  };
}

function nameIn(details: AuditEntry['details']): string | undefined {
  for (const field of ['name', 'domain', 'email', 'host']) {
    const value = textIn(details, field);
    if (value !== undefined) return value;
  }
  return undefined;
}

function restOf(action: string, details: AuditEntry['details']): string {
  const role = textIn(details, 'role');
  const plan = textIn(details, 'plan');
  const reason = textIn(details, 'reason');
  const fields = Array.isArray(details['fields']) ? details['fields'].map(String) : [];
  if (action === 'person.invite' || action === 'person.create') return role === undefined ? '' : `as ${role}`;
  if (action === 'person.update') {
    const disabled = details['disabled'];
    const parts = [
      role === undefined ? '' : `: role ${role}`,
      disabled === true ? ': disabled' : disabled === false ? ': enabled again' : '',
    ];
    return parts.join('');
  }
  if (plan !== undefined) return action === 'organization.plan' ? `to ${plan}` : `with the plan ${plan}`;
  if (action === 'webhook.disable' && reason !== undefined)
    return reason === 'gone' ? ', because its endpoint answered 410' : ', because deliveries kept failing';
  if (action === 'key.roll') return ', with a new secret';
  const automation = textIn(details, 'automation');
  if (automation !== undefined) return `: ${automation}`;
  if (fields.length > 0) return `: ${fields.join(', ')}`;
  return textIn(details, 'retryOf') === undefined ? '' : 'once more';
}

function screenOf(action: string, object: string, details: AuditEntry['details']): string | null {
  if (action.endsWith('.delete')) return null;
  const [area] = action.split('.');
  if (area === 'deployment') return '/deployments';
  if (area === 'export') return `/exports/${object}`;
  if (area === 'project') return `/projects/${object}`;
  if (area === 'automation') return `/projects/${object}?tab=automations`;
  if (area === 'webhook' && object.startsWith('wh_')) return `/webhooks/${object}`;
  const projectId = textIn(details, 'projectId');
  return area === 'agent' && projectId !== undefined ? `/agent/${projectId}/${object}` : null;
}

function textIn(details: AuditEntry['details'], field: string): string | undefined {
  const value = Object.hasOwn(details, field) ? details[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
