/** The host of previews and the one of everything else: neither serves what belongs to the other. */
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { rawTarget, type Surroundings, type Web } from './request.ts';

type HostContext = Pick<Context, 'config'>;

function isPreviewHost({ config }: HostContext, host: string | undefined): boolean {
  if (config.previewUrl === null || host === undefined) return false;
  const { protocol, host: expected } = new URL(config.previewUrl);
  return URL.parse(`${protocol}//${host}`)?.host === expected;
}

/** Without a host for previews every path is served on every host. */
export function separateHosts(context: HostContext): MiddlewareHandler<Surroundings> {
  return async (web, next) => {
    if (
      context.config.previewUrl !== null &&
      isPreview(web) !== isPreviewHost(context, web.req.header('host'))
    )
      throw new Problem('not_found', 'There is nothing here.');
    await next();
  };
}

function isPreview(web: Web): boolean {
  return rawTarget(web).startsWith('/preview/');
}
