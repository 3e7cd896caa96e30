/** The tools of the MCP server. They read only files that the reader of a request may see. */
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { SearchIndexError } from '../search/shards.ts';
import { type Passage, siteSearch } from '../search/site-search.ts';
import type { PageObserver } from '../serving/respond.ts';
import type { ServedSite } from '../serving/served-site.ts';
import { version } from '../version.ts';
import { entriesIn, oneLine, outline } from './navigation-outline.ts';
import { addressIn, partOf, readPage } from './page-text.ts';
import { type IndexedOperation, type SiteIndex, siteIndexOf } from './site-index.ts';

const maxOperations = 200;
const maxPassages = 20;
const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

const offset = z.int().min(0).max(1_000_000_000).default(0);
const page = z.string().min(1).max(2000);
const sectionTitle = z.string().max(500);

const noIndex = failed(
  'This release has no index of its navigation. Ask the owner of the site to export it again.',
);

interface ReaderServerOptions {
  observer?: PageObserver | undefined;
}

export async function readerServer(
  site: ServedSite,
  { observer }: ReaderServerOptions = {},
): Promise<McpServer> {
  const index = await siteIndexOf(site);
  const server = new McpServer(
    { name: 'docyard-site', version, ...(index && { title: index.name }) },
    { instructions: instructionsOf(index), capabilities: { tools: { listChanged: false } } },
  );
  addSearch(server, site);
  const read: ReadPart = async (address, offset) => {
    const found = await readPage(site, address);
    if (found === undefined) return undefined;
    // A later part belongs to a page that is counted already.
    if (offset === 0) observer?.fetched(site, found.file);
    return partOf(found.text, offset);
  };
  addPageTools(server, { site, index, read });
  addOperationTools(server, { site, index, read });
  return server;
}

/** A part of the Markdown of a page; undefined without the page. */
type ReadPart = (address: string, offset: number) => Promise<string | undefined>;

interface ToolParts {
  site: ServedSite;
  index: SiteIndex | undefined;
  read: ReadPart;
}

function instructionsOf(index: SiteIndex | undefined): string {
  return [
    `This server provides the documentation${index === undefined ? '' : ` of ${oneLine(index.name)}`}. It is read-only.`,
    index === undefined ? '' : oneLine(index.description),
    ...(index?.instructions ?? []),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function addSearch(server: McpServer, site: ServedSite): void {
  server.registerTool(
    'search',
    {
      title: 'Search',
      description: 'Returns the passages of the documentation that match a question or keywords, best first.',
      inputSchema: z.object({
        query: z.string().min(1).max(2000).describe('A question or keywords'),
        limit: z.int().min(1).max(maxPassages).default(5).describe('Number of passages'),
      }),
      annotations,
    },
    async ({ query, limit }) => {
      try {
        const passages = await siteSearch(site).find(query, { limit });
        return answer(
          passages.length === 0 ? 'Nothing was found.' : passages.map(passageText).join('\n\n---\n\n'),
        );
      } catch (error) {
        if (!(error instanceof SearchIndexError)) throw error;
        return failed('The search index of this release is damaged. Use list_navigation to find pages.');
      }
    },
  );
}

function passageText({ title, heading, url, text }: Passage): string {
  const name = heading === '' || heading === title ? title : `${title} › ${heading}`;
  return `[${oneLine(name)}](${url})\n\n${text}`;
}

function addPageTools(server: McpServer, { site, index, read }: ToolParts): void {
  server.registerTool(
    'fetch_page',
    {
      title: 'Fetch a page',
      description: 'Returns a page of the documentation as Markdown. A long page is returned in parts.',
      inputSchema: z.object({
        page: page.describe('Path or URL of the page, such as /guides/start'),
        offset: offset.describe('Number of characters to skip'),
      }),
      annotations,
    },
    async (input) => {
      const text = await read(input.page, input.offset);
      return text === undefined
        ? failed(`There is no page ${input.page}. Use list_navigation to find pages.`)
        : answer(text);
    },
  );
  server.registerTool(
    'list_navigation',
    {
      title: 'List the navigation',
      description: 'Lists the pages and sections of the documentation, with as many levels as fit.',
      inputSchema: z.object({
        section: z
          .array(sectionTitle)
          .max(20)
          .default([])
          .describe('Titles that lead to a section, such as ["Guides", "Start"]. Empty for the whole site.'),
        offset: offset.describe('Number of entries to skip'),
      }),
      annotations,
    },
    ({ section, offset }) => {
      if (index === undefined) return noIndex;
      const entries = entriesIn(index.navigation, section);
      if (entries === undefined) return failed(`There is no section ${section.join(' / ')}.`);
      return answer(outline(entries, { offset, addressOf: (path) => addressIn(site, path) }));
    },
  );
}

function addOperationTools(server: McpServer, { site, index, read }: ToolParts): void {
  server.registerTool(
    'list_api_operations',
    {
      title: 'List API operations',
      description: 'Lists the documented operations, webhooks and channels of the APIs.',
      inputSchema: z.object({
        filter: z.string().max(200).default('').describe('Text in the method, path or title of an operation'),
        offset: offset.describe('Number of operations to skip'),
      }),
      annotations,
    },
    ({ filter, offset }) => {
      if (index === undefined) return noIndex;
      const all = index.operations.filter((one) => lineOf(one).toLowerCase().includes(filter.toLowerCase()));
      if (all.length === 0) return answer('No operations are documented for this filter.');
      const shown = all.slice(offset, offset + maxOperations);
      const left = all.length - offset - shown.length;
      const more = left > 0 ? ['', `${left} more operations follow at offset ${offset + shown.length}.`] : [];
      return answer([...shown.map((one) => `- ${lineOf(one)}`), ...more].join('\n'));
    },
  );
  server.registerTool(
    'describe_api_operation',
    {
      title: 'Describe an API operation',
      description: 'Returns the documentation of an operation, with its part of the API description.',
      inputSchema: z.object({
        method: z
          .string()
          .max(20)
          .default('')
          .describe('Such as GET. Empty for any method and for channels.'),
        target: page.describe('Path of the operation, or name of the webhook or channel, as listed'),
        offset: offset.describe('Number of characters to skip'),
      }),
      annotations,
    },
    async ({ method, target, offset }) => {
      if (index === undefined) return noIndex;
      const found = index.operations.filter(
        (one) => one.target === target && (method === '' || one.method === method.toUpperCase()),
      );
      const [first] = found;
      const text = first && (await read(addressIn(site, first.path), offset));
      if (text === undefined)
        return failed(
          `There is no operation ${method} ${target}. Use list_api_operations to find operations.`,
        );
      const others = found.slice(1, 20).map((one) => `- ${lineOf(one)}: ${addressIn(site, one.path)}`);
      const head = others.length === 0 ? '' : `Other pages describe it too:\n\n${others.join('\n')}\n\n`;
      return answer(head + text);
    },
  );
}

function lineOf({ method, target, title, kind }: IndexedOperation): string {
  return oneLine(`${method} ${target} – ${title}${kind === 'operation' ? '' : ` (${kind})`}`);
}

function answer(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function failed(text: string): CallToolResult {
  return { ...answer(text), isError: true };
}
