/** What a browser shows at the address of a pull request without a preview. */
import type { Problem } from '../problem.ts';
import { acceptedTypes } from './accepted-types.ts';
import type { Web } from './request.ts';

export function acceptsPage(web: Web): boolean {
  return acceptedTypes(web.req.header('accept')).includes('text/html');
}

export function noticePage(web: Web, problem: Problem): Response {
  web.set('problem', problem.code);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No preview</title>
<style>body { font: 1rem/1.6 system-ui, sans-serif; max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem; }</style>
</head>
<body>
<main>
<h1>No preview</h1>
<p>${escape(problem.message)}</p>
</main>
</body>
</html>
`;
  return new Response(html, {
    status: problem.status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    },
  });
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
