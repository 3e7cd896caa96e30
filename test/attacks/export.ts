/** Exports a folder like the service, at a given isolation level, and reports the result and the resources used. */
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { unpackBundle } from '../../packages/bundle/src/unpack.ts';
import { answerFetches, fetchWithin } from '../../packages/server/src/exports/fetches.ts';
import {
  type ExportOrder,
  Message,
  ReportFile,
  type Signed,
} from '../../packages/server/src/exports/messages.ts';
import { program } from '../../packages/server/src/exports/process.ts';
import { optionsOf } from '../../packages/server/src/exports/record.ts';
import { runInSandbox } from '../../packages/server/src/sandbox/run-in-sandbox.ts';
import { endOfDescendants, watchMemory } from './processes.ts';
import type { Level } from './isolation-levels.ts';

/** The default limit of the service. */
const memoryMegabytes = 768;
const maxSeconds = 120;

export interface Ending {
  output: string | undefined;
  /** Finding codes; for a failed job, `failed:` and its code. */
  reported: string[];
  /** The operator's message, for a job that failed unexpectedly. */
  complaint: string | undefined;
  milliseconds: number;
  peakMegabytes: number;
  processesLeft: number;
  /** Addresses that the process asked the service to fetch. */
  asked: string[];
}

/** `work` is an empty folder. The calling process must not start other processes meanwhile. */
export async function exportFolder(folder: string, work: string, { level, setup }: Level): Promise<Ending> {
  const began = performance.now();
  const memory = watchMemory();
  const asked: string[] = [];
  const bundle = join(work, 'bundle.tar.gz');
  const report = join(work, 'report.json');
  const fetch = fetchWithin({ rules: [], offline: false });
  const signal = AbortSignal.timeout(maxSeconds * 1000);
  const ending: Pick<Ending, 'reported' | 'complaint' | 'output'> = await runInSandbox<Message>(setup, {
    program,
    order: orderFor(folder, level),
    memoryMegabytes,
    processes: 1,
    readable: [folder],
    files: [join(work, 'spool'), report].map((path) => ({ path, use: 'write' })),
    signal,
    onMessage(raw, send) {
      const message = Message.parse(raw);
      const unsigned: Signed = { type: 'signed', signature: '' };
      if (message.type === 'sign') send(unsigned);
      if (message.type === 'fetch') {
        asked.push(message.address);
        answerFetches(fetch, signal, send)(message);
      }
      return message.type === 'exported' || message.type === 'failed' ? { answer: message } : undefined;
    },
    takeOutput: (output) => pipeline(output, createWriteStream(bundle)),
  }).then(
    async (answer) => {
      if (answer.type === 'failed')
        return { reported: [`failed:${answer.code}`], complaint: answer.message, output: undefined };
      const output = join(work, 'output');
      await unpackBundle(createReadStream(bundle), output);
      return { reported: codesIn(report), complaint: undefined, output };
    },
    (error: Error) => ({
      reported: [signal.aborted ? 'failed:time' : 'failed:died'],
      complaint: error.message,
      output: undefined,
    }),
  );
  const milliseconds = Math.round(performance.now() - began);
  const peakMegabytes = memory.stop();
  return { ...ending, milliseconds, peakMegabytes, asked, processesLeft: await endOfDescendants() };
}

function codesIn(report: string): string[] {
  if (!existsSync(report)) return [];
  const { diagnostics } = ReportFile.parse(JSON.parse(readFileSync(report, 'utf8')));
  return [...new Set(diagnostics.map(({ code }) => code))].toSorted();
}

function orderFor(folder: string, isolationLevel: Level['level']): ExportOrder {
  return {
    type: 'export',
    folder,
    origin: 'https://docs.example.com',
    version: null,
    commit: null,
    committedAt: null,
    renderProcesses: 1,
    offline: false,
    customCode: 'run',
    engine: null,
    isolationLevel,
    contentKey: null,
    isSigned: true,
    hasPageSizes: true,
    options: optionsOf({ domain: 'attacked.test' }),
  };
}
