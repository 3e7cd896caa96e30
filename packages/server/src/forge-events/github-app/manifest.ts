/** What the GitHub App of a project is allowed to do, as GitHub's manifest describes it. */

export interface ManifestInput {
  origin: string;
  projectId: string;
  name: string;
  redirectUrl: string;
}

const permissions = {
  checks: 'write',
  contents: 'write',
  // GitHub refuses the event `issue_comment` without it.
  issues: 'read',
  metadata: 'read',
  pull_requests: 'write',
  statuses: 'write',
} as const;

const events = [
  'push',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'issue_comment',
] as const;

export function manifestOf({ origin, projectId, name, redirectUrl }: ManifestInput) {
  return {
    name,
    url: origin,
    description: 'Publishes documentation and opens pull requests.',
    public: false,
    redirect_url: redirectUrl,
    setup_url: `${origin}/dashboard/projects/${projectId}?tab=automatic`,
    hook_attributes: { url: `${origin}/hooks/${projectId}`, active: true },
    default_permissions: permissions,
    default_events: events,
  };
}

/** Without an organization, the App belongs to the account of the user. */
export function registrationUrl(webBase: string, organization: string | null, state: string): string {
  const owner = organization === null ? '' : `/organizations/${encodeURIComponent(organization)}`;
  return `${webBase}${owner}/settings/apps/new?${new URLSearchParams({ state }).toString()}`;
}
