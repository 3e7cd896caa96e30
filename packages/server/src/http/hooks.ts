/** The endpoint that forges call. The secret of the hook takes the place of an API key. */
import type { ForgeEvent } from '@docyard/api';
import type { Context } from '../context.ts';
import { authenticateDelivery, receiveDelivery } from '../forge-events/receive.ts';
import { Problem } from '../problem.ts';
import { parseJson, readBody, requirePlainEncoding } from './body.ts';
import { markAuthenticated } from './connections.ts';
import type { RateLimits } from './limits.ts';
import type { App, Web } from './request.ts';

/** GitHub sends larger bodies only for pushes of very many commits. */
const maxBodyBytes = 5_000_000;
const retryAfterSeconds = '5';
/** A body is read before its signature can be checked, so few large ones are read at a time. */
const maxSmallBodyBytes = 200_000;
const maxLargeBodies = 16;

interface HookEdge {
  context: Context;
  limits: RateLimits;
  stopping: AbortSignal;
}

export function addHooks(app: App, edge: HookEdge): void {
  app.post('/hooks/:projectId', async (web) => {
    const events = await receive(edge, web);
    return web.json({ events: events.map(({ id, state, reason }) => ({ id, state, reason })) }, 202);
  });
}

async function receive({ context, limits, stopping }: HookEdge, web: Web): Promise<ForgeEvent[]> {
  if (stopping.aborted) {
    const headers = { 'retry-after': retryAfterSeconds };
    throw new Problem('draining', 'The server is stopping. Send the event again in a few seconds.', {
      headers,
    });
  }
  requirePlainEncoding(web);
  const body = await readHookBody(web);
  const header = (name: string) => web.req.header(name);
  const projectId = web.req.param('projectId') ?? '';
  const delivery = await authenticateDelivery(context, { projectId, header, body });
  markAuthenticated(web.env.incoming.socket);
  await limits.countRequest(web, `hook:${delivery.project.id}`);
  requireJson(header('content-type'));
  return receiveDelivery(context, delivery, parseJson(body));
}

let largeBodies = 0;

async function readHookBody(web: Web): Promise<Uint8Array> {
  const declaredBytes = Number(web.req.header('content-length') ?? Infinity);
  if (declaredBytes <= maxSmallBodyBytes) return readBody(web, maxSmallBodyBytes);
  if (largeBodies >= maxLargeBodies) {
    const headers = { 'retry-after': retryAfterSeconds, connection: 'close' };
    throw new Problem('overloaded', 'Too many large events at once. Send the event again in a few seconds.', {
      headers,
    });
  }
  largeBodies += 1;
  try {
    return await readBody(web, maxBodyBytes);
  } finally {
    largeBodies -= 1;
  }
}

/** GitHub can also send forms, which most other forges cannot. */
function requireJson(contentType: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new Problem(
    'unsupported_media_type',
    'The event is not JSON. Choose the content type application/json in the webhook at the forge.',
  );
}
