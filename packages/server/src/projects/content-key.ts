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
  const place = { projectId, name: 'content.key' } as const;
  const known = await readSecret(context, place);
  if (known !== null) return parseContentKey(known);
  await writeSecretOnce(context, place, contentKeyText(newContentKey()));
  const created = await readSecret(context, place);
  if (created === null) throw new Error('The content key of the project was deleted while it was created.');
  return parseContentKey(created);
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
