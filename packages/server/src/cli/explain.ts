/**
 * Turns the error of a command into a message, an exit status, and JSON with `--json`. Expected errors show a stack
 * only with `--debug`; unexpected ones always do.
 */
import { DocyardError } from '@docyard/api';
import { DownloadError } from '@docyard/api/download';
import { BundleRefusedError, InvalidKeyError } from '@docyard/bundle';
import { ConfigError } from '@docyard/site/errors';
import { DataFolderError } from '@docyard/site/errors';
import { SiteCommandError } from '@docyard/site/command';
import { explainFileError } from '@docyard/site/disk';
import { Problem } from '../problem.ts';
import { explainRefusal, explainLostConnection } from './connection.ts';
import { CommandError } from './errors.ts';
import { exitOfHttp, exitTable, type Exit } from './exit.ts';

interface Explanation {
  exit: Exit;
  /** Stable, for scripts. */
  code: string;
  message: string;
  expected: boolean;
  facts?: Record<string, unknown>;
}

export function explain(error: unknown, { json, debug }: { json: boolean; debug: boolean }): number {
  const { exit, code, message, expected, facts } = explanationOf(error);
  process.stderr.write(`docyard: ${message}\n`);
  if (!expected || debug) {
    process.stderr.write(`${error instanceof Error ? error.stack : ''}\n`);
  }
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, code, message, ...facts })}\n`);
  return exitTable[exit].status;
}

function explanationOf(error: unknown): Explanation {
  const expected = true;
  if (error instanceof CommandError) {
    const { exit, message, facts } = error;
    return { exit, code: exit, message, expected, facts };
  }
  if (error instanceof SiteCommandError)
    return { exit: error.exit, code: error.exit, message: error.message, expected };
  if (error instanceof DocyardError) {
    const exit = exitOfHttp(error.status, error.code);
    return { exit, code: error.code, message: explainRefusal(error), expected };
  }
  if (error instanceof Problem) {
    return {
      exit: exitOfHttp(error.status, error.code),
      code: error.code,
      message: error.message,
      expected,
    };
  }
  if (error instanceof BundleRefusedError) {
    return { exit: 'problems_found', code: error.refusal, message: error.message, expected };
  }
  if (error instanceof InvalidKeyError)
    return { exit: 'usage', code: 'usage', message: error.message, expected };
  const silence = explainLostConnection(error);
  if (silence !== undefined) return { exit: 'failed', code: 'unreachable', message: silence, expected };
  const fileError = explainFileError(error);
  if (fileError !== undefined) return { exit: 'failed', code: 'file_system', message: fileError, expected };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ConfigError && error.isUsage)
    return { exit: 'usage', code: 'usage', message, expected };
  const known =
    error instanceof ConfigError || error instanceof DataFolderError || error instanceof DownloadError;
  return { exit: 'failed', code: 'failed', message, expected: known };
}
