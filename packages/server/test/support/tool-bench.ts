/** A test bench for tools: a real workspace in a temporary folder, with stubbed checks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from './test-context.ts';
import type {
  DiffFile,
  SiteChecks,
  SiteFinding,
  Tool,
  ToolContext,
  ToolResult,
} from '../../src/agent/contract.ts';
import { createSectionIndex } from '../../src/agent/tools/section-index.ts';
import { openTree } from '../../src/agent/workspace/tree.ts';

export interface TestBench {
  context: ToolContext;
  folder: string;
  read(path: string): string;
  write(path: string, content: string): void;
  /** Validates the input like the agent loop, then runs the tool. */
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
    tree: openTree({
      folder,
      submodules: new Set(),
      links: new Set(),
      isPointer: () => Promise.resolve(false),
    }),
    site: options.site ?? {
      validate: () => Promise.resolve(findings),
      renderPage: () => Promise.resolve({ markdown: '# Page\n', findings }),
    },
    diff: () => Promise.resolve(options.diff ?? { files: [], patch: '' }),
    signal: new AbortController().signal,
    scopePaths: options.scopePaths ?? [],
    seen: new Map(),
    sections: createSectionIndex(),
  };
  return {
    context,
    folder,
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write: (path, content) => writeFiles(folder, { [path]: content }),
    run: (tool, input) => tool.run(context, tool.input.parse(input)),
  };
}
