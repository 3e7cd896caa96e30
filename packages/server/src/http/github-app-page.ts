/**
 * The page that sends the manifest of a GitHub App to GitHub. It needs no sign-in, because only the caller that
 * started can finish. Its policy allows a form to that GitHub, which the policy of the dashboard does not.
 */
import type { Context } from '../context.ts';
import { readRegistration, type Registration } from '../forge-events/github-app/setup.ts';
import type { App } from './request.ts';
import { mark } from './start-page.ts';

export function addGithubAppPage(app: App, context: Context): void {
  app.get('/github-app/:projectId', async (web) => {
    const state = web.req.query('state') ?? '';
    const projectId = web.req.param('projectId');
    const registration = await readRegistration(context, { projectId, state });
    const target = registration === undefined ? "'none'" : new URL(registration.url).origin;
    web.header(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${target}; base-uri 'none'; frame-ancestors 'none'`,
    );
    return registration === undefined ? web.html(expired, 404) : web.html(confirmation(registration));
  });
}

const accessNames = { read: 'read', write: 'read and write' } as const;

function confirmation({ url, manifest }: Registration): string {
  const permissions = Object.entries(manifest.default_permissions).map(
    ([name, access]) => `<li><b>${name.replaceAll('_', ' ')}</b> ${accessNames[access]}</li>`,
  );
  return page(
    'Create the GitHub App',
    `<p class="lead">GitHub shows the name <b>${escape(manifest.name)}</b> and asks you to confirm it. Docyard then stores the key of the App encrypted, for this project only.</p>
<ul class="checks">${permissions.join('')}</ul>
<p class="lead">The App reports events to <code>${escape(manifest.hook_attributes.url)}</code>, which GitHub must be able to reach.</p>
<form method="post" action="${escape(url)}">
<input type="hidden" name="manifest" value="${escape(JSON.stringify(manifest))}">
<button class="button" type="submit">Continue to ${escape(new URL(url).host)}</button>
</form>`,
  );
}

const expired = page(
  'The set-up has expired',
  '<p class="lead">A GitHub App can be created within an hour after the start, and each start replaces the one before. Start again in the project.</p><p><a href="/">Back to the start page</a></p>',
);

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/start.css">
</head>
<body>
<main>
${mark}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
