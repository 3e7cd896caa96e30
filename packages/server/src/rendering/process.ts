/** Starts a rendering process. What it may read and write is fixed at its start. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { killGroup } from '../process-group.ts';
import { launch, type Launch, type Shelter } from './launch.ts';

export interface ProcessOptions extends Omit<
  Launch,
  'readable' | 'hidden' | 'files' | 'processes' | 'output'
> {
  /** Folders that it must not see although they may lie in one that it may read. */
  hidden?: readonly string[] | undefined;
  /** Files that it finds open, the first one as `firstFileDescriptor`; those to write are created. */
  files?: readonly { path: string; use: FileUse }[] | undefined;
  /** How many processes it may have at work besides itself. */
  processes?: number | undefined;
  output: 'pipe' | 'ignore' | { file: string };
}

/** `write` truncates, `go on with` keeps the content. */
type FileUse = 'read' | 'write' | 'go on with';
const flagsFor: Record<FileUse, string> = { read: 'r', write: 'w+', 'go on with': 'r+' };

export class RenderingProcess {
  readonly child: ChildProcess;
  /** The end of what it has written to stderr. */
  readonly complaint: () => string;

  constructor(child: ChildProcess) {
    this.child = child;
    this.complaint = endOf(child.stderr);
    // Without a listener a broken pipe would end this program.
    for (const emitter of [child, ...child.stdio]) emitter?.on('error', () => undefined);
  }

  /** With everything that it has started. */
  kill(): void {
    killGroup(this.child.pid);
  }

  async ended(): Promise<void> {
    const { pid, exitCode, signalCode } = this.child;
    const isRunning = pid !== undefined && exitCode === null && signalCode === null;
    if (isRunning) await new Promise((resolve) => this.child.once('exit', resolve));
  }
}

export function startProcess(
  shelter: Shelter,
  { files = [], hidden = [], processes = 0, output, ...rest }: ProcessOptions,
  readable: Launch['readable'],
): RenderingProcess {
  const opened: number[] = [];
  const open = (path: string, use: FileUse) => {
    const handle = openSync(path, flagsFor[use], 0o600);
    opened.push(handle);
    return handle;
  };
  try {
    const handles = files.map(({ path, use }) => open(path, use));
    const outputHandle = typeof output === 'string' ? output : open(output.file, 'write');
    const options = { ...rest, hidden, processes, files: handles, output: outputHandle };
    return new RenderingProcess(launch(shelter, { ...options, readable }));
  } finally {
    for (const file of opened) closeSync(file);
  }
}

const keptComplaintCharacters = 4000;
const maxComplaintCharacters = 10_000_000;

/** A process that never stops writing is cut off. */
function endOf(stderr: Readable | null): () => string {
  let complaint = '';
  let characters = 0;
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-keptComplaintCharacters);
    characters += text.length;
    if (characters > maxComplaintCharacters) stderr.destroy();
  });
  return () => complaint;
}
