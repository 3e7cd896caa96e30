/** Accepts a delivery of a forge: checks its signature and stores its events. */
import type { ForgeEvent } from '@docyard/api';
import type { Context } from '../context.ts';
import { readAgentSettings } from '../projects/agent-settings.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import { Problem } from '../problem.ts';
import { identifyDelivery, type DeliveryHeaders } from './delivery.ts';
import { storeDelivery } from './events.ts';
import { validHookSecrets } from './hook.ts';
import type { EventContent } from './payloads/event-content.ts';
import { readPayload } from './payloads/read-payload.ts';
import { isSigned, type ReadHeader } from './signatures.ts';

type ReceiveContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export interface HookRequest {
  projectId: string;
  header: ReadHeader;
  body: Uint8Array;
}

export interface SignedDelivery extends DeliveryHeaders {
  project: Pick<ProjectRecord, 'id' | 'organization_id'>;
}

/** The answer for an unknown project equals that for a wrong signature, and takes the same steps. */
export async function authenticateDelivery(
  context: ReceiveContext,
  { projectId, header, body }: HookRequest,
): Promise<SignedDelivery> {
  const project = await context.database
    .selectFrom('projects')
    .select(['id', 'organization_id'])
    .where('id', '=', projectId)
    .executeTakeFirst();
  const secrets = await validHookSecrets(context, projectId);
  const delivery = identifyDelivery(header, body);
  const tried = secrets.length > 0 ? secrets : [unusedSecret];
  const isValid = isSigned(delivery?.forge ?? 'github', { header, body }, tried);
  if (project !== undefined && secrets.length > 0 && delivery !== undefined && isValid) {
    return { ...delivery, project };
  }
  throw new Problem(
    'not_found',
    'There is no hook with this URL and secret. Compare both with the hook of the project.',
  );
}

const unusedSecret = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

export async function receiveDelivery(
  context: ReceiveContext,
  { project, ...delivery }: SignedDelivery,
  payload: unknown,
): Promise<ForgeEvent[]> {
  const { forge } = await readAgentSettings(context, project.id);
  const expected = forge?.kind ?? delivery.forge;
  const events = readPayload(delivery, payload);
  const isExpected = expected === delivery.forge || expected === 'bare';
  const reason = `The project has the forge ${expected}, but ${delivery.forge} sent the event.`;
  return storeDelivery(context, {
    ...delivery,
    organizationId: project.organization_id,
    projectId: project.id,
    events: isExpected ? events : events.map((event) => ignored(event, reason)),
  });
}

function ignored(event: EventContent, reason: string): EventContent {
  return { ...event, ignoredBecause: event.ignoredBecause ?? reason };
}
