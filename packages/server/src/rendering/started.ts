/**
 * A rendering process that was started and has no order yet. What it may read and write is fixed by now; it does nothing before
 * it is told to, and it is told once.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { killGroup } from '../process-group.ts';
import { launch, type Launch, type Shelter } from './launch.ts';

export interface Beginning extends Omit<Launch, 'readable' | 'hidden' | 'files' | 'processes' | 'output'> {
  /** Folders that it must not see although they may lie in one that it may read. */
  hidden?: readonly string[] | undefined;
  /** Files that it finds open, the first one as `firstFileDescriptor`; those to write are made for it. */
  files?: readonly { path: string; use: FileUse }[] | undefined;
  /** How many processes it may have at work besides itself. */
  processes?: number | undefined;
  /** What takes the output: whoever reads it here, a file that is made for it, or nobody. */
  output: 'pipe' | 'ignore' | { file: string };
}

/** To write is to begin with nothing; to go on with is to find what is there. */
type FileUse = 'read' | 'write' | 'go on with';
const flagsFor: Record<FileUse, string> = { read: 'r', write: 'w+', 'go on with': 'r+' };

export class Started {
  readonly child: ChildProcess;
  /** What it has said beside its messages, the end of it. */
  readonly complaint: () => string;

  constructor(child: ChildProcess) {
    this.child = child;
    this.complaint = listenTo(child.stderr);
    // Whoever talks to it is told by a listener of its own. One that is killed while nobody does must not end this program.
    for (const emitter of [child, ...child.stdio]) emitter?.on('error', () => undefined);
  }

  get isThere(): boolean {
    const { pid, exitCode, signalCode } = this.child;
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** Whether this program stays for its sake alone. */
  set isAwaited(isAwaited: boolean) {
    for (const handle of [this.child, ...this.child.stdio]) {
      const { ref, unref } = (handle ?? {}) as Partial<Socket>;
      (isAwaited ? ref : unref)?.call(handle);
    }
  }

  /** With everything that it has started. */
  kill(): void {
    killGroup(this.child.pid);
  }

  async ended(): Promise<void> {
    if (this.isThere) await new Promise((resolve) => this.child.once('exit', resolve));
  }
}

export function startProcess(
  shelter: Shelter,
  { files = [], hidden = [], processes = 0, output, ...rest }: Beginning,
  readable: Launch['readable'],
): Started {
  const opened: number[] = [];
  const open = (path: string, use: FileUse) => {
    const handle = openSync(path, flagsFor[use], 0o600);
    opened.push(handle);
    return handle;
  };
  try {
    const handles = files.map(({ path, use }) => open(path, use));
    const takesOutput = typeof output === 'string' ? output : open(output.file, 'write');
    const order = { ...rest, hidden, processes, files: handles, output: takesOutput };
    return new Started(launch(shelter, { ...order, readable }));
  } finally {
    // The process has its own by now.
    for (const file of opened) closeSync(file);
  }
}

const keptComplaintCharacters = 4000;
const mostComplaintCharacters = 10_000_000;

/** The end of what it complains about; one that goes on for ever is not listened to for ever. */
function listenTo(stderr: Readable | null): () => string {
  let complaint = '';
  let heard = 0;
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-keptComplaintCharacters);
    heard += text.length;
    if (heard > mostComplaintCharacters) stderr.destroy();
  });
  return () => complaint;
}
