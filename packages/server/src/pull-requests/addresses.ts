/**
 * Addresses of previews: `/preview/pull-requests/{token}/…` shows the pull request, `{token}.before` the export that it
 * was compared with.
 */
import type { Config } from '../config.ts';

export interface PreviewPlace {
  token: string;
  side: 'after' | 'before';
  /** The part before the path of the site. */
  root: string;
}

const prefix = '/preview/pull-requests/';
const pattern = /^\/preview\/pull-requests\/([\w-]{32})(\.before)?(?=[/?]|$)/;

type Hosts = Pick<Config, 'publicUrl' | 'previewUrl'>;

/** Only a path while the address of this installation is unknown. */
export function previewAddress(config: Hosts, token: string, side: PreviewPlace['side'] = 'after'): string {
  const place = side === 'after' ? token : `${token}.before`;
  return `${config.previewUrl ?? config.publicUrl ?? ''}${prefix}${place}/`;
}

/** `target` is the raw request target. Null for another kind of preview. */
export function parsePreviewAddress(target: string): PreviewPlace | 'malformed' | null {
  if (!target.startsWith(prefix)) return null;
  const [root, token, before] = pattern.exec(target) ?? [];
  if (root === undefined || token === undefined) return 'malformed';
  return { token, root, side: before === undefined ? 'after' : 'before' };
}
