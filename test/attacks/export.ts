/**
 * Exports a folder as the service does it, at a level of isolation that the caller names, and says how it ended and what it
 * took. It judges nothing.
 */
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
import { converseIn } from '../../packages/server/src/rendering/conversation.ts';
import { endOfDescendants, watchMemory } from './processes.ts';
import type { Level } from './levels.ts';

/** As much as an export of a service has. */
const memoryMegabytes = 768;
/** No case needs a tenth of it on a machine that does nothing else. */
const mostSeconds = 120;

export interface Ending {
  /** Where the bundle was unpacked; undefined when there is none. */
  output: string | undefined;
  /** Findings by code; of a job that failed, `failed:` and its code. */
  told: string[];
  /** What the operator would read, of a job that did not end as one should. */
  complaint: string | undefined;
  milliseconds: number;
  peakMegabytes: number;
  processesLeft: number;
  /** Addresses that the process asked the service to fetch. */
  asked: string[];
}

/** `work` is an empty folder. Nothing else may be started by this process meanwhile. */
export async function exportFolder(folder: string, work: string, { level, shelter }: Level): Promise<Ending> {
  const began = performance.now();
  const memory = watchMemory();
  const asked: string[] = [];
  const bundle = join(work, 'bundle.tar.gz');
  const report = join(work, 'report.json');
  const fetch = fetchWithin({ rules: [], offline: false });
  const signal = AbortSignal.timeout(mostSeconds * 1000);
  const ending: Pick<Ending, 'told' | 'complaint' | 'output'> = await converseIn<Message>(shelter, {
    program,
    order: orderFor(folder, level),
    memoryMegabytes,
    processes: 1,
    readable: [folder],
    files: [join(work, 'spool'), report].map((path) => ({ path, use: 'write' })),
    signal,
    hear(raw, send) {
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
        return { told: [`failed:${answer.code}`], complaint: answer.message, output: undefined };
      const output = join(work, 'output');
      await unpackBundle(createReadStream(bundle), output);
      return { told: codesIn(report), complaint: undefined, output };
    },
    (error: Error) => ({
      told: [signal.aborted ? 'failed:time' : 'failed:died'],
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
    isSigned: true,
    isReportWhole: true,
    options: optionsOf({ domain: 'attacked.test' }),
  };
}
