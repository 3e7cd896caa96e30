/** Fields that the payloads of several forges share. */
import * as z from 'zod';

const maxTextLength = 2048;
const maxBodyLength = 20_000;

const hasNoControlCharacters = (value: string) => !/\p{Cc}/u.test(value);

export const text = z.string().max(maxTextLength).refine(hasNoControlCharacters);
const url = text.optional();
export const webUrl = text
  .refine((value) => /^https?:\/\//.test(value))
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);
export const count = z.number().int().positive();

/** A name that is too long or contains control characters is shown without them. */
export const userName = z
  .string()
  .transform((name) => name.replaceAll(/\p{Cc}/gu, '').slice(0, 200))
  .nullish();

export const title = z.string().transform((value) => value.replaceAll(/\p{Cc}/gu, ' ').slice(0, 500));

/** Lines and tabs stay. */
export const body = z.string().nullish().transform(cutBody);

function cutBody(value: string | null | undefined): string {
  return (value ?? '').replaceAll(/[^\P{Cc}\t\n\r]/gu, '').slice(0, maxBodyLength);
}

/** Forges write a missing commit as zeros. */
export const commit = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
  .transform((hash) => (/^0+$/.test(hash) ? null : hash));

export const headCommit = z.string().regex(/^[0-9a-f]{7,64}$/);

/** Ids are numbers in most forges and can exceed the precise range of JavaScript in none. */
export const id = z.union([z.number().int(), text]).transform(String);

function present(urls: readonly (string | null | undefined)[]): string[] {
  return urls.filter((each) => each !== undefined && each !== null);
}

/** GitHub and Gitea describe a repository alike. */
export const repository = z
  .object({ clone_url: url, ssh_url: url, html_url: url, default_branch: text.nullish() })
  .transform(({ clone_url, ssh_url, html_url, default_branch }) => ({
    urls: present([clone_url, ssh_url, html_url]),
    defaultBranch: default_branch ?? null,
  }));

export const gitlabProject = z
  .object({ git_http_url: url, git_ssh_url: url, web_url: url, default_branch: text.nullish() })
  .transform(({ git_http_url, git_ssh_url, web_url, default_branch }) => ({
    urls: present([git_http_url, git_ssh_url, web_url]),
    defaultBranch: default_branch ?? null,
  }));

export const cloudRepository = z
  .object({ links: z.object({ html: z.object({ href: text }) }) })
  .transform(({ links }) => ({ urls: [links.html.href] }));

export const cloudUser = z
  .object({ nickname: userName, display_name: userName })
  .nullish()
  .transform((user) => user?.nickname ?? user?.display_name ?? null);

/** Versions before 7.0 send no links. A path alone is compared with the end of the address. */
export const dataCenterRepository = z
  .object({
    slug: text,
    project: z.object({ key: text }),
    links: z.object({ clone: z.array(z.object({ href: text })).optional() }).optional(),
  })
  .transform(({ slug, project, links }) => ({
    urls: links?.clone?.map(({ href }) => href) ?? [`${project.key}/${slug}`],
  }));
