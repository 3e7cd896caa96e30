/** Runs Docyard from the command line. Every run without a given cache folder is cold. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { program, temporaryFolder } from '../test/service.ts';
import { run, type Run } from './command.ts';

export interface Exported extends Run {
  pages: number;
  files: number;
  /** Size of the archive. */
  bytes: number;
}

export interface Built extends Run {
  pages: number;
  files: number;
  /** Size of all files. */
  bytes: number;
}

interface Options {
  /** A fresh folder by default. */
  cacheFolder?: string;
  isOffline?: boolean;
  timeLimitSeconds?: number;
}

export async function docyardExport(
  folder: string,
  archive: string,
  options: Options = {},
): Promise<Exported> {
  const ended = await docyard(['export', folder, '--output', archive, '--json'], options);
  const { pages, fileCount, sizeBytes, errors } = JSON.parse(ended.output) as Record<string, number>;
  refuseErrors(errors, options);
  return { ...ended, pages: pages ?? 0, files: fileCount ?? 0, bytes: sizeBytes ?? 0 };
}

export async function docyardBuild(folder: string, out: string, options: Options = {}): Promise<Built> {
  const ended = await docyard(['build', folder, '--out', out, '--json'], options);
  const { pages, files, bytes, errors } = JSON.parse(ended.output) as Record<string, number>;
  refuseErrors(errors, options);
  return { ...ended, pages: pages ?? 0, files: files ?? 0, bytes: bytes ?? 0 };
}

async function docyard(args: readonly string[], options: Options): Promise<Run> {
  const { cacheFolder, isOffline = false, timeLimitSeconds } = options;
  const cache = cacheFolder ?? temporaryFolder('cache');
  try {
    return await run({
      command: [process.execPath, program, ...args, ...(isOffline ? ['--offline'] : [])],
      environment: { XDG_CACHE_HOME: join(cache, 'xdg') },
      ...(timeLimitSeconds === undefined ? {} : { timeLimitSeconds }),
    });
  } finally {
    if (cacheFolder === undefined) rmSync(cache, { recursive: true, force: true });
  }
}

/** Real sites may contain mistakes; the corpus does not. */
function refuseErrors(errors: number | undefined, { isOffline = false }: Options): void {
  if (!isOffline && errors !== 0) throw new Error(`The corpus has ${errors} errors.`);
}
