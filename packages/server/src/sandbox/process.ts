/** Starts a sandboxed process with its open files. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { killGroup } from '../process-group.ts';
import { launch, type Launch, type SandboxSetup } from './launch.ts';

export interface ProcessOptions extends Omit<
  Launch,
  'readable' | 'hidden' | 'files' | 'processes' | 'output'
> {
  /** Folders that stay invisible even inside a readable one. */
  hidden?: readonly string[] | undefined;
  /** Files that the process inherits open, starting at `firstFileDescriptor`; those to write are created. */
  files?: readonly { path: string; use: FileUse }[] | undefined;
  /** How many child processes it may run. */
  processes?: number | undefined;
  output: 'pipe' | 'ignore' | { file: string };
}

/** `write` truncates, `update` keeps the content. */
type FileUse = 'read' | 'write' | 'update';
const flagsFor: Record<FileUse, string> = { read: 'r', write: 'w+', update: 'r+' };

export class RenderingProcess {
  readonly child: ChildProcess;
  /** The end of its stderr. */
  readonly complaint: () => string;

  constructor(child: ChildProcess) {
    this.child = child;
    this.complaint = endOf(child.stderr);
    // Without a listener a broken pipe would crash this program.
    for (const emitter of [child, ...child.stdio]) emitter?.on('error', () => undefined);
  }

  /** Kills the process group. */
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
  setup: SandboxSetup,
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
    return new RenderingProcess(launch(setup, { ...options, readable }));
  } finally {
    for (const file of opened) closeSync(file);
  }
}

const maxKeptCharacters = 4000;
const maxErrorCharacters = 10_000_000;

/** Stops reading from a process that never stops writing. */
function endOf(stderr: Readable | null): () => string {
  let complaint = '';
  let characters = 0;
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-maxKeptCharacters);
    characters += text.length;
    if (characters > maxErrorCharacters) stderr.destroy();
  });
  return () => complaint;
}
