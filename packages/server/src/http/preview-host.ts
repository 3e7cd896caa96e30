/** Separates the preview host from the main host: neither serves the other's paths. */
import type { MiddlewareHandler } from 'hono';
import type { Context } from '../context.ts';
import { Problem } from '../problem.ts';
import { rawTarget, type HonoEnvironment, type Web } from './request.ts';

type HostContext = Pick<Context, 'config'>;

function isPreviewHost({ config }: HostContext, host: string | undefined): boolean {
  if (config.previewUrl === null || host === undefined) return false;
  const { protocol, host: expected } = new URL(config.previewUrl);
  return URL.parse(`${protocol}//${host}`)?.host === expected;
}

/** Without PREVIEW_URL every host serves every path. */
export function separateHosts(context: HostContext): MiddlewareHandler<HonoEnvironment> {
  return async (web, next) => {
    if (
      context.config.previewUrl !== null &&
      isPreview(web) !== isPreviewHost(context, web.req.header('host'))
    )
      throw new Problem('not_found', 'No such path.');
    await next();
  };
}

function isPreview(web: Web): boolean {
  return rawTarget(web).startsWith('/preview/');
}
