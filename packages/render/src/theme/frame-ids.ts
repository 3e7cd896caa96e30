/**
 * Ids of the frame that authors' stylesheets select. When the content uses the same id, the frame drops its
 * own.
 */
import type { SharedText } from '../text/encoded-text.ts';
import { type IdHook, idHooks } from '../model/style-hooks.ts';

export interface FrameIdUser {
  usedIds: ReadonlySet<string>;
}

const frameIds: ReadonlySet<string> = new Set(idHooks);
export const headerIds: readonly IdHook[] = [
  'navbar',
  'navbar-transition',
  'search-bar-entry',
  'topbar-cta-button',
  'localization-select-trigger',
  'localization-select-content',
];

export function frameId({ usedIds }: FrameIdUser, id: IdHook): string {
  return usedIds.has(id) ? '' : ` id="${id}"`;
}

export function usedFrameIds(ids: readonly string[]): Set<string> {
  return new Set(ids.filter((id) => frameIds.has(id)));
}

export function withoutUsedIds(
  view: FrameIdUser,
  html: string | SharedText,
  ids: readonly IdHook[],
): string | SharedText {
  const used = ids.filter((id) => view.usedIds.has(id));
  if (used.length === 0) return html;
  return used.reduce(
    (text, id) => text.replace(` id="${id}"`, ''),
    typeof html === 'string' ? html : html.text,
  );
}
