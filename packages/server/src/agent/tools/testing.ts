/** What the tests of tools share: a tree over a real folder, and a context whose checks answer as a test wants. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { temporaryFolder, writeFiles } from '../../testing.ts';
import {
  type DiffFile,
  PathRefused,
  type SiteChecks,
  type SiteFinding,
  type Tool,
  type ToolContext,
  type ToolResult,
  type Tree,
} from '../contract.ts';

export interface TestBench {
  context: ToolContext;
  folder: string;
  read(path: string): string;
  write(path: string, content: string): void;
  /** Validates the input as the loop does, then runs the tool. */
  run<Input>(tool: Tool<Input>, input: unknown): Promise<ToolResult>;
}

export interface BenchOptions {
  scopePaths?: string[];
  site?: SiteChecks;
  findings?: SiteFinding[];
  diff?: { files: DiffFile[]; patch: string };
}

export function bench(files: Record<string, string>, options: BenchOptions = {}): TestBench {
  const folder = temporaryFolder('tools');
  writeFiles(folder, files);
  return benchOn(folder, options);
}

export function benchOn(folder: string, options: BenchOptions = {}): TestBench {
  const findings = options.findings ?? [];
  const context: ToolContext = {
    tree: folderTree(folder),
    site: options.site ?? {
      validate: () => Promise.resolve(findings),
      renderPage: () => Promise.resolve({ markdown: '# Page\n', findings }),
    },
    diff: () => Promise.resolve(options.diff ?? { files: [], patch: '' }),
    signal: new AbortController().signal,
    scopePaths: options.scopePaths ?? [],
    seen: new Map(),
  };
  return {
    context,
    folder,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write: (path, content) => writeFiles(folder, { [path]: content }),
    run: (tool, input) => tool.run(context, tool.input.parse(input)),
  };
}

function folderTree(folder: string): Tree {
  const place = (path: string): string => {
    if (path.startsWith('/') || path.split('/').some((part) => ['', '.', '..', '.git'].includes(part)))
      throw new PathRefused(`The path ${path} is not allowed. Name it from the docs root.`);
    return join(folder, path);
  };
  return {
    folder,
    list: () =>
      Promise.resolve(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => ({ path: relative(folder, file), sizeBytes: statSync(file).size })),
      ),
    read: (path) => Promise.resolve(readIfAny(place(path))),
    write: (path, content) => {
      mkdirSync(dirname(place(path)), { recursive: true });
      return Promise.resolve(writeFileSync(place(path), content));
    },
    remove: (path) => Promise.resolve(rmSync(place(path))),
  };
}

function readIfAny(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
