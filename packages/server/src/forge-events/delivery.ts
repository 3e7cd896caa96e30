/** What a request of a forge is about, by its headers. */
import { createHash } from 'node:crypto';
import type { ForgeKind } from '../ports/forge.ts';
import type { ReadHeader } from './signatures.ts';

export interface DeliveryHeaders {
  forge: ForgeKind;
  /** The event, as the forge names it. */
  name: string;
  /** The same for every attempt to deliver the event. */
  deliveryId: string;
}

const maxNameLength = 100;
const maxIdLength = 200;

/** Undefined for a request that no forge sends. Gitea and Forgejo also send the headers of GitHub. */
export function identifyDelivery(header: ReadHeader, body: Uint8Array): DeliveryHeaders | undefined {
  const found = (forge: ForgeKind, name: string, id: string | undefined): DeliveryHeaders => ({
    forge,
    name: name.slice(0, maxNameLength),
    deliveryId: (id || createHash('sha256').update(body).digest('hex')).slice(0, maxIdLength),
  });
  const gitea = header('x-forgejo-event') ?? header('x-gitea-event');
  if (gitea !== undefined)
    return found('gitea', gitea, header('x-forgejo-delivery') ?? header('x-gitea-delivery'));
  const github = header('x-github-event');
  if (github !== undefined) return found('github', github, header('x-github-delivery'));
  const gitlab = header('x-gitlab-event');
  if (gitlab !== undefined)
    return found('gitlab', gitlab, header('idempotency-key') ?? header('x-gitlab-event-uuid'));
  const bitbucket = header('x-event-key');
  if (bitbucket === undefined) return undefined;
  // Only the cloud service names the webhook.
  return header('x-hook-uuid') === undefined
    ? found('bitbucket-data-center', bitbucket, header('x-request-id'))
    : found('bitbucket', bitbucket, header('x-request-uuid'));
}
