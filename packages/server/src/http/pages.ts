/** The pages besides the dashboard: start page, manual and OpenAPI document. They contain no script and no secret. */
import { buildOpenApi } from '@docyard/api';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { type App, originOf } from './request.ts';
import { checkReadiness } from './handlers/health.ts';
import { hasDashboard } from './dashboard.ts';
import { CompressedText } from './compressed-text.ts';
import { Manual } from './manual.ts';
import { favicon, startPage, startStyle } from './start-page.ts';

const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

export function addPages(app: App, context: Context): void {
  const manual = new Manual(context);
  const startedAt = context.clock.now();
  const openApi = new CompressedText(() => JSON.stringify({ ...buildOpenApi(), servers: [{ url: '/' }] }));

  app.get('/openapi.json', (web) => openApi.answer(web, 'application/json'));

  app.get('/', async (web) => {
    const readiness = await checkReadiness(context, false);
    const html = startPage({
      readiness,
      origin: originOf(context, web),
      startedAt,
      now: context.clock.now(),
      dashboard: hasDashboard(context),
    });
    web.header('content-security-policy', pagePolicy);
    return web.html(html);
  });
  app.get('/start.css', (web) => web.body(startStyle, 200, { 'content-type': 'text/css; charset=utf-8' }));

  app.get('/favicon.svg', (web) => web.body(favicon, 200, { 'content-type': 'image/svg+xml' }));

  app.get('/docs', (web) => web.redirect('/docs/', 308));
  app.get('/docs/*', async (web) => {
    const answer = await manual.answer(web);
    if (answer === undefined)
      throw new Problem('not_found', 'The manual has no such page. See /docs/ for all pages.');
    return web.newResponse(answer.body, answer);
  });
}
