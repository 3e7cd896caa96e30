/**
 * The key that seals the files of a project's bundles that only some readers may see. It is created on first use and stays the same
 * when SECRET_KEY is rotated, because servers of published sites have it.
 */
import { contentKeyText, newContentKey, parseContentKey, type ContentKey } from '@docyard/bundle';
import type { ContentKey as ContentKeyView } from '@docyard/api';
import { recordAudit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { findProject } from './find-project.ts';
import { readSecret, writeSecretOnce } from './secrets.ts';

type KeyContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export async function contentKeyOf(context: KeyContext, projectId: string): Promise<ContentKey> {
  const known = await findContentKey(context, projectId);
  if (known !== null) return known;
  await writeSecretOnce(context, placeOf(projectId), contentKeyText(newContentKey()));
  const created = await findContentKey(context, projectId);
  if (created === null) throw new Error('The content key of the project was deleted while it was created.');
  return created;
}

/** Null before the first use. */
export async function findContentKey(
  context: Pick<KeyContext, 'database' | 'secrets'>,
  projectId: string,
): Promise<ContentKey | null> {
  const known = await readSecret(context, placeOf(projectId));
  return known === null ? null : parseContentKey(known);
}

function placeOf(projectId: string) {
  return { projectId, name: 'content.key' } as const;
}

export async function revealContentKey(
  context: KeyContext,
  { projectId, actor }: { projectId: string; actor: Actor },
): Promise<ContentKeyView> {
  const { id } = await findProject(context, { id: projectId, reach: actor });
  const key = await contentKeyOf(context, id);
  const { keyId } = key;
  await recordAudit(context, { actor, action: 'project.read_content_key', object: id, details: { keyId } });
  return { keyId, contentKey: contentKeyText(key).trim() };
}
