/** Reads the files of a site's search index. They are scripts for browsers; here they are parsed and never run. */
import { z } from 'zod';
import type { ServedSite } from '../serving/served-site.ts';

export class SearchIndexError extends Error {
  override readonly name = 'SearchIndexError';
}

const maxIndexBytes = 32 * 1024 * 1024;
const maxShardBytes = 8 * 1024 * 1024;
const maxPages = 1 << 18;

const Index = z.object({
  sections: z.string().max(maxPages),
  scopes: z.array(z.object({ language: z.string(), version: z.string() })),
  scopeSets: z.array(z.array(z.number())),
  pageScopes: z.array(z.tuple([z.number(), z.number()])),
  terms: z.string(),
  pages: z.string(),
  vocabulary: z.string(),
  frequencies: z.string(),
  starts: z.unknown(),
});
const Terms = z.string();
const Section = z.tuple([z.string(), z.string(), z.string()]).rest(z.unknown());
const Pages = z.array(
  z.union([z.literal(0), z.tuple([z.string(), z.string(), z.string(), z.array(Section)])]),
);

export interface Shard {
  data: unknown;
  sizeBytes: number;
}

/** `name` is `index`, or a letter with the number of a shard. */
export async function readShard(site: ServedSite, name: string): Promise<Shard> {
  const path = `_docyard/search/${name}.js`;
  const found = site.find(`/${path}`);
  const sizeBytes = found !== undefined && 'file' in found ? found.file.plain.sizeBytes : 0;
  if (sizeBytes > (name === 'index' ? maxIndexBytes : maxShardBytes))
    throw new SearchIndexError(`${path} cannot be searched: it has ${sizeBytes} bytes.`);
  const text = await site.readText(path);
  if (text === undefined) throw new SearchIndexError(`${path} cannot be searched: it is missing.`);
  const data = schemaOf(name).safeParse(argumentOf(text, name));
  if (data.success) return { data: data.data, sizeBytes };
  throw new SearchIndexError(`${path} cannot be searched: it is not part of a search index.`);
}

function schemaOf(name: string): z.ZodType {
  if (name === 'index') return Index;
  return name.startsWith('t') ? Terms : Pages;
}

/** The argument of the only call in a file. */
function argumentOf(text: string, name: string): unknown {
  const start = `docyardSearch("${name}",`;
  const end = ')\n';
  if (!text.startsWith(start) || !text.endsWith(end)) return undefined;
  const data = text.slice(start.length, -end.length);
  if (data.startsWith('`') && data.endsWith('`')) return data.slice(1, -1);
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
