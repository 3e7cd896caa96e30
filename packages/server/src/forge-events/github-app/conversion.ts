/** Exchanges the code of GitHub's manifest flow for the key of the App and the secret of its webhook. */
import * as z from 'zod';
import type { Context } from '../../context.ts';
import { EgressError } from '../../egress/addresses.ts';
import { sendRequest, type OutboundAnswer } from '../../egress/request.ts';
import { policyFor, type Tenant } from '../../egress/rules.ts';
import { Problem } from '../../problem.ts';

const limits = { bytes: 1_000_000, seconds: 30 };

const Conversion = z.object({
  id: z.int().min(1),
  name: z.string().min(1).max(200),
  html_url: z.url({ protocol: /^https?$/ }).max(2048),
  pem: z.string().min(1).max(20_000),
  webhook_secret: z.string().min(16).max(500),
});
export type Conversion = z.infer<typeof Conversion>;

export async function convertCode(
  { config }: Pick<Context, 'config'>,
  { apiBase, code, tenant }: { apiBase: string; code: string; tenant: Tenant },
): Promise<Conversion> {
  const url = new URL(`${apiBase.replace(/\/$/, '')}/app-manifests/${encodeURIComponent(code)}/conversions`);
  const headers = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };
  const policy = policyFor(config.egress, 'forge', tenant);
  const signal = new AbortController().signal;
  let answer: OutboundAnswer;
  try {
    answer = await sendRequest({ url, method: 'POST', headers }, policy, { signal, limits });
  } catch (error) {
    if (error instanceof EgressError) throw failed([error.message, error.hint].filter(Boolean).join(' '));
    throw error;
  }
  if (answer.status === 404 || answer.status === 422) {
    const message = 'GitHub does not know this code, or it has expired. Start again.';
    throw new Problem('invalid_request', message, { details: [{ path: 'code', message }] });
  }
  const parsed = Conversion.safeParse(answer.status === 201 ? parseJson(answer.body) : undefined);
  if (parsed.success) return parsed.data;
  throw failed(
    `GitHub answered with status ${answer.status} and no usable key. Delete the App on GitHub and start again.`,
  );
}

function failed(message: string): Problem {
  return new Problem('forge_failed', message);
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}
